package uncached

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"time"

	uid "github.com/uidgen/uid"
)

// endless is a worker with all ticks reserved that keeps nothing.
type endless int64

func (w endless) Acquire(context.Context, uid.Terms) (uid.Reservation, error) {
	return uid.Reservation{WorkerID: int64(w), Last: math.MaxInt64, Renew: math.MaxInt64}, nil
}

func (w endless) Extend(ctx context.Context, _ int64) (uid.Reservation, error) {
	return w.Acquire(ctx, uid.Terms{})
}

func (w endless) Release(context.Context, int64) error { return nil }

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

// puppet is a worker whose next answers a test lays out.
type puppet struct {
	mu       sync.Mutex
	grant    uid.Reservation
	err      error // of Extend and Release
	block    chan struct{}
	extended int     // calls of Extend
	through  int64   // what the last one was asked for
	released []int64 // what Release was told
	terms    uid.Terms
}

func newPuppet(r uid.Reservation) *puppet { return &puppet{grant: r} }

// grantNow returns when another worker ID is in force.
func (p *puppet) grantNow(g *Generator, r uid.Reservation) {
	if g.tenure.Grant().WorkerID == r.WorkerID {
		return
	}
	p.set(r, nil)
	g.tenure.Want(0)
	for g.tenure.Grant().WorkerID != r.WorkerID {
		runtime.Gosched()
	}
}

func (p *puppet) set(r uid.Reservation, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.grant, p.err = r, err
}

func (p *puppet) Acquire(_ context.Context, t uid.Terms) (uid.Reservation, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.terms = t
	return p.grant, p.err
}

func (p *puppet) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	if p.block != nil {
		select {
		case <-p.block:
		case <-ctx.Done():
			return uid.Reservation{}, ctx.Err()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.extended++
	p.through = through
	return p.grant, p.err
}

func (p *puppet) Release(_ context.Context, last int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.released = append(p.released, last)
	return p.err
}

// restless is a puppet that gives another worker ID at each Extend, and wants the next
// one at once, so many times.
type restless struct {
	*puppet
	changes int64
	done    chan struct{} // closed after the last one
}

func (w *restless) Extend(context.Context, int64) (uid.Reservation, error) {
	r := all
	w.changes--
	r.WorkerID = w.changes & 1
	if w.changes > 0 {
		r.Renew = 0
	} else {
		close(w.done)
	}
	return r, nil
}
