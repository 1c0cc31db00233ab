package disposable

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/internal/workerid"
)

// A disposable is the worker that [New] returns.
type disposable struct {
	numbers Numbers
	cfg     Config
	binding *workerid.Binding
	id      atomic.Int64 // of the generator that is bound,
	first   atomic.Int64 // its first tick,
	most    atomic.Int64 // and the largest ID of its layout
}

// New returns a [uid.Worker] that takes a new number as its worker ID each time a generator is made, with all ticks
// above the generator's floor and the floors that other starts have kept in the store.
//
// The worker is a [health.WorkerReporter]. Any number of goroutines may call all its methods at once. New returns
// [uid.ErrConfig] or [uid.ErrRange] when a setting cannot be used. Only Acquire touches the store.
//
// Acquire retries failures that may pass until the Timeout or the end of ctx. A failed attempt may leave its number
// unused. It fails at once with
//   - [uid.ErrWorkerInUse] while another generator is bound to the worker;
//   - [uid.ErrNoWorkerID] when the number is above the layout's maximum;
//   - worker.ErrUnconfirmed when the store does not prove that the number is this call's;
//   - [uid.ErrConfig] or [uid.ErrRange] when the host cannot be named;
//   - [uid.ErrLossy] and [uid.ErrConfig] when the store can lose a number in a crash (see LossyStore);
//   - the store's own error on all else.
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
		id, first, err := d.assign(ctx, t)
		if err != nil {
			return fmt.Errorf("assign an ID from %s: %w", d.numbers.Name(), err)
		}
		d.id.Store(id)
		d.first.Store(first)
		d.most.Store(t.MaxWorkerID)
		return nil
	})
	if err != nil {
		return uid.Reservation{}, err
	}
	return d.reservation(), nil
}

// assign returns a number, and the first tick under it.
func (d *disposable) assign(ctx context.Context, t uid.Terms) (id, first int64, err error) {
	host, err := d.cfg.host()
	if err != nil {
		return 0, 0, err
	}
	most, inspected := t.MaxWorkerID, false
	err = retry.Do(ctx, d.cfg.Timeout, d.cfg.Logger, func(ctx context.Context) (err error) {
		if !inspected {
			if err := d.inspect(ctx); err != nil {
				return err
			}
			inspected = true
		}
		id, first, err = d.next(ctx, t, host)
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	if id <= 0 || id > most {
		return 0, 0, fmt.Errorf("%w: %s gave the number %d, which is not within 1..%d",
			uid.ErrRange, d.numbers.Name(), id, most)
	}
	d.cfg.Logger.InfoContext(ctx, "worker ID assigned", "worker_id", id, "max_worker_id", most,
		"store", d.numbers.Name(), "host", host.Name, "port", host.Port)
	workerid.WarnLow(ctx, d.cfg.Logger, id, 0, most, "are used", "store", d.numbers.Name())
	return id, first, nil
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

// next returns a number whose floor is kept, and the first tick above all floors that are.
func (d *disposable) next(ctx context.Context, t uid.Terms, h storage.Host) (id, first int64, err error) {
	beginner, keeps := d.numbers.(storage.Beginner)
	if !keeps {
		id, err = d.numbers.Next(ctx, h, t.MaxWorkerID)
		return id, t.MinTick, err
	}
	var at time.Time
	if now := d.cfg.Now(); t.MinTick > t.TickAt(now) {
		at = now.Add(ticks.Until(t, now, t.MinTick))
	}
	id, kept, err := beginner.NextFrom(ctx, h, t.MaxWorkerID, at)
	if err == nil && !kept.IsZero() {
		first = t.TickAt(kept.Add(-1)) + 1
	}
	return id, max(first, t.MinTick), err
}

// Extend returns the reservation of all ticks again, and [uid.ErrNoReservation] when no generator
// is bound to d.
func (d *disposable) Extend(context.Context, int64) (uid.Reservation, error) {
	if err := d.binding.Check(); err != nil {
		return uid.Reservation{}, err
	}
	return d.reservation(), nil
}

// Release gives the ID up for ever. It returns [uid.ErrNoReservation] when no generator is
// bound to d.
func (d *disposable) Release(context.Context, int64) error { return d.binding.Unbind() }

func (d *disposable) reservation() uid.Reservation {
	return uid.Reservation{WorkerID: d.id.Load(), First: d.first.Load(), Last: math.MaxInt64, Renew: math.MaxInt64}
}
