package cached

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"github.com/uidgen/uid/internal/tenure"
	"github.com/uidgen/uid/ringbuffer"
)

// run looks after the ring between the calls of takers: it moves the ring on when the
// clock has left it behind, shuts it when nobody draws, and wakes calls that wait for
// the clock. It sleeps without a timer while the ring is shut and nobody waits.
func (g *Generator) run() {
	defer close(g.done)
	timer := time.NewTimer(g.patienceFrom(g.now()))
	defer timer.Stop()
	for {
		timedOut := false
		select {
		case <-g.quit:
			return
		case <-g.wake:
		case <-timer.C:
			timedOut = true
		}
		g.mu.Lock()
		after, rejected := g.tend(timedOut)
		g.mu.Unlock()
		if rejected >= 0 && g.cfg.OnRejectedPut != nil {
			g.contain("OnRejectedPut", func() { g.cfg.OnRejectedPut(rejected) })
		}
		if after < 0 {
			timer.Stop()
		} else {
			timer.Reset(after)
		}
	}
}

// tend does what run is there for and returns how long run may sleep, or a negative
// duration for "until woken", and the tick that the ring rejected, or -1.
func (g *Generator) tend(timedOut bool) (after time.Duration, rejected int64) {
	s := &g.state
	if g.closed() || s.parked {
		return -1, -1
	}
	if timedOut && s.waiting == 0 && g.ring.Position() == s.seen {
		// Nobody drew since the last look. The next taker reads the clock itself, so
		// that its UID is of its own time, and this goroutine need not wake until then.
		g.park()
		return -1, -1
	}
	now := g.now()
	rejected = -1
	if g.refill(now) {
		rejected = int64(g.ring.Tail())
		g.counts.rejectedPuts.Add(1)
	}
	g.reopen(now)
	if at := g.ring.Tick(g.ring.Position()); g.floor.Load() != allStale {
		g.setFloor(g.floorAt(now, at))
	}
	s.seen = g.ring.Position()
	if s.waiting > 0 {
		return g.untilNextTick(), rejected
	}
	return g.patienceFrom(now), rejected
}

// park shuts an idle ring. Everything that Lanes hold becomes stale.
func (g *Generator) park() {
	g.ring.Shut()
	g.setFloor(allStale)
	g.state.parked = true
}

// allStale, as the floor, lets Lanes keep nothing.
const allStale = math.MaxUint64

// floorAt returns the floor for takers that are in tick at: what is behind the clock is
// stale, and so is what was discarded, which may be ahead of it.
func (g *Generator) floorAt(now time.Time, at uint64) uint64 {
	return max(g.state.void, min(uint64(max(g.layout.TickAt(now), 0)), at)) << g.valBits
}

// setFloor makes everything below floor stale. g.mu is held.
func (g *Generator) setFloor(floor uint64) {
	if before := g.floor.Load(); floor != before {
		g.floor.Store(floor)
		if floor > before {
			g.lanes.withdraw(floor)
			if g.unordered != nil {
				g.unordered.withdraw(floor)
			}
		}
	}
}

// refill brings the ring up to the clock and fills it with all the ticks that it has
// room for and that may be issued, and reports whether it stopped for want of room.
// It may leave the ring shut; reopen opens it. g.mu is held.
func (g *Generator) refill(now time.Time) (full bool) {
	s, grant := &g.state, g.tenure.Grant()
	if grant.Ended != nil {
		return false
	}
	clock := max(g.layout.TickAt(now), 0)
	limit := g.limit(now, grant)
	published := s.ticks

	// The ring holds consecutive ticks. Where the next one is not the tail, because
	// the clock or the reservation is beyond it or the ring was discarded, the ring
	// starts anew there.
	tail, at := int64(g.ring.Tail()), int64(g.ring.Tick(g.ring.Position()))
	next := max(tail, clock, grant.First)
	usable := s.started && !s.discarded
	stale := usable && at+g.lag < clock && clock >= tail // all that is left in the ring
	switch {
	case next <= limit && (next > tail || !usable || stale):
		g.ring.Shut()
		g.skipTo(next)
		must(g.ring.Restart(g.runOf(next, grant), g.sequenceStart()))
		s.started, s.discarded = true, false
		s.ticks++
		next++
	case usable && at < clock && clock < tail:
		// What comes before the clock's own tick has become stale.
		g.ring.Shut()
		g.skipTo(clock)
		must(g.ring.Skip(uint64(clock), g.sequenceStart()))
	case stale:
		// There is nothing to take its place.
		g.ring.Shut()
		g.skipTo(tail)
		g.setFloor(allStale)
		s.discarded = true
	}
	for ; next <= limit; next++ {
		if err := g.ring.Put(g.runOf(next, grant)); errors.Is(err, ringbuffer.ErrFull) {
			full = true
			break
		} else {
			must(err)
		}
		s.ticks++
	}
	if s.ticks > published {
		s.refills++
	}
	if max(clock, next-1) >= grant.Renew {
		g.tenure.Want(g.wish(now))
	}
	return full
}

// reopen opens a shut ring that has something to give, and tells the waiting calls.
// g.mu is held.
func (g *Generator) reopen(now time.Time) {
	s := &g.state
	if g.closed() || s.discarded || !s.started {
		return
	}
	tail := g.ring.Tail()
	if at := g.ring.Tick(g.ring.Position()); at < tail {
		if g.floor.Load() == allStale {
			g.setFloor(g.floorAt(now, at))
		}
		g.ring.Open()
		if s.parked {
			s.parked = false
			g.kick()
		}
	}
	if tail != s.told {
		s.told = tail
		g.tenure.Tell()
	}
}

// limit returns the last tick that may be published now.
func (g *Generator) limit(now time.Time, grant *tenure.Grant) int64 {
	return min(g.leadLimit(now), grant.Until)
}

// leadLimit returns the last tick that MaxLead allows. It goes by the steady clock: a
// wall clock that is set back must not make a generator stand still until the time is
// reached again.
func (g *Generator) leadLimit(now time.Time) int64 {
	tick := max(g.layout.TickAt(g.steady(now)), 0)
	if tick > math.MaxInt64-g.lead {
		return math.MaxInt64
	}
	return tick + g.lead
}

// steady returns the wall clock as far as it goes forward, and the time that has
// passed since it last did, as far as it does not.
func (g *Generator) steady(now time.Time) time.Time {
	s := &g.state
	at := time.Since(g.born)
	// Without its monotonic reading, by which a wall clock that was set forward would
	// not be after one that was not.
	now = now.Round(0)
	if s.steady.IsZero() {
		s.steady, s.steadyAt = now, at
	}
	s.steady = s.steady.Add(at - s.steadyAt)
	s.steadyAt = at
	if now.After(s.steady) {
		s.steady = now
	}
	return s.steady
}

// wish returns the tick up to which the worker is asked to reserve: what the ring may
// need until it is full once more.
func (g *Generator) wish(now time.Time) int64 {
	ahead := int64(g.ring.Tail()) + 2*int64(g.ring.Slots())
	return min(max(ahead, g.layout.TickAt(now)), g.leadLimit(now), g.layout.MaxTick())
}

// runOf returns the first UID of a tick under the reserved worker ID.
func (g *Generator) runOf(tick int64, grant *tenure.Grant) uint64 {
	return uint64(tick)<<g.valBits | uint64(grant.WorkerID)<<g.seqBits
}

func (g *Generator) sequenceStart() uint64 {
	if !g.cfg.RandomStart || g.seqBits == 0 {
		return 0
	}
	return rand.Uint64N(1 << (g.seqBits - 1))
}

// skipTo counts the published ticks that are passed over, untouched, on the way to a
// tick. The ring is shut.
func (g *Generator) skipTo(tick int64) {
	pos := g.ring.Position()
	first, end := g.ring.Tick(pos), min(uint64(tick), g.ring.Tail())
	if !g.ring.Enters(pos) {
		first++
	}
	if g.state.started && first < end {
		g.state.skipped += end - first
	}
}

// patienceFrom returns how long it is from now to the tick at which the ring is to be
// looked at again. The boundary of a tick is waited for, not a whole number of
// units: just behind it the ring can be moved to a tick that has only begun.
func (g *Generator) patienceFrom(now time.Time) time.Duration {
	return g.until(g.layout.TickAt(now)+g.patience, now)
}

// untilNextTick returns how long it is until the steady clock enters another tick than
// the refill before went by. (By a later reading it might be in that tick already, and
// the calls that wait would miss it.)
func (g *Generator) untilNextTick() time.Duration {
	steady := g.state.steady
	return g.until(g.layout.TickAt(steady)+1, steady)
}

func (g *Generator) until(tick int64, now time.Time) time.Duration {
	return max(g.layout.TimeOf(tick).Sub(now), time.Nanosecond)
}

// kick wakes run.
func (g *Generator) kick() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// closed reports whether Close has begun. What is done with mu held after it returned
// false, is done before Close goes on.
func (g *Generator) closed() bool { return g.tenure.Grant().Ended != nil }

// must panics on an error that only a fault in this package can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
