package tenure

import (
	"time"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/internal/ticks"
)

// Health returns what the tenure knows of a generator's health at the time now: the reservation,
// the time field of its layout, renewals that fail, and what the worker tells of itself. The caller
// holds no lock.
func (t *Tenure) Health(l bits.Layout, expiry bits.Expiry, now time.Time) health.Health {
	t.mark()
	grant := t.Grant()
	h := health.Health{
		Time: now,
		Reservation: &health.Reservation{
			WorkerID: grant.WorkerID,
			Bounded:  grant.Until < l.MaxTick(),
		},
		TimeField: &health.TimeField{
			Expires:   l.Expires(),
			Remaining: health.Duration{Duration: ticks.Until(t.cfg.Terms, now, l.MaxTick()+1)},
			Ending:    Warns(expiry, l, now),
		},
		Worker: t.workerHealth(),
	}
	if grant.Until >= 0 {
		h.Reservation.Until = l.TimeOf(grant.Until + 1)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	h.Reservation.Remaining.Duration = t.leftLocked(now)
	h.Counts = map[string]uint64{telemetry.RenewalFailures: t.trouble.total}
	if t.refused != nil {
		h.Failing = &health.Failing{Error: t.refused.Error(), Since: t.trouble.since, Attempts: t.trouble.attempts}
	}
	return h
}

// workerHealth is what the worker tells of itself; nil for nothing.
func (t *Tenure) workerHealth() *health.Worker {
	r, ok := t.worker.(health.WorkerReporter)
	if !ok {
		return nil
	}
	w := r.WorkerHealth()
	return &w
}
