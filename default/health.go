package uncached

import (
	"time"

	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/internal/tenure"
)

var _ health.Reporter = (*Generator)(nil)

// Health says how the generator stands: see [health.Reporter].
func (g *Generator) Health() health.Health {
	now := g.now()
	h := g.tenure.Health(g.layout, g.cfg.Expiry, now)
	h.Generator = "uncached"
	h.Waiting = g.queue.waiting.Load()
	h.Counts[telemetry.ClockBehind] = g.counts.behind.Load()
	h.Counts[telemetry.SequenceWaits] = g.counts.usedUp.Load()
	gr, clock, newest := g.tenure.Grant(), g.tickAt(now), g.newest()
	h.Lead = &health.Lead{Tick: health.Duration{Duration: g.unit}}
	if newest > clock {
		h.Lead.Now.Duration = g.layout.TimeOf(newest).Sub(g.layout.TimeOf(clock))
	}
	telemetry.Judge(&h, g.fillHealth(&h, now, clock, max(newest, gr.First)))
	return h
}

// fillHealth adds to h whether the clock and the reservation allow a UID now. newest is the newest
// tick used, or the first that may be. It returns why nothing will ever be issued again, nil if
// something may.
func (g *Generator) fillHealth(h *health.Health, now time.Time, clock, newest int64) (ended error) {
	gr, next := g.tenure.Grant(), clock
	if clock < newest {
		next = max(clock, gr.First, g.oldest(clock, newest))
	}
	switch {
	case gr.Ended != nil:
		return gr.Ended
	case next > g.layout.MaxTick():
		return tenure.Exhausted(g.layout)
	case next > gr.Until:
		h.Reservation.UsedUp = true
	case next > clock && g.cfg.ClockBack.kind != kindLogical:
		h.Lead.Wait.Duration = g.layout.TimeOf(next).Sub(now)
	}
	return nil
}

// oldest is the first tick from the clock's on for which the policy makes UIDs, once newest is used.
func (g *Generator) oldest(clock, newest int64) int64 {
	switch g.cfg.ClockBack.kind {
	case kindRemember:
		if g.marks[clock&g.markMask].Load()>>g.tickShift <= clock {
			return clock
		}
		return newest - g.markMask // at the latest
	case kindRollback:
		g.mu.Lock()
		defer g.mu.Unlock()
		next := (g.rollback() + g.seqMask + 1) & g.rollbackMask
		return g.used[next/(g.seqMask+1)] + 1
	}
	return newest
}
