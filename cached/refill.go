package cached

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"github.com/uidgen/uid/internal/tenure"
	"github.com/uidgen/uid/ringbuffer"
)

// refill brings the ring up to the clock, fills it with all ticks that may be issued and
// for which it has room, serves the calls that wait, and opens the ring if it holds UIDs
// then. It returns the tick that the clock has reached and for which there was no room, or
// -1. It does nothing after Close. g.mu is held.
func (g *Generator) refill(now time.Time) (rejected int64) {
	grant := g.tenure.Grant()
	if grant.Ended != nil {
		return -1
	}
	s := &g.state
	if ahead := min(grant.First-g.tickAt(g.steady(now)), g.follows); ahead > g.lead {
		g.lead = ahead
	}
	published := s.ticks
	rejected = g.publish(now, grant)
	if s.started && !s.discarded {
		g.freshen(now)
		for waiting := g.queue.Waiting(); waiting > 0; waiting = g.queue.Waiting() {
			g.counts.lost.Add(g.queue.serve(&g.ring))
			if g.queue.Waiting() == waiting {
				break
			}
			// They may have made room for more.
			rejected = g.put(int64(g.ring.Tail()), g.limit(now, grant), g.tickAt(now), grant.WorkerID)
		}
		g.open()
	}
	if s.ticks > published {
		s.refills++
	}
	if max(g.tickAt(now), int64(g.ring.Tail())-1) >= grant.Renew {
		g.tenure.Want(g.wish(now))
	}
	return rejected
}

// publish puts ticks into the ring, and shuts the ring where it has to move.
func (g *Generator) publish(now time.Time, grant *tenure.Grant) (rejected int64) {
	s := &g.state
	clock := max(g.tickAt(now), 0)
	limit := g.limit(now, grant)

	// The ring holds consecutive ticks. If the next one is not the tail, because the
	// clock or the reservation is beyond it or the ring was discarded, the ring starts
	// anew there.
	tail := int64(g.ring.Tail())
	at := int64(min(g.ring.Tick(g.ring.Position()), math.MaxInt64)) // claims go on beyond 63 bits
	next := max(tail, clock, grant.First)
	usable := s.started && !s.discarded
	stale := usable && at+g.lag < clock && clock >= tail // everything in the ring
	switch {
	case next <= limit && (next > tail || !usable || stale):
		g.ring.Shut()
		g.skipTo(next)
		must(g.ring.Restart(uint64(next), uint64(grant.WorkerID), g.sequenceStart()))
		s.started, s.discarded = true, false
		s.ticks++
		next++
	case usable && at < clock && clock < tail:
		// Ticks before the clock's own are stale.
		g.ring.Shut()
		g.skipTo(clock)
		must(g.ring.Skip(uint64(clock), g.sequenceStart()))
	case stale:
		// Nothing may replace it.
		g.ring.Shut()
		g.setFloor(allStale)
		s.discarded = true
	}
	return g.put(next, limit, clock, grant.WorkerID)
}

// put puts ticks from next to limit into the ring, as many as find room. It returns
// the first that found none, if the clock has reached it, or -1.
func (g *Generator) put(next, limit, clock, worker int64) (rejected int64) {
	for next <= limit {
		err := g.ring.Put(uint64(next), uint64(worker))
		if errors.Is(err, ringbuffer.ErrFull) {
			if next <= clock { // ticks beyond the clock are only stock
				return next
			}
			break
		}
		must(err)
		g.state.ticks++
		next++
	}
	return -1
}

// freshen lets Lanes keep what they are about to claim, if they may keep nothing so far.
func (g *Generator) freshen(now time.Time) {
	at := g.ring.Tick(g.ring.Position())
	if at < g.ring.Tail() && g.floor.Load() == allStale {
		g.setFloor(g.floorAt(now, at))
	}
}

// open opens a shut ring that holds more UIDs than the calls that wait were served.
func (g *Generator) open() {
	s := &g.state
	if g.ring.Tick(g.ring.Position()) >= g.ring.Tail() {
		return
	}
	g.ring.Open()
	if s.parked {
		s.parked = false
		g.kick()
	}
}

// limit returns the last tick that may be published now.
func (g *Generator) limit(now time.Time, grant *tenure.Grant) int64 {
	return min(g.leadLimit(now), grant.Until)
}

// wish returns the tick up to which to ask the worker to reserve: what the ring may need
// to be full once more.
func (g *Generator) wish(now time.Time) int64 {
	ahead := int64(g.ring.Tail()) + 2*int64(g.ring.Runs())
	return min(max(ahead, g.tickAt(now)), g.leadLimit(now), g.layout.MaxTick())
}

func (g *Generator) sequenceStart() uint64 {
	if !g.cfg.RandomStart || g.seqBits == 0 {
		return 0
	}
	return rand.Uint64N(1 << (g.seqBits - 1))
}

// skipTo counts the published ticks that are skipped, untouched, on the way to tick. The
// ring is shut.
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

// closed reports whether Close has begun. If it returns false with mu held, Close goes on
// only after mu is released.
func (g *Generator) closed() bool { return g.tenure.Grant().Ended != nil }

// must panics on an error that only a bug in this package can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
