package tenure

import (
	"time"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/internal/ticks"
)

// Health returns the tenure's part of a generator's health at the time now: the reservation,
// the time field of its layout, renewals that fail, and the worker's own report. The caller
// holds no lock.
func (t *Tenure) Health(layout bits.Layout, expiry bits.Expiry, now time.Time) health.Health {
	t.sample()
	grant := t.Grant()
	h := health.Health{
		Time: now,
		Reservation: &health.Reservation{
			WorkerID: grant.WorkerID,
			Bounded:  grant.Until < layout.MaxTick(),
		},
		TimeField: &health.TimeField{
			Expires:   layout.Expires(),
			Remaining: health.Duration{Duration: ticks.Until(t.cfg.Terms, now, layout.MaxTick()+1)},
			Ending:    Warns(expiry, layout, now),
		},
		Worker: t.workerHealth(),
	}
	if grant.Until >= 0 {
		h.Reservation.Until = layout.TimeOf(grant.Until + 1)
	}
	l := t.lock()
	defer l.unlock()
	r := t.trouble
	h.Reservation.Remaining.Duration = l.left(now)
	h.Counts = map[string]uint64{telemetry.RenewalFailures: r.total}
	if r.err != nil {
		h.Failing = &health.Failing{Error: r.err.Error(), Since: r.since, Attempts: r.attempts}
	}
	return h
}
