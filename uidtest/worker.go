package uidtest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/internal/workerid"
)

// A Worker is a [uid.Worker] that stands for a worker ID in a store. The zero Worker has the ID 0 and reserves all
// ticks. Set the fields before the first call. Do not copy it. Any number of goroutines may call its methods at once.
type Worker struct {
	// ID is the worker ID. Acquire returns [uid.ErrRange] when the layout does not hold it.
	ID int64
	// Ticks is how many ticks are reserved at a time, from the clock's own: the generator cannot borrow more of the
	// future than that. Zero stands for all, with no renewal. Acquire returns [uid.ErrConfig] for less.
	Ticks int64
	// Now is the wall clock for Ticks, and should be the generator's; nil is time.Now.
	Now func() time.Time

	once    sync.Once
	binding *workerid.Binding

	mu    sync.Mutex     // guards the rest
	id    int64          // the present ID
	lost  map[int64]bool // IDs that the worker had before
	fail  error
	terms uid.Terms
	next  int64 // the first tick that a later generator may issue
	calls []string
}

// begin makes the zero Worker ready.
func (w *Worker) begin() {
	w.once.Do(func() {
		w.binding = workerid.NewBinding("the worker of a test")
		w.id, w.lost = w.ID, map[int64]bool{}
	})
}

// Fail makes Acquire, Extend and Release return err from now on, as if the store were down; with nil they succeed
// again. What is reserved stays so. A generator asks again, by the real clock, after pauses that grow to five seconds.
func (w *Worker) Fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail = err
}

// Lose takes the worker's ID away, as if another process had it now: the generator drops what it has ready, and goes on
// under id, once Fail has no error. Before Acquire it only changes the ID. It returns [uid.ErrRange], and changes
// nothing, when id is negative, above the layout's maximum, or one that the worker has or had, whose UIDs would come
// again. Do not call it from inside a call of the worker.
func (w *Worker) Lose(id int64) error {
	w.begin()
	w.mu.Lock()
	if err := w.canHaveLocked(id); err != nil {
		w.mu.Unlock()
		return err
	}
	w.lost[w.id] = true
	w.id, w.next = id, w.terms.MinTick
	w.mu.Unlock()
	// Not under the lock: it may wait for an Extend, which needs the lock.
	w.binding.Invalidate()
	return nil
}

// canHaveLocked returns an error if the worker cannot go on under id.
func (w *Worker) canHaveLocked(id int64) error {
	switch {
	case id == w.id || w.lost[id]:
		return fmt.Errorf("uidtest: %w: the worker has or had the ID %d", uid.ErrRange, id)
	case id < 0:
		return fmt.Errorf("uidtest: %w: worker ID %d is below 0", uid.ErrRange, id)
	case w.binding.Check() == nil && id > w.terms.MaxWorkerID:
		return fmt.Errorf("uidtest: %w: worker ID %d: the layout holds 0 to %d", uid.ErrRange, id, w.terms.MaxWorkerID)
	}
	return nil
}

// Calls returns the calls so far, in order, with their arguments and errors: "Acquire", "Extend(963): the store is
// down", "Release(-1)".
func (w *Worker) Calls() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}

// Acquire returns [uid.ErrWorkerInUse] while another generator is bound. A later one gets ticks above those issued.
func (w *Worker) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	return w.call(ctx, "Acquire", func() (uid.Reservation, error) {
		err := w.binding.Take(t.Revoke, func() error {
			switch {
			case w.id < 0 || w.id > t.MaxWorkerID:
				return fmt.Errorf("uidtest: %w: worker ID %d: the layout holds 0 to %d",
					uid.ErrRange, w.id, t.MaxWorkerID)
			case w.Ticks < 0:
				return fmt.Errorf("uidtest: %w: %d Ticks", uid.ErrConfig, w.Ticks)
			}
			return nil
		})
		if err != nil {
			return uid.Reservation{}, err
		}
		w.terms, w.next = t, max(w.next, t.MinTick)
		return w.reserveLocked(), nil
	})
}

// Extend returns [uid.ErrNoReservation] when no generator is bound.
func (w *Worker) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	return w.call(ctx, fmt.Sprintf("Extend(%d)", through), func() (uid.Reservation, error) {
		if err := w.binding.Check(); err != nil {
			return uid.Reservation{}, err
		}
		return w.reserveLocked(), nil
	})
}

// Release ends the binding, even if it returns Fail's error, or [uid.ErrNoReservation] when no generator is bound.
func (w *Worker) Release(_ context.Context, last int64) error {
	w.begin()
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.binding.Unbind()
	if err == nil {
		w.next = max(w.next, last+1)
		err = w.fail
	}
	w.noteLocked(fmt.Sprintf("Release(%d)", last), err)
	return err
}

// call does what a call asks for, if it may, and notes it.
func (w *Worker) call(ctx context.Context, method string,
	do func() (uid.Reservation, error)) (r uid.Reservation, err error) {
	w.begin()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err = ctx.Err(); err == nil {
		err = w.fail
	}
	if err == nil {
		r, err = do()
	}
	w.noteLocked(method, err)
	return r, err
}

// noteLocked adds a call to Calls.
func (w *Worker) noteLocked(call string, err error) {
	if err != nil {
		call += ": " + err.Error()
	}
	w.calls = append(w.calls, call)
}

// reserveLocked returns the reservation as it is now.
func (w *Worker) reserveLocked() uid.Reservation {
	r := uid.Reservation{WorkerID: w.id, First: w.next, Last: math.MaxInt64, Renew: math.MaxInt64}
	if w.Ticks > 0 {
		begin := max(w.next, w.terms.TickAt(settings.Clock(w.Now)()))
		r.Last = ticks.Plus(begin, w.Ticks-1)
		r.Renew = r.Last - w.Ticks/2 + 1
	}
	return r
}

var _ uid.Worker = (*Worker)(nil)
