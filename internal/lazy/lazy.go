// Package lazy makes a worker, and opens its store, when a generator is made on it. So whatever is wrong
// with a setting shows there, and a store that is opened for a worker is closed with the generator.
package lazy

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/workerid"
	workers "github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// An Open returns a worker, and what is to be called when no generator uses it any more, nil for nothing.
type Open func(ctx context.Context) (w uid.Worker, end func() error, err error)

// New returns a worker that opens another one at each Acquire, and ends it when that fails and at the
// Release.
func New(open Open) uid.Worker {
	return &worker{open: open, binding: workerid.NewBinding("the worker")}
}

// Lease returns a worker that leases an ID from a store, with the settings at their defaults or as cfg has them.
func Lease(cfg []lease.Config, store func() (lease.Store, error)) uid.Worker {
	return New(func(context.Context) (uid.Worker, func() error, error) {
		c, err := One(cfg)
		if err != nil {
			return nil, nil, err
		}
		s, err := store()
		if err != nil {
			return nil, nil, err
		}
		w, err := lease.New(s, c)
		return w, nil, err
	})
}

// One returns the Config that a call was given, or the zero one.
func One[Config any](cfg []Config) (c Config, err error) {
	if len(cfg) > 1 {
		return c, fmt.Errorf("%w: %d Configs were given, one is used at most", uid.ErrConfig, len(cfg))
	}
	if len(cfg) == 1 {
		c = cfg[0]
	}
	return c, nil
}

type worker struct {
	open    Open
	binding *workerid.Binding
	opened  atomic.Pointer[opened] // nil while no generator is bound
}

type opened struct {
	uid.Worker
	end func() error
}

func (w *worker) Acquire(ctx context.Context, t uid.Terms) (r uid.Reservation, err error) {
	err = w.binding.Take(t.Revoke, func() error {
		inner, end, err := w.open(ctx)
		if err != nil {
			return err
		}
		if end == nil {
			end = func() error { return nil }
		}
		w.opened.Store(&opened{inner, end}) // before Acquire, which may take seconds: Invalidate has to reach it
		if r, err = inner.Acquire(ctx, t); err != nil {
			w.opened.Store(nil)
			return errors.Join(err, end())
		}
		return nil
	})
	return r, err
}

func (w *worker) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	if o := w.opened.Load(); o != nil {
		return o.Extend(ctx, through)
	}
	return uid.Reservation{}, w.binding.Check()
}

func (w *worker) Release(ctx context.Context, last int64) error {
	o := w.opened.Swap(nil)
	if o == nil {
		return w.binding.Check()
	}
	return errors.Join(o.Release(ctx, last), o.end(), w.binding.Unbind())
}

// Invalidate is that of the worker that is open.
func (w *worker) Invalidate() error {
	if o := w.opened.Load(); o != nil {
		return workers.Invalidate(o.Worker)
	}
	return nil
}

// WorkerHealth is that of the worker that is open; nothing is known of one that is not.
func (w *worker) WorkerHealth() health.Worker {
	if o := w.opened.Load(); o != nil {
		if r, tells := o.Worker.(health.WorkerReporter); tells {
			return r.WorkerHealth()
		}
	}
	return health.Worker{}
}
