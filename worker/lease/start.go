package lease

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker"
)

// inspect refuses a store that cannot hold the rows, and one that is visibly not as durable as
// it is said to be.
func (l *lease) inspect(ctx context.Context) error {
	lossy, err := l.store.Inspect(ctx)
	if err != nil {
		return err
	}
	if len(lossy) > 0 && l.never && l.cfg.Losses != NeverUnchecked {
		return fmt.Errorf("%w: the store is said to lose nothing, by Losses or by its kind, but it can lose what "+
			"it has acknowledged: %s; Anytime makes up for that, NeverUnchecked takes its word",
			uid.ErrConfig, strings.Join(lossy, "; "))
	}
	return nil
}

// first is one attempt of a start to lease an ID. It makes a missing namespace, unless that must exist.
func (l *lease) first(ctx context.Context) error {
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
	l.missing = true
	return l.acquire(ctx)
}

// awaitTicks waits for the first reservation. It replaces a lease that is lost meanwhile.
func (l *lease) awaitTicks(ctx context.Context) error {
	longest := l.patience()
	for losses := 0; l.hold.unreserved(); {
		if l.hold.wait > longest {
			return fmt.Errorf("%w: the ticks of worker ID %d are used or burnt up to %d, and more can be reserved "+
				"only in %v; a start waits for up to %v", uid.ErrNoReservation,
				l.hold.id, l.hold.base, l.hold.wait.Round(time.Second), longest)
		}
		// The wait may be longer than the lease, if ticks are long.
		next := min(l.hold.wait, l.cfg.Window/2) - l.clock().Sub(l.hold.at)
		pause := time.NewTimer(max(next, time.Millisecond))
		select {
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		case <-pause.C:
		}
		err := retry.Do(ctx, l.cfg.Timeout, l.cfg.Logger, func(ctx context.Context) error { return l.extend(ctx, 0) })
		if lost, is := errors.AsType[*lostError](err); is && losses < mostLosses {
			losses++
			l.lost(ctx, lost)
			err = retry.Do(ctx, l.cfg.Timeout, l.cfg.Logger, l.acquire)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// patience is how long a start waits for its first reservation.
func (l *lease) patience() time.Duration {
	return l.cfg.MaxClockSkew + 2*l.terms.Unit + cmp.Or(l.cfg.Timeout, retry.DefaultTimeout)
}

// mostLosses is how many leases a start may lose before its first reservation.
const mostLosses = 3

// abandon gives up what a failed start has acquired.
func (l *lease) abandon(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	var id int64
	var err error
	if l.hold != nil && !l.resumed {
		id, err = l.hold.id, l.release(ctx, -1)
	} else if l.pending != nil {
		limited, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		id, err = l.pending.id, l.giveBack(limited)
	}
	l.hold, l.pending = nil, nil
	if err != nil {
		l.cfg.Logger.WarnContext(ctx, "a failed start gives no worker ID back", "worker_id", id,
			"store", l.store.Name(), "for", l.blocked(), "error", err)
	}
}
