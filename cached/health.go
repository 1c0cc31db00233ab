package cached

import (
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/internal/tenure"
)

var _ health.Reporter = (*Generator)(nil)

// counters count what happens off the hot path, without its lock.
type counters struct {
	lost          atomic.Uint64 // claimed positions that were not issued
	rejectedTakes atomic.Uint64
	rejectedPuts  atomic.Uint64
}

// Health says whether the generator is ready, why not, and what it has counted: see [health.Reporter].
func (g *Generator) Health() health.Health {
	h := g.tenure.Health(g.layout, g.cfg.Expiry, g.now())
	h.Generator = "cached"
	ended := g.fillHealth(&h)
	telemetry.Judge(&h, ended)
	return h
}

// fillHealth adds what the ring knows to h. It returns why nothing will ever be issued again, nil
// if something may.
func (g *Generator) fillHealth(h *health.Health) (ended error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, grant := g.now(), g.tenure.Grant()
	if grant.Ended == nil && !g.state.discarded {
		h.Buffered = int64(g.ring.Buffered())
	}
	h.Waiting = int64(g.queue.Waiting())
	h.Ring = g.ringHealth()
	h.Lead = g.leadHealth(now)
	h.Lead.Reach = h.Lead.Bound
	reserved := h.Reservation.Until.Sub(now)
	if h.Reservation.Bounded && (h.Lead.Unbounded || reserved < h.Lead.Bound.Duration) {
		h.Lead.Reach.Duration = max(reserved, 0)
	}
	g.addCounts(h.Counts)
	if grant.Ended != nil || h.Buffered > 0 && !g.allStale(now) {
		return grant.Ended
	}
	// The next call refills the ring, if it may.
	switch next := g.nextTick(now, grant); {
	case next > g.layout.MaxTick():
		return tenure.Exhausted(g.layout)
	case next > grant.Until:
		h.Reservation.UsedUp = true
	case next > g.leadLimit(now):
		h.Lead.Wait.Duration = g.untilLead(next, now)
	}
	return nil
}

// addCounts adds what the generator counts. g.mu is held.
func (g *Generator) addCounts(to map[string]uint64) {
	s, lost, claimed := &g.state, g.counts.lost.Load(), g.ring.Claimed()
	to[telemetry.Lost] = lost
	to[telemetry.Issued] = claimed - min(lost+uint64(len(g.queue.ahead)), claimed)
	to[telemetry.Ticks], to[telemetry.StaleTicks], to[telemetry.Refills] = s.ticks, s.skipped, s.refills
	to[telemetry.RejectedTakes] = g.counts.rejectedTakes.Load()
	to[telemetry.RejectedPuts] = g.counts.rejectedPuts.Load()
	to[telemetry.HandlerPanics] = g.handlers.Panics()
}

// ringHealth is what the ring holds. g.mu is held.
func (g *Generator) ringHealth() *health.Ring {
	s := &health.Ring{
		Slots: int64(g.ring.Runs()), PerTick: 1 << g.seqBits, Tail: int64(g.ring.Tail()),
		Usable: g.state.started && !g.state.discarded && !g.closed(),
	}
	s.Cursor = s.Tail
	// Calls that wait have claimed positions beyond the tail.
	if pos := g.ring.Position(); g.ring.Tick(pos) < g.ring.Tail() {
		s.Cursor, s.Used = int64(g.ring.Tick(pos)), s.PerTick-int64(g.ring.Left(pos))
	}
	return s
}

// leadHealth is how what was issued stands to the clock. g.mu is held.
func (g *Generator) leadHealth(now time.Time) *health.Lead {
	l := &health.Lead{Unbounded: g.cfg.MaxLead == Unbounded}
	l.Tick.Duration, l.LagBound.Duration = g.unit, time.Duration(g.lag)*g.unit
	if !l.Unbounded {
		l.Bound.Duration = time.Duration(g.lead) * g.unit
	}
	if g.ring.Claimed() > 0 {
		ahead := time.Duration(g.newest()-g.tickAt(now)) * g.unit
		l.Now.Duration, l.Lag.Duration = max(ahead, 0), max(-ahead, 0)
	}
	return l
}

// drawn returns the newest tick from which a UID was issued, or -1.
func (g *Generator) drawn() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.newest()
}

// allStale reports whether the clock has left behind everything in the ring. g.mu is held.
func (g *Generator) allStale(now time.Time) bool {
	at, clock := int64(g.ring.Tick(g.ring.Position())), g.tickAt(now)
	return at+g.lag < clock && clock >= int64(g.ring.Tail())
}

// nextTick is the tick that a call needs when the ring has none. g.mu is held.
func (g *Generator) nextTick(now time.Time, grant *tenure.Grant) int64 {
	return max(int64(g.ring.Tail()), g.tickAt(now), grant.First)
}

// untilLead is how long it takes until MaxLead allows a tick. g.mu is held.
func (g *Generator) untilLead(tick int64, now time.Time) time.Duration {
	return max(g.layout.TimeOf(tick-g.lead).Sub(g.steady(now)), 0)
}
