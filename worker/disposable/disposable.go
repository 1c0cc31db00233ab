package disposable

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/internal/workerid"
)

// Numbers are a store's numbers that are given out once each: a sqlstore.DB's generated keys.
type Numbers = storage.NumberStore

// A disposable is the worker that [New] returns.
type disposable struct {
	numbers  Numbers
	cfg      Config
	binding  *workerid.Binding
	assigned atomic.Pointer[assignment] // to the newest generator; nil before the first
}

// An assignment is a number that a generator has as its worker ID.
type assignment struct {
	id, first int64 // the number, and its first tick
	maxID     int64 // the largest ID of the layout
}

// New returns a [uid.Worker] that takes a new number as its worker ID each time a generator is made, with all ticks
// above the generator's floor and the floors that other starts have left in the store.
//
// The worker is a [health.WorkerReporter]. Any number of goroutines may call all its methods at once. New returns
// [uid.ErrConfig] or [uid.ErrRange] when a setting cannot be used. Only Acquire touches the store.
//
// Acquire retries failures that may pass until the Timeout or the end of ctx. A failed attempt may leave its number
// unused. It fails at once with
//
//   - [uid.ErrWorkerInUse]: another generator is bound to the worker.
//   - [uid.ErrNoWorkerID]: the number is above the layout's maximum.
//   - worker.ErrUnconfirmed: the store does not prove that the number is this call's.
//   - [uid.ErrConfig] or [uid.ErrRange]: the host cannot be named.
//   - [uid.ErrLossy] and [uid.ErrConfig]: the store can forget a number in a crash (see LossyStore).
//   - The store's own error: all else.
func New(numbers Numbers, cfg Config) (uid.Worker, error) {
	if numbers == nil {
		return nil, fmt.Errorf("%w: no numbers", uid.ErrConfig)
	}
	if err := settings.Timeout(cfg.Timeout); err != nil {
		return nil, err
	}
	if cfg.HostEnv == nil {
		cfg.HostEnv = defaultHostEnv
	}
	if cfg.PortEnv == nil {
		cfg.PortEnv = defaultPortEnv
	}
	cfg.Logger, cfg.Now = settings.Logger(cfg.Logger), settings.Clock(cfg.Now)
	if err := cfg.validateHost(); err != nil {
		return nil, err
	}
	return &disposable{numbers: numbers, cfg: cfg, binding: workerid.NewBinding("the worker on " + numbers.Name())}, nil
}

// Acquire implements [uid.Worker]; New has its errors.
func (d *disposable) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	err := d.binding.Take(t.Revoke, func() error {
		a, err := d.assign(ctx, t)
		if err != nil {
			return fmt.Errorf("assign an ID from %s: %w", d.numbers.Name(), err)
		}
		d.assigned.Store(&a)
		return nil
	})
	if err != nil {
		return uid.Reservation{}, err
	}
	return d.reservation(), nil
}

// assign returns a number of the store, and logs it.
func (d *disposable) assign(ctx context.Context, t uid.Terms) (a assignment, err error) {
	host, err := d.cfg.host()
	if err != nil {
		return a, err
	}
	inspected := false
	err = retry.Do(ctx, d.cfg.Timeout, d.cfg.Logger, func(ctx context.Context) (err error) {
		if !inspected {
			if err := d.inspect(ctx); err != nil {
				return err
			}
			inspected = true
		}
		a, err = d.next(ctx, t, host)
		return err
	})
	if err != nil {
		return a, err
	}
	if a.id <= 0 || a.id > a.maxID {
		return a, fmt.Errorf("%w: %s gave the number %d, which is not within 1..%d",
			uid.ErrRange, d.numbers.Name(), a.id, a.maxID)
	}
	d.cfg.Logger.InfoContext(ctx, "worker ID assigned", "worker_id", a.id, "max_worker_id", a.maxID,
		"store", d.numbers.Name(), "host", host.Name, "port", host.Port)
	workerid.WarnLow(ctx, d.cfg.Logger, a.id, 0, a.maxID, "are used", "store", d.numbers.Name())
	return a, nil
}

// inspect refuses a store that is seen to forget numbers.
func (d *disposable) inspect(ctx context.Context) error {
	lossy, err := d.numbers.Inspect(ctx)
	if err != nil {
		return err
	}
	if len(lossy) > 0 && !d.cfg.LossyStore {
		return fmt.Errorf("%w: %w, and would then give them out again: %s. Change that, or accept it with LossyStore",
			uid.ErrConfig, uid.ErrLossy, strings.Join(lossy, "; "))
	}
	return nil
}

// next takes a number, and begins above all floors that the store keeps.
func (d *disposable) next(ctx context.Context, t uid.Terms, h storage.Host) (assignment, error) {
	beginner, keeps := d.numbers.(storage.Beginner)
	if !keeps {
		id, err := d.numbers.Next(ctx, h, t.MaxWorkerID)
		return assignment{id, t.MinTick, t.MaxWorkerID}, err
	}
	var at time.Time
	if now := d.cfg.Now(); t.MinTick > t.TickAt(now) {
		at = now.Add(ticks.Until(t, now, t.MinTick))
	}
	var first int64
	id, kept, err := beginner.NextFrom(ctx, h, t.MaxWorkerID, at)
	if err == nil && !kept.IsZero() {
		first = t.TickAt(kept.Add(-1)) + 1
	}
	return assignment{id, max(first, t.MinTick), t.MaxWorkerID}, err
}

// Extend returns the reservation of all ticks again, and [uid.ErrNoReservation] when no generator
// is bound to d.
func (d *disposable) Extend(context.Context, int64) (uid.Reservation, error) {
	if err := d.binding.Check(); err != nil {
		return uid.Reservation{}, err
	}
	return d.reservation(), nil
}

// Release ends the binding: the ID is never used again. It returns [uid.ErrNoReservation] when no generator is
// bound to d.
func (d *disposable) Release(context.Context, int64) error { return d.binding.Unbind() }

func (d *disposable) reservation() uid.Reservation {
	a := d.assigned.Load()
	return uid.Reservation{WorkerID: a.id, First: a.first, Last: math.MaxInt64, Renew: math.MaxInt64}
}

var _ health.WorkerReporter = (*disposable)(nil)

// WorkerHealth returns the store of the numbers, and how many of the layout's worker IDs were used
// up when this one was taken. It never waits. Any number of goroutines may call it at once.
func (d *disposable) WorkerHealth() health.Worker {
	w := health.Worker{Kind: "disposable", Place: d.numbers.Name()}
	if a := d.assigned.Load(); a != nil {
		w.IDs = &health.IDs{Taken: a.id, Total: a.maxID, Low: workerid.Low(a.id, a.maxID)}
	}
	return w
}
