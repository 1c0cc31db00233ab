// Package tenure keeps a generator's hold on its worker. It acquires the worker, keeps the
// reservation in force and renews it before it runs out, remembers why that failed, lets
// calls wait for the next reservation, and releases the worker in the end. Both generators
// use it, so that the order of calls that [uid.Worker] promises, and the errors when
// nothing is reserved, are defined in one place.
package tenure

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/queue"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/ticks"
)

// extendTimeout is how long one Extend may take.
const extendTimeout = 10 * time.Second

// The pauses between Extends without progress double, from minPause up to maxPause after a failure, and up to
// idlePause when the worker answers but has no more to give for now.
var minPause, idlePause, maxPause = 100 * time.Millisecond, 500 * time.Millisecond, 5 * time.Second

// Hasten has all tenures of a program pause for less than d: for tests in real time, before any generator is made.
func Hasten(d time.Duration) {
	minPause, idlePause, maxPause = min(minPause, d), min(idlePause, d), min(maxPause, d)
}

// A Grant is the right to issue ticks. It is immutable, and replaced as a whole: finding the
// same Grant twice means that it was in force all the time between.
type Grant struct {
	// Reservation is what the worker reserved. It has no ticks before the first
	// reservation, after a revocation, and after the end.
	uid.Reservation
	// Until is the last tick that may be issued: Last, or the layout's last tick if
	// that is earlier.
	Until int64
	// Ended is nil, or why nothing will ever be issued again.
	Ended error
}

// Config configures a Tenure. The functions are the generator's callbacks; each may be nil.
// They are called one at a time, and may call Want, but neither End nor Stop.
type Config struct {
	// Terms are the worker's; Start fills in Now and Revoke, and Begin also MinTick.
	Terms uid.Terms
	// Now is the wall clock. Logger gets renewals that fail, and panics of the worker. Neither is
	// nil.
	Now    func() time.Time
	Logger *slog.Logger

	// Granted is called after a reservation has come into force.
	Granted func(uid.Reservation)
	// Discard is called when the reservation was revoked and Grant has no ticks any
	// more. When it returns, nothing that was ready before may be issued.
	Discard func()
	// Switch is called before a reservation under another worker ID comes into force,
	// while none is in force. It must not call the Tenure.
	Switch func()
	// Newest returns the newest tick from which a UID was issued, or -1. It is called without a lock.
	Newest func() int64
}

// A Tenure is a generator's hold on its worker. Make it with Start. Its methods may be
// called concurrently.
type Tenure struct {
	// grant is read without a lock, and written under mu.
	grant atomic.Pointer[Grant]

	worker uid.Worker
	cfg    Config

	wake chan struct{} // one slot: one pending signal is enough
	quit context.CancelFunc
	ctx  context.Context
	over chan struct{} // closed when Stop returns for the first time

	panicked  bool        // the last call did; owned by the caller of the worker
	releasing atomic.Bool // Release has been called, or is about to be

	// granting is held while a reservation is put in force or withdrawn and the generator
	// told, so that no reservation is granted after its revocation. It is taken before mu
	// and before the generator's own locks.
	granting sync.Mutex

	// logging is held while trouble is logged, so that the records come in order. It is taken
	// before mu, and never with granting.
	logging sync.Mutex

	// mu may be taken while the generator's own locks are held.
	mu       sync.Mutex
	refused  error         // why the last Extend failed, nil if it did not
	trouble  trouble       // of renewals that fail
	pace     pace          // of draws
	news     queue.News    // told when a wait may be over
	through  int64         // the furthest tick asked for
	wanted   bool          // there is a new through, or a revocation
	revoked  int           // how often the worker has revoked
	done     chan struct{} // closed when the renewing goroutine has ended; nil before it starts
	acquired bool          // Acquire has succeeded: Extend may be called
	stopped  bool
}

// Start acquires the worker and puts its first reservation in force, or one without ticks
// if that was revoked meanwhile. If the worker fails, it returns the worker's error; if the
// worker breaks the terms, it releases the worker and returns an error that wraps
// uid.ErrRange. The renewing goroutine starts only when there is something to renew. Panics
// in Extend and Release are logged and count as failures.
//
// By the time Start returns, another Grant may already be in force.
func Start(ctx context.Context, w uid.Worker, cfg Config) (*Tenure, error) {
	t := &Tenure{worker: w, cfg: cfg, wake: make(chan struct{}, 1), over: make(chan struct{})}
	t.ctx, t.quit = context.WithCancel(context.Background())
	t.cfg.Terms.Now, t.cfg.Terms.Revoke = cfg.Now, t.revoke
	t.grant.Store(withoutTicks(0))

	res, err := w.Acquire(ctx, t.cfg.Terms)
	if err != nil {
		t.quit()
		return nil, err
	}
	if err := t.check(res); err != nil {
		t.quit()
		t.warn(res.WorkerID, t.release(ctx, -1))
		return nil, err
	}
	t.granting.Lock()
	defer t.granting.Unlock()
	t.mu.Lock()
	t.acquired = true
	t.raise(&res)
	if t.revoked > 0 {
		res = nothing(res.WorkerID)
	}
	t.putLocked(res)
	if t.wanted || res.Renew != math.MaxInt64 {
		t.startLocked()
	}
	t.mu.Unlock()
	t.tellGranted(res)
	return t, nil
}

// nothing is a reservation without ticks.
func nothing(workerID int64) uid.Reservation {
	return uid.Reservation{WorkerID: workerID, First: 0, Last: -1, Renew: math.MaxInt64}
}

func withoutTicks(workerID int64) *Grant { return &Grant{Reservation: nothing(workerID), Until: -1} }

// putLocked puts a reservation in force, unless the tenure has ended. It needs both locks.
func (t *Tenure) putLocked(res uid.Reservation) {
	held(&t.granting)
	held(&t.mu)
	before := t.grant.Load()
	if before.Ended != nil {
		return
	}
	if before.WorkerID != res.WorkerID && t.cfg.Switch != nil {
		t.grant.Store(withoutTicks(before.WorkerID))
		t.cfg.Switch()
	}
	t.grant.Store(&Grant{Reservation: res, Until: min(res.Last, t.cfg.Terms.MaxTick)})
	t.refused = nil
	t.news.Tell()
}

// tellGranted tells the generator. It needs granting.
func (t *Tenure) tellGranted(res uid.Reservation) {
	held(&t.granting)
	if t.cfg.Granted != nil {
		t.cfg.Granted(res)
	}
}

// Grant returns the current right to issue ticks. It costs one atomic load.
func (t *Tenure) Grant() *Grant { return t.grant.Load() }

// End withdraws was, or whatever is in force if was is nil, for good; calls get the reason
// from then on. It does nothing if was is no longer in force.
func (t *Tenure) End(was *Grant, reason error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.grant.Load()
	if was == nil || was == g {
		ended := withoutTicks(g.WorkerID)
		ended.Ended = reason
		t.grant.Store(ended)
		t.news.Tell()
	}
}

// Await is for a call that needs tick, which is beyond was. It asks for an Extend up to
// through, and returns a channel that is closed when there is news. If another Grant is in
// force by now, the channel is nil and the call tries again. On an error the call fails: the
// tenure has ended, the last attempt to extend the reservation failed, or the call would
// have to wait and wait is false.
func (t *Tenure) Await(was *Grant, tick, through int64, wait bool) (news <-chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.grant.Load() != was {
		return nil, nil
	}
	if was.Ended != nil {
		return nil, was.Ended
	}
	t.wantLocked(max(through, tick))
	why := t.refused
	if why == nil {
		if wait {
			return t.news.Listen(), nil
		}
		why = errOnItsWay
	} else {
		t.spendLocked()
	}
	return nil, &noReservation{workerID: was.WorkerID, until: was.Until, err: why}
}

var errOnItsWay = errors.New("more has been asked for")

// News returns a channel that is closed at the next change of the Grant, or failure to
// extend it.
func (t *Tenure) News() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.news.Listen()
}

// Want asks for an Extend up to the given tick, soon. It never waits for the worker, and
// may be called at any rate.
func (t *Tenure) Want(through int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wantLocked(through)
}

func (t *Tenure) wantLocked(through int64) {
	held(&t.mu)
	if through > t.through || !t.wanted {
		t.through = max(t.through, through)
		t.wanted = true
		t.startLocked()
	}
	t.signal()
}

// revoke is what workers call as Terms.Revoke. It takes the Grant away first: Discard drops
// what the generator still makes ready under it, and after that it can make nothing ready.
func (t *Tenure) revoke() {
	t.granting.Lock()
	defer t.granting.Unlock()
	t.mu.Lock()
	if was := t.grant.Load(); was.Ended == nil {
		t.grant.Store(withoutTicks(was.WorkerID))
	}
	t.mu.Unlock()
	if t.cfg.Discard != nil {
		t.cfg.Discard()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.revoked++
	t.wanted = true
	t.startLocked()
	t.signal()
}

func (t *Tenure) signal() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *Tenure) startLocked() {
	held(&t.mu)
	if t.done == nil && t.acquired && !t.stopped {
		t.done = make(chan struct{})
		go t.renew(0)
	}
}

// raise keeps the ticks below the generator's floor out of a reservation.
func (t *Tenure) raise(r *uid.Reservation) { r.First = max(r.First, t.cfg.Terms.MinTick) }

func (t *Tenure) check(r uid.Reservation) error {
	if r.WorkerID < 0 || r.WorkerID > t.cfg.Terms.MaxWorkerID {
		return fmt.Errorf("worker ID %d: the layout holds 0 to %d: %w",
			r.WorkerID, t.cfg.Terms.MaxWorkerID, uid.ErrRange)
	}
	if r.First < 0 {
		return fmt.Errorf("reservation from tick %d on: ticks begin at 0: %w", r.First, uid.ErrRange)
	}
	return nil
}

// renew is the goroutine that extends the reservation when it falls due or when the
// generator asks, whichever comes first, and backs off while that makes no progress. It begins after a pause.
func (t *Tenure) renew(pause time.Duration) {
	defer func() {
		if t.ctx.Err() != nil {
			close(t.done)
			return
		}
		// The worker has ended the goroutine, as runtime.Goexit and the Fatal of a test do.
		t.mu.Lock()
		t.wanted = true
		t.failedLocked(errors.New("the worker's Extend ended its goroutine"))
		t.news.Tell()
		t.mu.Unlock()
		t.report()
		go t.renew(maxPause)
	}()
	if t.sleep(pause, nil); t.ctx.Err() != nil {
		return
	}
	pause = minPause
	for {
		t.mu.Lock()
		due, wanted := t.untilDueLocked(), t.wanted
		t.mu.Unlock()
		if !wanted && due > 0 {
			slept := t.sleep(min(due, longestSleep), t.wake)
			if t.ctx.Err() != nil {
				return
			}
			// Once the time has passed, extend whatever the clock shows. It may have been
			// set back, and a lease runs out by another clock.
			if !slept || due > longestSleep {
				continue
			}
		}
		progress, err := t.extend()
		t.report()
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

// sleep waits for d, and reports whether that has passed: a signal on wake or the tenure's
// end cuts it short.
func (t *Tenure) sleep(d time.Duration, wake <-chan struct{}) bool {
	select {
	case <-t.ctx.Done():
		return false
	case <-wake:
		return false
	case <-time.After(d):
		return true
	}
}

// extend reports whether it made progress: ticks that were not reserved before, or time
// until the next renewal. A worker that grants the same again must not be asked again at
// once. The error is the worker's.
func (t *Tenure) extend() (progress bool, err error) {
	t.mark()
	t.mu.Lock()
	through, revoked := t.through, t.revoked
	t.wanted = false
	t.mu.Unlock()

	ctx, cancel := context.WithTimeout(t.ctx, extendTimeout)
	var res uid.Reservation
	err = settings.Contain(t.cfg.Logger, "the worker's Extend", &t.panicked, func() (err error) {
		res, err = t.worker.Extend(ctx, through)
		return err
	})
	cancel()
	if err == nil {
		err = t.check(res)
		t.raise(&res)
	}
	t.granting.Lock()
	defer t.granting.Unlock()
	if t.ctx.Err() != nil {
		return false, nil
	}
	if err != nil {
		t.mu.Lock()
		t.wanted = true
		t.failedLocked(err)
		t.news.Tell()
		t.mu.Unlock()
		return false, err
	}
	t.mu.Lock()
	if revoked != t.revoked {
		// The worker revoked what it was about to return: ask again.
		t.mu.Unlock()
		return true, nil
	}
	before := t.grant.Load()
	t.putLocked(res)
	progress = res.WorkerID != before.WorkerID || res.Last > before.Last ||
		res.Renew > before.Renew && t.untilDueLocked() > 0
	t.mu.Unlock()
	t.tellGranted(res)
	return progress, nil
}

// longestSleep is the longest sleep before another reading of the clock, which may have been
// set forward meanwhile.
const longestSleep = time.Hour

// untilDueLocked returns the time until the clock reaches the tick at which an Extend is due.
func (t *Tenure) untilDueLocked() time.Duration {
	held(&t.mu)
	renew := t.grant.Load().Renew
	if renew == math.MaxInt64 {
		return math.MaxInt64
	}
	return ticks.Until(t.cfg.Terms, t.cfg.Now(), renew)
}
