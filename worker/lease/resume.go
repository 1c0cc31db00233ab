package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/ticks"
)

// Held returns the owner's lease; Used is the last tick before its first one. Only the generator calls it, as it does
// the methods of [uid.Worker]. held is false without a lease, and once it was invalidated.
func (l *lessee) Held() (h storage.Held, held bool) {
	if l.lease == nil || l.binding.Invalid() {
		return storage.Held{}, false
	}
	return storage.Held{WorkerID: l.lease.id, Nonce: nonce(l.lease.owner, l.lease.acked),
		Before: l.lease.before, Reserved: l.lease.reserved}, true
}

// Store returns the store that was given to New.
func (l *lessee) Store() Store { return l.store }

// resumeTimeout bounds how long a start tries to reach the store before it goes on with the lease that it has.
const resumeTimeout = 5 * time.Second

// Resume is Acquire for a lease that the owner's state file has: it renews the lease, and goes on above h.Before. If
// the store cannot be reached within 5 s it goes on with the ticks up to h.Reserved. If the lease is lost it leases
// another ID. Its errors are Acquire's, and [uid.ErrNoReservation] when the store is away and nothing is left.
func (l *lessee) Resume(ctx context.Context, t uid.Terms, h storage.Held) (uid.Reservation, error) {
	owner, number := writer(h.Nonce)
	if owner == "" || h.WorkerID < 0 || h.WorkerID > t.MaxWorkerID || h.Before < -1 {
		return uid.Reservation{}, fmt.Errorf("%w: worker ID %d, nonce %.40q and tick %d are no lease "+
			"of a layout with IDs up to %d", uid.ErrRange, h.WorkerID, h.Nonce, h.Before, t.MaxWorkerID)
	}
	if l.cfg.IDs != (Range{}) && !l.cfg.IDs.Has(h.WorkerID) {
		return uid.Reservation{}, fmt.Errorf("%w: worker ID %d is not one of the IDs %v that are asked for",
			uid.ErrRange, h.WorkerID, l.cfg.IDs)
	}
	if err := l.bind(t); err != nil {
		return uid.Reservation{}, err
	}
	l.resumed = true
	l.lease = &lease{id: h.WorkerID, owner: owner, acked: number, sent: number, resumed: true,
		before: max(h.Before, t.MinTick-1), reserved: h.Reserved, at: l.clock()}
	if err := l.checkFloor(storage.Clock{Now: l.now()}); err != nil {
		return l.started(ctx, err)
	}
	return l.started(ctx, l.resume(ctx))
}

// resume renews the lease, or goes on without the store, or leases another ID.
func (l *lessee) resume(ctx context.Context) error {
	held := l.lease
	err := retry.Do(ctx, retry.AtMost(l.cfg.Timeout, resumeTimeout), l.cfg.Logger, func(ctx context.Context) error {
		if err := l.inspect(ctx); err != nil {
			return err
		}
		return l.renew(ctx, 0)
	})
	if lost, is := errors.AsType[*lostError](err); is {
		l.lose(ctx, lost)
		return l.retry(ctx, l.tryStart)
	}
	if err == nil || ctx.Err() != nil || !retry.IsTransient(err) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	next := max(held.before+1, l.terms.TickAt(l.now()))
	if held.reserved < next {
		return fmt.Errorf("%w: the ticks of worker ID %d are reserved up to %d, the next one is %d: %w",
			uid.ErrNoReservation, held.id, held.reserved, next, err)
	}
	held.clock = storage.Clock{Now: l.now()}
	l.schedule(held)
	l.cfg.Logger.WarnContext(ctx, "the store cannot be reached, starting on what was reserved before",
		"worker_id", held.id, "store", l.store.Name(),
		"left", ticks.Span(held.reserved-next+1, l.terms.Unit), "error", err)
	return nil
}

// Leave ends the binding to the generator, and leaves the lease as it is, for a Resume. Other owners get the ID after
// the TTL and the quarantine.
func (l *lessee) Leave() error {
	l.lease, l.pending = nil, nil
	l.publishHealth()
	return l.binding.Unbind()
}
