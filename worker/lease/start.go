package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
)

// Acquire implements [uid.Worker]; New has its errors.
func (l *lessee) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	if err := l.bind(t); err != nil {
		return uid.Reservation{}, err
	}
	return l.started(ctx, l.retry(ctx, l.tryStart))
}

// bind ties the lessee to a generator, if it can serve one with these terms.
func (l *lessee) bind(t uid.Terms) error {
	if l.cfg.Window < t.Unit {
		return fmt.Errorf("%w: Window %v is shorter than the layout's tick, %v", uid.ErrConfig, l.cfg.Window, t.Unit)
	}
	if l.cfg.IDs.Last > t.MaxWorkerID {
		return fmt.Errorf("%w: the worker IDs %v are not within 0..%d, those of the layout",
			uid.ErrRange, l.cfg.IDs, t.MaxWorkerID)
	}
	if err := l.binding.Bind(t.Revoke); err != nil {
		return err
	}
	l.terms, l.inspected, l.resumed = t, false, false
	return nil
}

// tryStart makes one attempt to lease an ID. It makes a missing namespace, unless that must exist.
func (l *lessee) tryStart(ctx context.Context) error {
	if !l.inspected {
		if err := l.inspect(ctx); err != nil {
			return err
		}
		l.inspected = true
	}
	err := l.acquire(ctx)
	if l.cfg.MustExist || !errors.Is(err, worker.ErrNoNamespace) {
		return err
	}
	if err := found(ctx, l.store, l.terms, l.cfg.IDs, true, true); err != nil {
		return err
	}
	return l.acquire(ctx)
}

// started ends a start, which may have failed with err: it waits for the first reservation, or releases what a failed
// start has leased.
func (l *lessee) started(ctx context.Context, err error) (uid.Reservation, error) {
	defer l.publishHealth()
	if err == nil {
		err = l.awaitReservation(ctx)
	}
	if err != nil {
		err = l.failure("acquire", err)
		l.abandon(ctx)
		_ = l.binding.Unbind() // it was bound by this start
		return uid.Reservation{}, err
	}
	return l.reservation(), nil
}

// mostLosses is how many leases a start may lose before its first reservation.
const mostLosses = 3

// awaitReservation renews the lease whenever that is due, until the first tick is reserved. It replaces a lease that is
// lost meanwhile.
func (l *lessee) awaitReservation(ctx context.Context) error {
	renew := func(ctx context.Context) error { return l.renew(ctx, 0) }
	for losses := 0; l.lease.unreserved(); {
		if longest := l.longestWait(); l.lease.more > longest {
			return fmt.Errorf("%w: the ticks of worker ID %d are used or burnt up to %d, and more can be reserved "+
				"only in %v; a start waits for up to %v", uid.ErrNoReservation,
				l.lease.id, l.lease.before, l.lease.more.Round(time.Second), longest)
		}
		in, _ := l.due(l.lease, 0)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(max(in, time.Millisecond)):
		}
		err := l.retry(ctx, renew)
		if lost, is := errors.AsType[*lostError](err); is && losses < mostLosses {
			losses++
			l.lose(ctx, lost)
			err = l.retry(ctx, l.acquire)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// abandon releases what a failed start has leased.
func (l *lessee) abandon(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	var id int64
	var err error
	if l.lease != nil && !l.resumed {
		id, err = l.lease.id, l.release(ctx, -1)
	} else if l.pending != nil {
		limited, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		id, err = l.pending.id, l.releasePending(limited)
	}
	l.lease, l.pending = nil, nil
	if err != nil {
		l.cfg.Logger.WarnContext(ctx, "a failed start gives no worker ID back", "worker_id", id,
			"store", l.store.Name(), "for", l.blocked(), "error", err)
	}
}
