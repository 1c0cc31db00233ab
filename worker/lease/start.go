package lease

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker"
)

// start takes up the lease of the state file, or acquires one, and waits for its first
// reservation.
func (l *Lease) start(ctx context.Context) error {
	if l.cfg.StateFile != "" {
		if err := l.resume(ctx); err != nil {
			return err
		}
	}
	if l.hold != nil {
		return l.settle(ctx)
	}
	if l.file != nil {
		// An ID that cannot be saved would be lost, so write the file once before.
		if err := l.forget(); err != nil {
			return err
		}
	}
	inspected := false
	err := retry.Do(ctx, l.cfg.Timeout, l.cfg.Logger, func(ctx context.Context) error {
		if !inspected {
			if err := l.inspect(ctx); err != nil {
				return err
			}
			inspected = true
		}
		return l.first(ctx)
	})
	if err != nil {
		return err
	}
	return l.settle(ctx)
}

// settle has the state file note the lease, if there is one, and waits for the first reservation.
func (l *Lease) settle(ctx context.Context) error {
	waits := l.hold.unreserved() && !l.cfg.DurableStore && !l.cfg.NoWait
	if l.file != nil {
		if err := l.note(l.hold.base + 1); err != nil || !waits {
			return err
		}
	}
	if !waits {
		return nil
	}
	if err := l.awaitTicks(ctx); err != nil || l.file == nil {
		return err
	}
	return l.note(l.hold.base + 1)
}

// awaitTicks waits for the first reservation. It replaces a lease that is lost meanwhile.
func (l *Lease) awaitTicks(ctx context.Context) error {
	longest := l.patience()
	for losses := 0; l.hold.unreserved(); {
		if l.hold.wait > longest {
			return fmt.Errorf("%w: the ticks of worker ID %d are used or burnt up to %d, and more can be reserved only in %v; a start waits for up to %v", uid.ErrNoReservation,
				l.hold.id, l.hold.base, l.hold.wait.Round(time.Second), longest)
		}
		// The wait may be longer than the lease, if another owner's Window is long.
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
func (l *Lease) patience() time.Duration {
	return l.cfg.MaxClockSkew + 2*l.terms.Unit + l.cfg.Timeout
}

// mostLosses is how many leases a start may lose before its first reservation.
const mostLosses = 3

// inspect refuses a store that cannot hold the rows, and with DurableStore one that is
// visibly not durable.
func (l *Lease) inspect(ctx context.Context) error {
	lossy, err := l.store.Inspect(ctx)
	if err != nil {
		return err
	}
	if len(lossy) > 0 && l.cfg.DurableStore && !l.cfg.DurableStoreUnverified {
		return fmt.Errorf("%w: DurableStore is set, or is what the store promises, but the store can lose what it has acknowledged: %s; LossyStore makes up for that, DurableStoreUnverified takes the promise at its word",
			uid.ErrConfig, strings.Join(lossy, "; "))
	}
	return nil
}

// first is one attempt of a start to lease an ID. Without DurableStore it makes a missing
// namespace, which then rests.
func (l *Lease) first(ctx context.Context) error {
	err := l.acquire(ctx)
	if l.cfg.DurableStore || !errors.Is(err, worker.ErrNoNamespace) {
		return err
	}
	rest := max(shortestRest, l.cfg.TTL, l.cfg.Quarantine)
	if err := Found(ctx, l.store, Founding{Terms: l.terms, Rest: rest, IDs: l.cfg.IDs}); err != nil {
		return err
	}
	l.cfg.Logger.WarnContext(ctx, "the namespace of the leases was not there and has been made; no worker ID is leased in it for a while",
		"store", l.store.Name(), "rest", rest)
	return l.acquire(ctx)
}

// abandon gives up what a failed start has acquired. If the state file may have the lease, High
// stays as it is: a start without the store could still use it up. On a store that can lose writes
// the lease stays, too. Another owner could get the ID as soon as the release is stored; if that
// was lost later, the file would have a lease again.
func (l *Lease) abandon(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	if h := l.hold; h != nil && !h.resumed && (l.file == nil || l.cfg.DurableStore) {
		last := int64(-1)
		if l.file != nil {
			last = h.limit
		}
		_ = l.release(ctx, last)
	} else if l.doubt != nil {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_ = l.giveBack(ctx)
	}
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
	l.hold, l.doubt = nil, nil
}
