package main

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/uidgen/uid"
)

// Faults for the self-test to find.
const (
	plantedCopy      = "a second process with a copied worker ID"
	plantedUnstored  = "a reservation that is not durable"
	plantedUnguarded = "a clock that goes back without a guard"
	plantedLost      = "a lost commit of the database"
	plantedForeign   = "another worker ID than assigned"
	plantedBehind    = "a time behind MaxLag"
	plantedAhead     = "a time ahead of MaxLead"
	plantedDisorder  = "no order where it is promised"
	plantedBeyond    = "ticks beyond the reservation"
	plantedOblivious = "a store whose history is always the same"
	plantedBlind     = "whatever ticks, as if nobody reserved any"
)

// plant returns a worker and a clock with the fault.
func plant(fault string, w uid.Worker, now func() time.Time) (uid.Worker, func() time.Time) {
	set := func(by time.Duration) func() time.Time { return func() time.Time { return now().Add(by) } }
	switch fault {
	case plantedForeign:
		return &altered{w, func(r *uid.Reservation) { r.WorkerID ^= 1 }}, now
	case plantedBeyond:
		return &altered{w, func(r *uid.Reservation) { r.Last += 1000 }}, now
	case plantedBehind:
		return w, set(-2 * time.Second)
	case plantedAhead:
		return w, set(2 * maxLead)
	}
	return w, now
}

// altered changes what a worker grants, and has it reserve no more than it does by itself.
type altered struct {
	uid.Worker
	alter func(*uid.Reservation)
}

func (a *altered) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	r, err := a.Worker.Acquire(ctx, t)
	a.alter(&r)
	return r, err
}

func (a *altered) Extend(ctx context.Context, _ int64) (uid.Reservation, error) {
	r, err := a.Worker.Extend(ctx, 0)
	a.alter(&r)
	return r, err
}

// unstored hands out more than its worker has stored, of which the checks know nothing: 20 s of ticks, or all.
func unstored(fault string, w uid.Worker) uid.Worker {
	switch fault {
	case plantedUnstored:
		return &altered{w, func(r *uid.Reservation) {
			if r.Last >= r.First {
				r.Last += int64(20 * time.Second / tickUnit)
			}
		}}
	case plantedBlind:
		return &altered{w, func(r *uid.Reservation) {
			r.First, r.Last = layout.TickAt(time.Now()), layout.Terms().MaxTick
			r.Renew = min(r.Renew, math.MaxInt64-1)
		}}
	}
	return w
}

// plant has another drawer with the fault, if it is one of generators.
func (g *generator) plant(fault string, now func() time.Time) {
	switch fault {
	case plantedDisorder:
		g.drawer = &swapped{Drawer: g.Generator}
	case plantedUnguarded:
		g.drawer, g.lag, g.lead = &unguarded{Generator: g.Generator, now: now}, math.MaxInt32, math.MaxInt32
	}
}

// unguarded follows the clock, and begins a tick anew whenever it is another than before.
type unguarded struct {
	uid.Generator
	now            func() time.Time
	mu             sync.Mutex
	tick, sequence int64
}

func (g *unguarded) GetUID() (uid.UID, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	tick := layout.TickAt(g.now())
	if tick != g.tick {
		g.tick, g.sequence = tick, 0
	}
	g.sequence++
	if g.sequence > layout.MaxSequence() {
		return 0, uid.ErrRejectedTake
	}
	return layout.Compose(tick, 0, g.sequence)
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
