package main

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/cpu"

	"github.com/uidgen/uid"
)

// Faults for the self-test to find.
const (
	plantedCopy      = "a second process with a copied worker ID"
	plantedUnstored  = "a reservation that is not durable"
	plantedRacy      = "the original's racy take"
	plantedUnguarded = "a clock that goes back without a guard"
	plantedLost      = "a lost commit of the database"
	plantedForeign   = "another worker ID than assigned"
	plantedBehind    = "a time behind MaxLag"
	plantedAhead     = "a time ahead of MaxLead"
	plantedDisorder  = "no order where it is promised"
	plantedBeyond    = "ticks beyond the reservation"
	plantedForgotten = "a row that is removed, and the mark of its ID with it, and a clock behind"
	plantedUndone    = "a revocation that is undone"
	plantedNames     = "two names that are stored for one namespace"
	plantedTurns     = "a turn of RollbackBits that is another's worker ID"
)

// plant returns a worker and a clock with the fault.
func plant(fault string, w uid.Worker, now func() time.Time) (uid.Worker, func() time.Time) {
	set := func(by time.Duration) func() time.Time { return func() time.Time { return now().Add(by) } }
	switch fault {
	case plantedForeign:
		return &altered{w, func(r uid.Reservation) uid.Reservation { r.WorkerID ^= 1; return r }}, now
	case plantedBeyond:
		return &altered{w, func(r uid.Reservation) uid.Reservation { r.Last += 1000; return r }}, now
	case plantedBehind:
		return w, set(-2 * time.Second)
	case plantedAhead:
		return w, set(2 * maxLead)
	}
	return w, now
}

// altered changes what a worker grants.
type altered struct {
	uid.Worker
	alter func(uid.Reservation) uid.Reservation
}

func (a *altered) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	r, err := a.Worker.Acquire(ctx, t)
	return a.alter(r), err
}

func (a *altered) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	r, err := a.Worker.Extend(ctx, through)
	return a.alter(r), err
}

// unstored hands out 20 s of ticks more than its worker has stored.
func unstored(w uid.Worker) uid.Worker {
	return &altered{w, func(r uid.Reservation) uid.Reservation {
		if r.Last >= r.First {
			r.Last += int64(20 * time.Second / tickUnit)
		}
		return r
	}}
}

// forgetful grants from the first tick there is.
func forgetful(w uid.Worker) uid.Worker {
	return &altered{w, func(r uid.Reservation) uid.Reservation { r.First = 0; return r }}
}

// undone revokes its first reservation before anything was issued of it, and gives the ID
// back; and the generator goes on as if it had not been told.
type undone struct{ uid.Worker }

func (u *undone) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	r, err := u.Worker.Acquire(ctx, t)
	if err != nil {
		return r, err
	}
	return r, u.Worker.Release(ctx, r.First-1)
}

// plantedGenerator returns a generator with the fault, or nil.
func plantedGenerator(fault string, w uid.Worker, now func() time.Time) uid.Drawer {
	if fault != plantedRacy && fault != plantedUnguarded {
		return nil
	}
	r, err := w.Acquire(context.Background(), soakLayout.Terms())
	if err != nil {
		panic(err)
	}
	if fault == plantedUnguarded {
		return &unguarded{now: now, workerID: r.WorkerID}
	}
	c := &classic{}
	for i := range c.flags {
		c.slots[i].Store(-1)
	}
	c.tail.Store(-1)
	c.cursor.Store(-1)
	go c.pad(now, r.WorkerID)
	return c
}

// unguarded follows the clock, and begins a tick anew whenever it is another than before.
type unguarded struct {
	now      func() time.Time
	workerID int64
	mu       sync.Mutex
	tick     int64
	sequence int64
}

func (g *unguarded) GetUID() (uid.UID, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	tick := soakLayout.TickAt(g.now())
	if tick != g.tick {
		g.tick, g.sequence = tick, 0
	}
	g.sequence++
	if g.sequence > soakLayout.MaxSequence() {
		return 0, uid.ErrRejectedTake
	}
	return soakLayout.Compose(tick, g.workerID, g.sequence)
}

func (g *unguarded) ParseUID(u uid.UID) (uid.Parts, error) { return soakLayout.Parse(u) }

// classic is a ring of single UIDs that is taken from as Baidu's UidGenerator does it:
// whether it is empty is judged by an older read of the cursor than the step that claims.
// A taker that is held up in between, while others empty the ring, gets the slot that was
// taken last once more, unless its flag has been changed already.
type classic struct {
	slots  [16]atomic.Int64
	flags  [16]classicFlag
	_      cpu.CacheLinePad
	tail   atomic.Int64
	_      cpu.CacheLinePad
	cursor atomic.Int64
	_      cpu.CacheLinePad
	closed atomic.Bool
}

type classicFlag struct {
	canTake atomic.Bool
	_       cpu.CacheLinePad
}

// pad puts the UIDs of the clock's ticks, each once.
func (c *classic) pad(now func() time.Time, workerID int64) {
	for last := int64(-1); !c.closed.Load(); {
		tick := max(soakLayout.TickAt(now()), last+1)
		for sequence := int64(0); sequence <= soakLayout.MaxSequence() && !c.closed.Load(); {
			u, err := soakLayout.Compose(tick, workerID, sequence)
			if err != nil {
				panic(err)
			}
			if c.put(u) {
				sequence++
			} else {
				runtime.Gosched()
			}
		}
		last = tick
	}
}

func (c *classic) put(u uid.UID) bool {
	tail := c.tail.Load()
	i := (tail + 1) % int64(len(c.slots))
	if tail-max(c.cursor.Load(), 0) == int64(len(c.slots))-1 || c.flags[i].canTake.Load() {
		return false
	}
	c.slots[i].Store(int64(u))
	c.flags[i].canTake.Store(true)
	c.tail.Add(1)
	return true
}

func (c *classic) GetUID() (uid.UID, error) {
	for !c.closed.Load() {
		current := c.cursor.Load()
		runtime.Gosched() // as the scheduler may do at any time
		next := c.advance()
		i := next % int64(len(c.slots))
		if next == current || next < 0 || !c.flags[i].canTake.Load() {
			continue
		}
		u := uid.UID(c.slots[i].Load())
		runtime.Gosched()
		c.flags[i].canTake.Store(false)
		return u, nil
	}
	return 0, uid.ErrClosed
}

// advance moves the cursor on if it has not reached the tail, and returns where it is then.
func (c *classic) advance() int64 {
	for {
		old := c.cursor.Load()
		next := old
		if old != c.tail.Load() {
			next++
		}
		if c.cursor.CompareAndSwap(old, next) {
			return next
		}
	}
}

func (c *classic) ParseUID(u uid.UID) (uid.Parts, error) { return soakLayout.Parse(u) }

func (c *classic) Close() error {
	c.closed.Store(true)
	return nil
}

// swapped returns UIDs in pairs, the larger one first.
type swapped struct {
	uid.Drawer
	second uid.UID
	has    bool
}

func (s *swapped) GetUID() (uid.UID, error) {
	if s.has {
		s.has = false
		return s.second, nil
	}
	var err error
	if s.second, err = s.Drawer.GetUID(); err != nil {
		return 0, err
	}
	s.has = true
	return s.Drawer.GetUID()
}
