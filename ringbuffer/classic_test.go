package ringbuffer

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/cpu"
)

// A classicRing takes as Baidu's UidGenerator does: a slot and a padded flag for each
// UID, and a take that judges whether the ring is empty by an older read of the cursor
// than the step it claims with. A taker that is held up between the two, while others
// empty the ring, is given the slot that was taken last once more; that slot's flag
// stops it, unless the taker who owns the slot has not got around to changing the flag
// yet, or the slot has been filled again. It is here for the tests to find that out.
type classicRing struct {
	slots []atomic.Uint64
	flags []classicFlag
	_     cpu.CacheLinePad
	tail  atomic.Int64 // of the UID that was put last, counted from 0; -1 before
	_     cpu.CacheLinePad
	// cursor is the same for the UID that was taken last.
	cursor atomic.Int64
	_      cpu.CacheLinePad

	sync.Mutex // serialises puts

	uids uint64        // how many there are to be put
	put  atomic.Uint64 // how many have been put
	// interrupted lets takers be interrupted now and then where it matters, as the
	// scheduler may do at any time but seldom does.
	interrupted bool
	// refused counts the takers that the flag stopped behind the cursor.
	refused atomic.Uint64
	stopped chan struct{}
	ended   sync.WaitGroup
}

type classicFlag struct {
	canTake atomic.Bool
	_       cpu.CacheLinePad
}

func newClassicRing(slots int, uids uint64, interrupted bool) *classicRing {
	c := &classicRing{
		slots: make([]atomic.Uint64, slots), flags: make([]classicFlag, slots),
		uids: uids, interrupted: interrupted, stopped: make(chan struct{}),
	}
	c.tail.Store(-1)
	c.cursor.Store(-1)
	c.ended.Go(c.pad)
	return c
}

// pad is the producer: it puts the UIDs 0, 1, 2 and so on.
func (c *classicRing) pad() {
	for next := uint64(0); next < c.uids; {
		select {
		case <-c.stopped:
			return
		default:
		}
		for next < c.uids && c.offer(next) {
			next++
		}
		c.put.Store(next)
		runtime.Gosched()
	}
}

func (c *classicRing) offer(v uint64) bool {
	c.Lock()
	defer c.Unlock()
	tail := c.tail.Load()
	if tail-max(c.cursor.Load(), 0) == int64(len(c.slots))-1 {
		return false
	}
	i := int(tail+1) & (len(c.slots) - 1)
	if c.flags[i].canTake.Load() {
		return false
	}
	c.slots[i].Store(v)
	c.flags[i].canTake.Store(true)
	c.tail.Add(1)
	return true
}

// poll returns a UID, or false when it finds the ring empty or, behind its cursor, a
// slot that may not be taken.
func (c *classicRing) poll() (v uint64, ok bool) {
	current := c.cursor.Load()
	c.interrupt()
	var next int64
	for {
		next = c.cursor.Load()
		old := next
		if old != c.tail.Load() {
			next++
		}
		if c.cursor.CompareAndSwap(old, next) {
			break
		}
	}
	if next == current {
		return 0, false
	}
	i := int(next) & (len(c.slots) - 1)
	if !c.flags[i].canTake.Load() {
		c.refused.Add(1)
		return 0, false
	}
	v = c.slots[i].Load()
	c.interrupt()
	c.flags[i].canTake.Store(false)
	return v, true
}

func (c *classicRing) interrupt() {
	if c.interrupted && rand.Uint32N(8) == 0 {
		runtime.Gosched()
	}
}

func (c *classicRing) taker(int) func(buf []uint64) (n int, more bool) {
	return func(buf []uint64) (n int, more bool) {
		for {
			over := c.put.Load() == c.uids
			if v, ok := c.poll(); ok {
				buf[0] = v
				return 1, true
			}
			if over && c.cursor.Load() == c.tail.Load() {
				return 0, false
			}
			runtime.Gosched()
		}
	}
}

func (c *classicRing) index(v uint64) uint64 { return min(v, c.uids) }

func (c *classicRing) size() uint64 { return c.uids }

func (c *classicRing) stop(uint64, bool) error {
	close(c.stopped)
	c.ended.Wait()
	return nil
}
