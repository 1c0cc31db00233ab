package cached

import (
	"time"

	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/count"
	"github.com/uidgen/uid/internal/tenure"
)

var _ health.Reporter = (*Generator)(nil)

// Health says whether the generator is ready, why not, and how long the things last that it
// depends on. It reads the clock and takes a lock, which calls that find a UID in the ring do not
// take: it costs them nothing.
func (g *Generator) Health() health.Health {
	h := g.tenure.Health(g.layout, g.cfg.Expiry, g.now())
	h.Generator = "cached"
	ended := g.fillHealth(&h)
	h.Judge(ended)
	return h
}

// fillHealth adds what the ring knows to h. It returns why nothing will ever be issued again, nil
// if something may.
func (g *Generator) fillHealth(h *health.Health) (ended error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, grant := g.now(), g.tenure.Grant()
	st := g.stats(now, grant)
	h.Buffered = int64(st.Buffered)
	h.Lead = g.leadHealth(st)
	h.Lead.Reach = h.Lead.Bound
	if reserved := h.Reservation.Until.Sub(now); h.Reservation.Bounded && (h.Lead.Unbounded || reserved < h.Lead.Bound.Duration) {
		h.Lead.Reach.Duration = max(reserved, 0)
	}
	for name, n := range map[string]uint64{
		count.Issued: st.Issued, count.Lost: st.Lost,
		count.Ticks: st.Ticks, count.StaleTicks: st.StaleTicks, count.Refills: st.Refills,
		count.RejectedTakes: st.RejectedTakes, count.RejectedPuts: st.RejectedPuts,
		count.HandlerPanics: st.HandlerPanics,
	} {
		h.Counts[name] = n
	}
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

func (g *Generator) leadHealth(st Stats) *health.Lead {
	l := &health.Lead{Unbounded: g.cfg.MaxLead == Unbounded}
	l.Now.Duration, l.Lag.Duration, l.Tick.Duration = st.Lead, st.Lag, g.unit
	if !l.Unbounded {
		l.Bound.Duration = time.Duration(g.lead) * g.unit
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
