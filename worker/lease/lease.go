package lease

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/workerid"
)

// A lease is the worker that [New] returns.
type lease struct {
	cfg     Config
	store   Store
	never   bool                // the store never loses a write
	now     func() time.Time    // the clock that is compared with the store's
	holder  string              // what rows say of this process
	clock   func() time.Time    // monotonic, for the time between two calls
	chance  func(n int64) int64 // a number below n, at random
	binding *workerid.Binding
	health  atomic.Pointer[health.Worker] // for WorkerHealth; nil before the first call

	// Only the generator's calls use what follows, one at a time.
	terms     uid.Terms
	inspected bool     // the store was, since it was bound
	missing   bool     // so was the namespace
	resumed   bool     // the hold was, and is not this binding's to release
	hold      *hold    // nil when the lease was lost
	pending   *pending // an acquisition whose outcome is unknown; nil for none
	low       bool     // Low was reported, and nothing was reserved since
	back      bool     // the store went back, and no write is acknowledged that says so
}

// New returns a [uid.Worker] that leases a worker ID from a [Store]. No tick of an ID is issued twice: not when an
// owner was paused, cut off or declared dead, and comes back; not when clocks go back; nor after a failover that lost
// writes, if the store's history shows it and the servers' clocks differ by no more than MaxClockSkew. docs/promise.md
// has every case.
//
// When the worker loses a lease it acquires another ID for the generator. While the store is away a generator draws
// from what is reserved; then its calls fail with [uid.ErrNoReservation].
//
// The worker serves one generator at a time, and is a [health.WorkerReporter]. New returns [uid.ErrConfig] or
// [uid.ErrRange] when a setting cannot be used. Only Acquire touches the store.
//
// # When no generator can be made
//
// Acquire leases the ID that has been free the longest, or one that was never used if none is free. If ticks had to be
// burnt it waits for MaxClockSkew and a tick, or twice the error of a store's clock if that is longer.
//
// It retries failures that may pass until the Timeout or the end of ctx, and fails at once with
//   - [uid.ErrWorkerInUse] while another generator is bound to the worker;
//   - [uid.ErrNoWorkerID] when all IDs of the layout and the namespace are leased or in quarantine (see TTL of
//     [Config]), or lack their rows, which it names;
//   - [uid.ErrRange] when the layout lacks some of Config.IDs, the namespace has others or none of the layout's, or the
//     generator's floor is too far ahead of the store's clock;
//   - [uid.ErrConfig] when Window is shorter than a tick, or the store cannot hold the rows or is visibly less durable
//     than said;
//   - [worker.ErrNoNamespace] when the namespace is missing and Config.MustExist is set;
//   - [worker.ErrLayout] when the namespace has another layout;
//   - [worker.ErrClock] when the store's clock is more than MaxClockSkew away from this process's, before the layout's
//     epoch, or too far behind the ticks that were used;
//   - [uid.ErrExhausted] when the ID's last tick is used or burnt;
//   - [uid.ErrNoReservation] when nothing can be reserved for a long time;
//   - the store's own error on all else.
func New(store Store, cfg Config) (uid.Worker, error) {
	if store == nil {
		return nil, fmt.Errorf("%w: no store of leases", uid.ErrConfig)
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &lease{cfg: cfg, store: store, never: cfg.never(store), now: cfg.Now, holder: holder(), clock: time.Now,
		chance: rand.Int64N, binding: workerid.NewBinding("the lease in " + store.Name())}, nil
}

// Acquire implements [uid.Worker]; New has its errors.
func (l *lease) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	if err := l.bind(t); err != nil {
		return uid.Reservation{}, err
	}
	return l.started(ctx, retry.Do(ctx, l.cfg.Timeout, l.cfg.Logger, l.first))
}

// bind ties the lease to a generator, if it can serve one with these terms.
func (l *lease) bind(t uid.Terms) error {
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
	l.terms, l.inspected, l.missing, l.resumed = t, false, false, false
	return nil
}

// started ends a start: it waits for the first reservation, or gives up what a failed start has.
func (l *lease) started(ctx context.Context, err error) (uid.Reservation, error) {
	defer l.tell()
	if err == nil {
		err = l.awaitTicks(ctx)
	}
	if err != nil {
		err = l.failure("acquire", err)
		l.abandon(ctx)
		_ = l.binding.Unbind() // it was bound by this start
		return uid.Reservation{}, err
	}
	return l.reservation(), nil
}

// Extend renews the lease and the reservation if that is due, or if ticks up to through can be
// reserved and are not yet; else it returns the reservation as it stands. When the lease is lost
// it acquires another ID, which may have no reserved ticks at first.
//
// It fails when the store cannot be reached or the clocks differ by more than is believed, and with
// [worker.ErrNoNamespace] when the namespace is missing; what was reserved before stays reserved. It
// returns [uid.ErrNoReservation] when no generator is bound to l.
func (l *lease) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	if err := l.binding.Check(); err != nil {
		return uid.Reservation{}, err
	}
	defer l.tell()
	l.dropInvalid(ctx)
	if l.hold != nil && l.due(through) {
		err := l.extend(ctx, through)
		if lost, is := errors.AsType[*lostError](err); is {
			l.lost(ctx, lost)
		} else if err != nil {
			l.warn(ctx, err)
			return uid.Reservation{}, l.failure("extend", err)
		}
	}
	if l.hold == nil {
		if err := l.acquire(ctx); err != nil {
			return uid.Reservation{}, l.failure("acquire", err)
		}
	}
	return l.reservation(), nil
}

// Release ends the lease and lowers High to last. It returns an error when the store cannot be
// told within 5 s; the lease then ends by itself, after the TTL.
func (l *lease) Release(ctx context.Context, last int64) error {
	if err := l.binding.Check(); err != nil {
		return err
	}
	defer func() { _ = l.binding.Unbind() }()
	defer l.tell()
	l.dropInvalid(ctx)
	var err error
	if l.hold != nil {
		err = l.release(ctx, last)
	}
	if l.pending != nil { // then there is no hold
		err = retry.Do(ctx, retry.AtMost(l.cfg.Timeout, releaseTimeout), l.cfg.Logger, l.giveBack)
	}
	if err != nil {
		err = l.failure("release", fmt.Errorf("%w; nobody else gets the ID for up to %v", err, l.blocked()))
	}
	l.hold, l.pending = nil, nil
	return err
}

// Invalidate is what [worker.Invalidate] asks of a worker. The old lease ends by itself.
func (l *lease) Invalidate() error {
	l.binding.Invalidate()
	return nil
}

// dropInvalid gives up what may be another copy's of the process since Invalidate.
func (l *lease) dropInvalid(ctx context.Context) {
	switch {
	case !l.binding.Invalid():
	case l.hold != nil:
		l.lost(ctx, errInvalidated)
	default:
		l.pending = nil
		l.binding.Renew()
	}
}

func (l *lease) reservation() uid.Reservation {
	h := l.hold
	return uid.Reservation{WorkerID: h.id, First: h.base + 1, Last: h.limit, Renew: h.renew}
}

func (l *lease) failure(doing string, err error) error {
	of := "a worker ID"
	if l.hold != nil {
		of = fmt.Sprintf("worker ID %d", l.hold.id)
	}
	return fmt.Errorf("%s the lease of %s in %s: %w", doing, of, l.store.Name(), err)
}
