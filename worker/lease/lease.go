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
	"github.com/uidgen/uid/internal/binding"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/state"
)

// Lease is a [uid.Worker] that leases a worker ID from a [Store], so that the ID can be used
// again when its owner is gone, and that reserves every tick in the store before a generator may
// issue it. No tick of an ID is issued twice: not by an owner that was paused, cut off or
// declared dead, and came back; not when clocks go back; and, without DurableStore, not after a
// failover that lost writes, if the servers' clocks differ by no more than MaxClockSkew.
// docs/promise.md has every case.
//
// It starts, stops and renews by itself. When a lease is lost it acquires another ID, and the
// generator goes on under that one. None of this is on the path of a call that draws a UID. While
// the store is away a generator draws from what is reserved, for at least the Window; then its
// calls fail with [uid.ErrNoReservation] until the store is back.
//
// # How it works
//
// The row of an ID holds a nonce, which names the owner and its newest renewal; the end of the
// lease; and High, the last tick that anyone may have used under the ID. The row of the
// namespace, which [Found] makes, holds the layout and the floor, a last tick for the whole
// namespace: everybody begins above it.
//
// Acquiring takes a row that is free by the store's clock, and writes a new nonce. Unless the
// store is durable (see [Config]'s DurableStore) it also burns ticks: it raises High as far as any owner may have reserved
// by a write that the store has lost since, which is 3/2 Window + MaxClockSkew beyond the clock.
// The new owner reserves nothing yet, since its own write may be lost just as well. It waits
// until the clock has moved on by MaxClockSkew and a tick, and then reserves its first ticks
// above the burnt ones. So a new owner starts about 3/2 Window ahead of the clock, has little to
// borrow from the future at first, and gives up the lead as the clock catches up.
//
// Renewing happens every half Window, less up to an eighth of the Window at random, so that
// owners that started together do not renew together. It happens only if the row still has the owner's nonce and the
// lease has not ended. It raises High to 3/2 Window beyond the clock, extends the lease, and
// writes a new nonce. The new ticks may be issued only when the store has acknowledged the write.
// If the reply is lost they may not, until the row's nonce shows what happened.
//
// Releasing lowers High to the last tick that was issued, but never below what it was when the
// owner came.
//
// # What it cannot see
//
// It cannot see two copies of the store that both accept writes, nor a running process that was
// cloned with its memory: both copies own the lease until one of them renews it. A program that
// learns of its cloning calls [Lease.Invalidate]. The package's doc lists what else breaks it.
//
// Make it with [New]. A Lease serves one generator at a time. Invalidate may be called by any
// number of goroutines at once; the methods of [uid.Worker] are the generator's. Do not copy it.
type Lease struct {
	cfg     Config
	store   Store
	clock   func() time.Time    // monotonic, for the time between two calls
	chance  func(n int64) int64 // a number below n, at random
	binding *binding.Binding
	health  atomic.Pointer[health.Worker] // for WorkerHealth; nil before the first call

	// Only the generator's calls use what follows, one at a time.
	terms uid.Terms
	hold  *hold       // nil when the lease was lost
	file  *state.File // nil without Config.StateFile, and while no generator is bound
	doubt *doubt      // an acquisition whose outcome is unknown; nil for none
	low   bool        // Low was reported, and nothing was reserved since
}

// New returns a worker on a store. It returns [uid.ErrConfig] or [uid.ErrRange], with the
// numbers, when a setting cannot be used. It does not touch the store; the first Acquire does.
func New(store Store, cfg Config) (*Lease, error) {
	if store == nil {
		return nil, fmt.Errorf("%w: no store of leases", uid.ErrConfig)
	}
	if cfg.DurableStore && cfg.LossyStore {
		return nil, fmt.Errorf("%w: DurableStore and LossyStore exclude each other", uid.ErrConfig)
	}
	cfg.DurableStore = cfg.DurableStore || store.Durable() && !cfg.LossyStore
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Lease{cfg: cfg, store: store, clock: time.Now, chance: rand.Int64N, binding: binding.New("the lease in " + store.Name())}, nil
}

// Acquire leases the ID that has been free the longest, or one that was never used if none is
// free, and reserves its first ticks. It takes IDs whose ticks lie further ahead of the clock
// than MaxAhead only if there is no other. An acquisition whose reply was lost is taken up again
// by the next attempt.
//
// On a durable store, and with a state file whose lease still lasts, it takes no longer than the
// store. On others it waits for MaxClockSkew and a tick besides (see NoWait), or twice the Error of
// the store's Clock if that is longer, and longer still for an ID whose ticks were used further
// ahead; and it creates a missing namespace, which then rests.
//
// It retries failures that may pass until the configured Timeout or the end of ctx. It fails at
// once with
//   - [uid.ErrWorkerInUse] while another generator is bound to l;
//   - [uid.ErrNoWorkerID] when all IDs of the layout and the namespace are leased, in quarantine,
//     or without their rows, which it names;
//   - [uid.ErrRange] when the layout lacks some of Config.IDs, when the namespace has others, or none
//     of the layout's, when the state file's is not one of Config.IDs, and when the
//     generator's floor is further ahead of the clock than a lease can begin: MaxAhead or, on a
//     store that can lose writes, 3/2 Window, MaxClockSkew, two ticks and Timeout;
//   - [uid.ErrExhausted] when the ID's ticks are used up to the layout's last one;
//   - [uid.ErrNoReservation] when the namespace rests for longer than Timeout, and when the ID's
//     ticks are used or burnt so far ahead of the clock that more than Timeout, MaxClockSkew and
//     two ticks would have to pass first;
//   - [worker.ErrLayout] when the namespace has another layout;
//   - [worker.ErrClock] when this process's clock is off the store's, when the store's is before
//     the epoch, or when a row's ticks lie in the far future (see Config's MaxClockOffset,
//     AllowBeforeEpoch and MaxAhead);
//   - [uid.ErrConfig] when Window is shorter than a tick, when the store cannot hold what is
//     written, and with DurableStore (set, or the store's promise) when the generator's MaxLead
//     is more than MaxAhead or the store is visibly not durable;
//   - [worker.ErrNoNamespace] on a durable store, when nobody has made the namespace (see
//     [Found]);
//   - [worker.ErrState] when the state file cannot be relied on;
//   - the store's own error on all else.
func (l *Lease) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	if l.cfg.Window < t.Unit {
		return uid.Reservation{}, fmt.Errorf("%w: Window %v is shorter than the layout's tick, %v", uid.ErrConfig, l.cfg.Window, t.Unit)
	}
	if l.cfg.IDs.Last > t.MaxWorkerID {
		return uid.Reservation{}, fmt.Errorf("%w: the worker IDs %v are not within 0..%d, those of the layout", uid.ErrRange, l.cfg.IDs, t.MaxWorkerID)
	}
	if l.cfg.DurableStore && t.MaxLead > l.cfg.MaxAhead {
		return uid.Reservation{}, fmt.Errorf("%w: the generator's MaxLead %v is more than MaxAhead %v: what it used could not be taken over", uid.ErrConfig, t.MaxLead, l.cfg.MaxAhead)
	}
	if err := l.binding.Bind(t.Revoke); err != nil {
		return uid.Reservation{}, err
	}
	l.terms = t
	defer l.tell()
	if err := l.start(ctx); err != nil {
		err = l.failure("acquire", err)
		l.abandon(ctx)
		_ = l.binding.Unbind() // it was bound here
		return uid.Reservation{}, err
	}
	return l.reservation(), nil
}

// Extend renews the lease and the reservation if that is due, or if ticks up to through can be
// reserved and are not yet; else it returns the reservation as it stands. When the lease is lost
// it acquires another ID, which may have no reserved ticks at first. It reserves nothing beyond
// MaxAhead.
//
// It fails when the store cannot be reached or the clocks differ by more than MaxAhead, with
// [worker.ErrState] when the state file cannot be relied on, and with [worker.ErrNoNamespace]
// when the namespace is missing; what was reserved before stays reserved. It returns
// [uid.ErrNoReservation] when no generator is bound to l.
func (l *Lease) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	if err := l.binding.Check(); err != nil {
		return uid.Reservation{}, err
	}
	defer l.tell()
	if l.hold != nil && l.binding.Invalid() {
		l.lost(ctx, errInvalidated)
	}
	var err error
	if l.hold != nil && l.due(through) {
		err = l.extend(ctx, through)
		if lost, is := errors.AsType[*lostError](err); is {
			l.lost(ctx, lost)
		} else if err != nil {
			l.warn(ctx, err)
		}
	}
	doing := "extend"
	if l.hold == nil {
		doing, err = "acquire", l.acquire(ctx)
	}
	if l.file != nil && l.hold != nil {
		// The file can still grant what the store has reserved before.
		if noted := l.note(through); noted != nil {
			err = errors.Join(err, noted)
		} else if l.enough(through) {
			err = nil
		}
	}
	if err != nil {
		return uid.Reservation{}, l.failure(doing, err)
	}
	return l.reservation(), nil
}

// due reports whether to ask the store. A generator at the end of its reservation calls again and
// again.
func (l *Lease) due(through int64) bool {
	h, since := l.hold, l.clock().Sub(l.hold.at)
	switch {
	case since >= h.pause:
		return true
	case h.unreserved() && !l.cfg.DurableStore:
		return since >= h.wait // no tick can be reserved before
	case through <= h.limit:
		return false
	}
	return since >= l.floor(h)
}

// Release ends the lease and lowers High to last. It returns an error when the store cannot be
// told within 5 s; the lease then ends by itself, after the TTL.
func (l *Lease) Release(ctx context.Context, last int64) error {
	if err := l.binding.Check(); err != nil {
		return err
	}
	defer func() { _ = l.binding.Unbind() }()
	defer l.tell()
	if l.hold != nil && l.binding.Invalid() {
		l.lost(ctx, errInvalidated)
	}
	var err error
	switch {
	case l.file != nil:
		err = l.keep(last)
	case l.hold != nil:
		err = l.release(ctx, last)
	}
	if l.doubt != nil { // then there is no hold, and no file knows of it
		err = errors.Join(err, retry.Do(ctx, min(l.cfg.Timeout, releaseTimeout), l.cfg.Logger, l.giveBack))
	}
	if err != nil {
		err = l.failure("release", err)
	}
	l.hold, l.doubt = nil, nil
	return err
}

// Invalidate is for a program that learns that it was cloned, or restored from an image of
// itself: somebody else may hold whatever the worker holds. When it returns, the generator has
// thrown away every UID that it had ready; it goes on as soon as it has leased another ID. The
// old lease ends by itself. Without a generator it does nothing. It must not be called from
// OnEvent.
func (l *Lease) Invalidate() { l.binding.Invalidate() }

func (l *Lease) reservation() uid.Reservation {
	h := l.hold
	return uid.Reservation{WorkerID: h.id, First: h.base + 1, Last: h.granted, Renew: h.renew}
}

func (l *Lease) failure(doing string, err error) error {
	of := "a worker ID"
	if l.hold != nil {
		of = fmt.Sprintf("worker ID %d", l.hold.id)
	}
	return fmt.Errorf("%s the lease of %s in %s: %w", doing, of, l.store.Name(), err)
}
