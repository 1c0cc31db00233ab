package uncached

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
)

// store is a state file: it outlives generators and keeps the last tick that anyone may
// have used.
type store struct {
	window int64 // ticks that are reserved at a time
	now    func() time.Time

	mu   sync.Mutex
	high int64
}

// worker returns a worker for one run of the program.
func (s *store) worker() *storeWorker { return &storeWorker{store: s} }

type storeWorker struct {
	store   *store
	terms   uid.Terms
	first   int64
	crashed bool // the program has ended without releasing the worker
}

func (w *storeWorker) Acquire(_ context.Context, t uid.Terms) (uid.Reservation, error) {
	s := w.store
	s.mu.Lock()
	defer s.mu.Unlock()
	w.terms, w.first = t, s.high+1
	return w.extend(w.first), nil
}

func (w *storeWorker) Extend(_ context.Context, through int64) (uid.Reservation, error) {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	if w.crashed {
		return uid.Reservation{}, errors.New("the program has crashed")
	}
	return w.extend(through), nil
}

func (w *storeWorker) extend(through int64) uid.Reservation {
	s := w.store
	s.high = max(s.high, through, w.terms.TickAt(s.now())) + s.window
	return uid.Reservation{WorkerID: 7, First: w.first, Last: s.high, Renew: s.high - s.window/2}
}

func (w *storeWorker) Release(_ context.Context, last int64) error {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	if !w.crashed {
		w.store.high = max(w.first-1, last)
	}
	return nil
}

// reserved reports whether a tick may be issued.
func (w *storeWorker) reserved(tick int64) bool {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	return w.first <= tick && tick <= w.store.high
}

// crash ends the program's part in the store's life.
func (w *storeWorker) crash() {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.crashed = true
}

// through is what the last Extend was asked for.
func through(w *fake.Worker) int64 {
	asks := w.Asks()
	return asks[len(asks)-1].Through
}

// grantNow returns when another worker ID is in force.
func grantNow(g *Generator, w *fake.Worker, r uid.Reservation) {
	w.Give(r, nil)
	g.tenure.Want(0)
	for g.tenure.Grant().Reservation != r {
		runtime.Gosched()
	}
}

// changing is a worker that gives another ID at each Extend, and wants the next one at
// once, so many times; then it closes the channel.
func changing(times int64, done chan struct{}) *fake.Worker {
	w := fake.Giving(all)
	w.OnExtend = func(context.Context, int64) (uid.Reservation, error) {
		r := all
		times--
		r.WorkerID = times & 1
		if times > 0 {
			r.Renew = 0
		} else {
			close(done)
		}
		return r, nil
	}
	return w
}
