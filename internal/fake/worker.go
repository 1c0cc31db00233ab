package fake

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
)

// ErrDown is what a worker may fail with.
var ErrDown = errors.New("the database is down")

// A Worker is a uid.Worker that does what its fields say, and notes what it was asked. The
// zero Worker has all ticks reserved, under ID 0. Once it is in use, its fields are changed
// and read by Set. It panics when two of its methods are called at the same time.
type Worker struct {
	ID int64
	// Fixed, if it is not nil, is what Acquire and Extend return.
	Fixed *uid.Reservation
	// Window, if it is not 0, is how many ticks each call reserves beyond the clock, from
	// High on, as a lease in a database does; an Extend is due at the half of it.
	Window int64
	// High is the last tick that was ever granted out of a Window.
	High int64
	// Now is the clock for that; nil is time.Now.
	Now func() time.Time
	// Fail is returned by Acquire and Extend, and FailRelease by Release.
	Fail, FailRelease error

	// Before, if it is not nil, is called with a method's name when it begins, before
	// anything is noted. It may block or panic.
	Before func(method string)
	// OnAcquire, OnExtend and OnRelease, if they are not nil, are called in place of what
	// the fields above say, without a lock; they may call Answer for it.
	OnAcquire func(ctx context.Context, t uid.Terms) (uid.Reservation, error)
	OnExtend  func(ctx context.Context, through int64) (uid.Reservation, error)
	OnRelease func(ctx context.Context, last int64) error

	// Terms are the generator's, Asked are the calls of Extend, and Released is what
	// Release was told.
	Terms    uid.Terms
	Asked    []Ask
	Released []int64

	mu   sync.Mutex
	busy atomic.Int64
}

// An Ask is a call of Extend.
type Ask struct {
	At      time.Time // by the real clock
	Through int64
}

// Endless is a worker that has all ticks reserved.
func Endless(id int64) *Worker { return &Worker{ID: id} }

// Giving is a worker that grants r until it is told to Give something else.
func Giving(r uid.Reservation) *Worker { return &Worker{Fixed: &r} }

// Give has Acquire and Extend return r, or err if that is not nil, from now on, and Release
// return err.
func (w *Worker) Give(r uid.Reservation, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Fixed, w.Fail, w.FailRelease = &r, err, err
}

// Set changes the worker while it is in use.
func (w *Worker) Set(change func(*Worker)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(w)
}

// Asks returns the calls of Extend so far.
func (w *Worker) Asks() []Ask {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Ask(nil), w.Asked...)
}

// Answer returns what the fields say that an Extend up to through, or with a negative one
// an Acquire, returns.
func (w *Worker) Answer(through int64) (uid.Reservation, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.Fail != nil:
		return uid.Reservation{}, w.Fail
	case w.Fixed != nil:
		return *w.Fixed, nil
	case w.Window == 0:
		return uid.Reservation{WorkerID: w.ID, Last: math.MaxInt64, Renew: math.MaxInt64}, nil
	}
	now := time.Now
	if w.Now != nil {
		now = w.Now
	}
	clock := w.Terms.TickAt(now())
	var first int64
	if through < 0 {
		first = max(w.High+1, clock)
		w.High = first + w.Window
	} else {
		w.High = max(w.High, through, clock) + w.Window
	}
	return uid.Reservation{WorkerID: w.ID, First: first, Last: w.High, Renew: w.High - w.Window/2}, nil
}

// enter notes that a method is under way, until what it returns is called.
func (w *Worker) enter(method string) (leave func()) {
	if w.busy.Add(1) != 1 {
		panic("two calls of a Worker at the same time")
	}
	entered := false
	defer func() {
		if !entered { // Before has panicked
			w.busy.Add(-1)
		}
	}()
	if w.Before != nil {
		w.Before(method)
	}
	entered = true
	return func() { w.busy.Add(-1) }
}

// Acquire is uid.Worker's.
func (w *Worker) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	defer w.enter("Acquire")()
	w.mu.Lock()
	w.Terms = t
	do := w.OnAcquire
	w.mu.Unlock()
	if do != nil {
		return do(ctx, t)
	}
	return w.Answer(-1)
}

// Extend is uid.Worker's.
func (w *Worker) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	defer w.enter("Extend")()
	w.mu.Lock()
	w.Asked = append(w.Asked, Ask{time.Now(), through})
	do := w.OnExtend
	w.mu.Unlock()
	if do != nil {
		return do(ctx, through)
	}
	return w.Answer(max(through, 0))
}

// Release is uid.Worker's.
func (w *Worker) Release(ctx context.Context, last int64) error {
	defer w.enter("Release")()
	w.mu.Lock()
	w.Released = append(w.Released, last)
	do, err := w.OnRelease, w.FailRelease
	w.mu.Unlock()
	if do != nil {
		return do(ctx, last)
	}
	return err
}

// Terms are those of a small layout with room for worker IDs up to maxID.
func Terms(maxID int64) uid.Terms {
	return uid.Terms{
		Layout: "28 s/22/13", Epoch: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Unit: time.Second,
		MaxTick: 1<<28 - 1, MaxWorkerID: maxID, Revoke: func() {},
	}
}
