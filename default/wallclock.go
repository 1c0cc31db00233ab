package uncached

import (
	"sync"
	"sync/atomic"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/ticks"
)

// maxReadingAge is how long a reading of the wall clock is relied on, at most.
const maxReadingAge = time.Millisecond

// A wallClock tells the ticks of the wall clock. time.Now reads two clocks of the machine, and
// time.Since only the monotonic one. Unless it is set, the wall clock goes as that does. So a
// reading says until when the wall clock is in the same tick, by the monotonic clock, and calls
// before then need only look at that.
//
// A step of the wall clock, or a suspension during which the monotonic clock stands still, goes
// unseen until the reading is maxReadingAge old, or until another call looks.
type wallClock struct {
	terms uid.Terms // its epoch and unit
	wall  func() time.Time
	born  time.Time // the origin of the monotonic clock
	each  bool      // every call reads the wall clock

	// The wall clock is in the tick known while the monotonic clock is before limit, and no more
	// than maxReadingAge before it: limit may be of another monotonic clock, for each synctest bubble
	// has its own.
	//
	// A reading begins by setting limit to none, and ends by setting it anew, after known. So a
	// call that loads limit, and then known, has the tick of the reading that set this limit,
	// or of one made since, while the call was under way.
	limit, known atomic.Int64
	mu           sync.Mutex // held during a reading: they follow each other
}

// none is no limit.
const none = 0

// tick returns a tick in which the wall clock was during the call, but for steps of the last
// maxReadingAge. It waits for no other call.
func (c *wallClock) tick() int64 {
	if c.each {
		return c.terms.TickAt(c.wall())
	}
	tick, limit := c.lastReading()
	at := time.Since(c.born)
	if fresh(limit, at) {
		return tick
	}
	return c.readTick(at)
}

// lastReading returns the tick of the last reading, and its limit.
func (c *wallClock) lastReading() (tick, limit int64) {
	limit = c.limit.Load()
	tick = c.known.Load()
	return tick, limit
}

// fresh reports whether a reading with that limit can be relied on at a time of the monotonic clock.
func fresh(limit int64, at time.Duration) bool {
	return uint64(limit-int64(at)-1) < uint64(maxReadingAge) // 0 < limit-at <= maxReadingAge
}

func (c *wallClock) readTick(at time.Duration) int64 {
	if !c.mu.TryLock() {
		return c.terms.TickAt(c.wall()) // another call is about to set limit
	}
	defer c.mu.Unlock()
	return c.terms.TickAt(c.readLocked(at))
}

// look reads the wall clock. No call that begins after it relies on an earlier reading.
func (c *wallClock) look() time.Time {
	if c.each {
		return c.wall()
	}
	at := time.Since(c.born)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.readLocked(at)
}

// readLocked reads the wall clock, and notes its tick and how long that lasts. The monotonic clock was
// read before: should the goroutine be held up in between, the limit is too early, not too late.
func (c *wallClock) readLocked(at time.Duration) time.Time {
	c.limit.Store(none)
	now := c.wall()
	tick := c.terms.TickAt(now)
	c.known.Store(tick)
	c.limit.Store(int64(at + min(maxReadingAge, ticks.Until(c.terms, now, tick+1))))
	return now
}
