package cached

import (
	"time"

	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/internal/tenure"
	"github.com/uidgen/uid/internal/ticks"
)

var _ health.Reporter = (*Generator)(nil)

// Health says how the generator stands: see [health.Reporter].
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
	l := g.lock()
	defer g.mu.Unlock()
	now, grant := l.now(), l.tenure.Grant()
	if grant.Ended == nil && !l.discarded {
		h.Buffered = int64(l.producer.Buffered())
	}
	h.Waiting = int64(l.queue.Waiting())
	h.Ring = l.ringHealth()
	h.Lead = l.leadHealth(now)
	h.Lead.Reach = h.Lead.Bound
	reserved := h.Reservation.Until.Sub(now) - g.unit // until its last tick begins
	if h.Reservation.Bounded && (h.Lead.Unbounded || reserved < h.Lead.Bound.Duration) {
		h.Lead.Reach.Duration = max(reserved, 0)
	}
	l.addCounts(h.Counts)
	if grant.Ended != nil || h.Buffered > 0 && !l.leftBehind(now) {
		return grant.Ended
	}
	// The next call refills the ring, if it may.
	switch next := l.nextTick(now, grant); {
	case next > l.layout.MaxTick():
		return tenure.Exhausted(l.layout)
	case next > grant.Until:
		h.Reservation.UsedUp = true
	case next > l.leadLimit(now):
		h.Lead.Wait.Duration = l.untilLead(next, now)
	}
	return nil
}

// addCounts adds what the generator counts.
func (l *locked) addCounts(to map[string]uint64) {
	lost, claimed := l.counts.lost.Load(), l.producer.Claimed()
	to[telemetry.Lost] = lost
	to[telemetry.Issued] = claimed - min(lost+uint64(len(l.queue.ahead)), claimed)
	to[telemetry.Ticks], to[telemetry.StaleTicks], to[telemetry.Refills] = l.ticks, l.skipped, l.refills
	to[telemetry.RejectedTakes] = l.counts.rejectedTakes.Load()
	to[telemetry.RejectedPuts] = l.counts.rejectedPuts.Load()
	to[telemetry.HandlerPanics] = l.handlers.Panics()
}

// ringHealth is what the ring holds.
func (l *locked) ringHealth() *health.Ring {
	s := &health.Ring{
		Slots: int64(l.ring.Runs()), PerTick: 1 << l.seqBits, Tail: int64(l.ring.Tail()),
		Usable: l.usable() && !l.closed(),
	}
	s.Cursor = s.Tail
	// Calls that wait have claimed positions beyond the tail.
	if pos := l.producer.Position(); l.ring.Tick(pos) < l.ring.Tail() {
		s.Cursor, s.Used = int64(l.ring.Tick(pos)), s.PerTick-int64(l.ring.Left(pos))
	}
	return s
}

// leadHealth is how what was issued stands to the clock.
func (l *locked) leadHealth(now time.Time) *health.Lead {
	h := &health.Lead{Unbounded: l.cfg.MaxLead == Unbounded}
	h.Tick.Duration, h.LagBound.Duration = l.unit, time.Duration(l.lag)*l.unit
	if !h.Unbounded {
		h.Bound.Duration = time.Duration(l.lead) * l.unit
	}
	if l.producer.Claimed() > 0 {
		ahead := l.newest() - l.tickAt(now)
		h.Now.Duration, h.Lag.Duration = ticks.Span(max(ahead, 0), l.unit), ticks.Span(max(-ahead, 0), l.unit)
	}
	return h
}

// leftBehind reports whether the clock has left behind everything in the ring.
func (l *locked) leftBehind(now time.Time) bool {
	at, clock := int64(l.ring.Tick(l.producer.Position())), l.tickAt(now)
	return at+l.lag < clock && clock >= int64(l.ring.Tail())
}
