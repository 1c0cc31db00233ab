// Package tenure keeps a generator's hold on its worker: it acquires the worker,
// renews the reservation before it runs out, asks again when that fails, and
// releases the worker in the end. The generators share it, so that the order of
// calls that [uid.Worker] promises is kept in one place.
package tenure

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	uid "github.com/uidgen/uid"
)

// How long one Extend may take, and the pauses between those that bring nothing: they
// double up to maxPause after a failure, and up to idlePause when the worker answers, but
// has no more to give for the moment.
const (
	extendTimeout = 10 * time.Second
	minPause      = 100 * time.Millisecond
	idlePause     = 500 * time.Millisecond
	maxPause      = 5 * time.Second
)

// An Owner is the generator. Its methods are called one at a time, and may call Want,
// but neither Stop nor Revoke.
type Owner interface {
	// Granted hands over a new reservation, the first one before Start returns.
	Granted(uid.Reservation)
	// Refused says that the reservation could not be extended; what was granted
	// before stays valid. It is called for every failed attempt.
	Refused(error)
	// Discard withdraws every reservation granted so far. When it returns, the owner
	// issues nothing until Granted is called.
	Discard()
}

// A Tenure is made by Start. Its methods may be called concurrently.
type Tenure struct {
	worker uid.Worker
	terms  uid.Terms
	now    func() time.Time
	log    *slog.Logger
	owner  Owner

	wake chan struct{} // one slot: a wish that is already noted need not be noted twice
	quit context.CancelFunc
	ctx  context.Context
	over chan struct{} // closed when Stop returns for the first time

	panicked  string      // the call that panicked the last time, "" if it did not; for whoever calls the worker
	releasing atomic.Bool // Release has been called, or is about to be

	// hand is held while the owner is called, so that no reservation is handed over
	// after the revocation that withdrew it. It is taken before mu.
	hand sync.Mutex

	mu       sync.Mutex
	through  int64         // the furthest tick asked for
	wanted   bool          // through is news, or a revocation is
	revoked  int           // how often Revoke was called
	done     chan struct{} // closed when the renewing goroutine has ended; nil before it starts
	acquired bool          // Acquire has succeeded: Extend may be called
	stopped  bool
	last     uid.Reservation // as the owner has it
}

// Start acquires the worker and hands its first reservation to the owner, or one of no
// ticks if that was revoked meanwhile. Or it returns the worker's error, or one that wraps
// uid.ErrRange when the worker breaks the terms, and has then released it. It fills in
// terms.Revoke. The renewing goroutine is started only when there is something to renew.
// The log is told of panics in Extend and Release, which count as failures.
//
// What the owner has when Start returns may be another reservation already, or none:
// only its own calls tell.
func Start(ctx context.Context, w uid.Worker, terms uid.Terms, now func() time.Time, log *slog.Logger, owner Owner) (*Tenure, error) {
	t := &Tenure{worker: w, now: now, log: log, owner: owner, wake: make(chan struct{}, 1), over: make(chan struct{})}
	t.ctx, t.quit = context.WithCancel(context.Background())
	terms.Revoke = t.revoke
	t.terms = terms

	res, err := w.Acquire(ctx, terms)
	if err != nil {
		t.quit()
		return nil, err
	}
	if err := t.check(res); err != nil {
		t.quit()
		return nil, fmt.Errorf("%w (released: %v)", err, t.release(ctx, -1) == nil)
	}
	t.hand.Lock()
	defer t.hand.Unlock()
	t.mu.Lock()
	t.acquired = true
	if t.revoked > 0 {
		res = Nothing(res)
	}
	t.last = res
	if t.wanted || res.Renew != math.MaxInt64 {
		t.startLocked()
	}
	t.mu.Unlock()
	owner.Granted(res)
	return t, nil
}

// Nothing returns a reservation of no ticks under the same worker ID.
func Nothing(r uid.Reservation) uid.Reservation {
	return uid.Reservation{WorkerID: r.WorkerID, First: 0, Last: -1, Renew: math.MaxInt64}
}

// Want asks for an Extend up to the given tick, soon. It never blocks and may be
// called as often as one likes.
func (t *Tenure) Want(through int64) {
	t.mu.Lock()
	if through > t.through || !t.wanted {
		t.through = max(t.through, through)
		t.wanted = true
		t.startLocked()
	}
	t.mu.Unlock()
	t.signal()
}

func (t *Tenure) revoke() {
	t.hand.Lock()
	t.owner.Discard()
	t.mu.Lock()
	t.last = Nothing(t.last) // so that whatever is granted next is progress
	t.revoked++
	t.wanted = true
	t.startLocked()
	t.mu.Unlock()
	t.hand.Unlock()
	t.signal()
}

func (t *Tenure) signal() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *Tenure) startLocked() {
	if t.done == nil && t.acquired && !t.stopped {
		t.done = make(chan struct{})
		go t.renew()
	}
}

func (t *Tenure) check(r uid.Reservation) error {
	if r.WorkerID < 0 || r.WorkerID > t.terms.MaxWorkerID {
		return fmt.Errorf("worker ID %d: the layout holds 0 to %d: %w", r.WorkerID, t.terms.MaxWorkerID, uid.ErrRange)
	}
	if r.First < 0 {
		return fmt.Errorf("reservation from tick %d on: ticks begin at 0: %w", r.First, uid.ErrRange)
	}
	return nil
}

// renew is the goroutine that extends the reservation when it falls due or when the
// owner asks, whichever comes first, and backs off while that brings nothing.
func (t *Tenure) renew() {
	defer close(t.done)
	pause := minPause
	for {
		t.mu.Lock()
		due, wanted := t.untilDue(), t.wanted
		t.mu.Unlock()
		if !wanted && due > 0 {
			slept := t.sleep(min(due, longestSleep), t.wake)
			if t.ctx.Err() != nil {
				return
			}
			// Once the time has passed it does not matter what the clock shows, which
			// may have been set back: a lease runs out by another one.
			if !slept || due > longestSleep {
				continue
			}
		}
		progress, err := t.extend()
		if progress {
			pause = minPause
			continue
		}
		longest := maxPause
		if err == nil {
			longest = idlePause
		}
		pause = min(pause, longest)
		// Half to all of the pause, so that a fleet does not come back in step.
		if t.sleep(pause/2+rand.N(pause/2), nil); t.ctx.Err() != nil {
			return
		}
		pause = min(2*pause, longest)
	}
}

// sleep waits for d, and reports whether that has passed: a signal on wake and the
// tenure's end cut it short.
func (t *Tenure) sleep(d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-t.ctx.Done():
		return false
	case <-wake:
		return false
	case <-timer.C:
		return true
	}
}

// extend reports whether it brought anything: ticks that were not reserved before, or
// time until the next renewal. A worker that grants what it had granted already is
// not to be asked again at once. The error is the worker's.
func (t *Tenure) extend() (progress bool, err error) {
	t.mu.Lock()
	through, revoked := t.through, t.revoked
	t.wanted = false
	t.mu.Unlock()

	ctx, cancel := context.WithTimeout(t.ctx, extendTimeout)
	var res uid.Reservation
	err = t.contain("Extend", func() (err error) {
		res, err = t.worker.Extend(ctx, through)
		return err
	})
	cancel()
	if err == nil {
		err = t.check(res)
	}
	t.hand.Lock()
	defer t.hand.Unlock()
	if t.ctx.Err() != nil {
		return false, nil
	}
	if err != nil {
		t.mu.Lock()
		t.wanted = true
		t.mu.Unlock()
		t.owner.Refused(err)
		return false, err
	}
	t.mu.Lock()
	if revoked != t.revoked {
		// The worker revoked what it was about to return, and is asked again.
		t.mu.Unlock()
		return true, nil
	}
	before := t.last
	t.last = res
	progress = res.WorkerID != before.WorkerID || res.Last > before.Last ||
		res.Renew > before.Renew && t.untilDue() > 0
	t.mu.Unlock()
	t.owner.Granted(res)
	return progress, nil
}

// longestSleep is how long a sleep may be before the clock is looked at again: it may have
// been set forward meanwhile.
const longestSleep = time.Hour

// untilDue returns how long it is until the clock reaches the tick at which an Extend
// is due. t.mu is held.
func (t *Tenure) untilDue() time.Duration {
	if t.last.Renew == math.MaxInt64 {
		return math.MaxInt64
	}
	now := t.now()
	ticks := t.last.Renew - t.terms.TickAt(now)
	if ticks <= 0 {
		return 0
	}
	unit := t.terms.Unit
	if ticks-1 > int64(longestSleep/unit) {
		return math.MaxInt64
	}
	into := now.Sub(t.terms.Epoch) % unit // of the clock's tick
	if into < 0 {
		into += unit
	}
	return time.Duration(ticks)*unit - into
}
