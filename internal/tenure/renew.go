package tenure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/ticks"
)

// extendTimeout is how long one Extend may take.
const extendTimeout = 10 * time.Second

// start starts the renewing goroutine, unless it runs or must not.
func (t locked) start() {
	if t.done == nil && t.acquired && !t.stopped {
		t.done = make(chan struct{})
		go t.renew(0)
	}
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
		l := t.lock()
		l.fail(errors.New("the worker's Extend ended its goroutine"))
		l.unlock()
		t.report()
		go t.renew(maxPause)
	}()
	if t.sleep(pause, nil); t.ctx.Err() != nil {
		return
	}
	pause = minPause
	for {
		l := t.lock()
		due, wanted := l.untilDue(), t.wanted
		l.unlock()
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
	t.sample()
	l := t.lock()
	through, revoked := t.through, t.revoked
	t.wanted = false
	l.unlock()

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
	g := t.lockGranting()
	defer t.granting.Unlock()
	if t.ctx.Err() != nil {
		return false, nil
	}
	both := g.lock()
	if err != nil {
		both.fail(err)
		both.unlock()
		return false, err
	}
	if revoked != t.revoked {
		// The worker revoked what it was about to return: ask again.
		both.unlock()
		return true, nil
	}
	before := t.grant.Load()
	both.put(res)
	progress = res.WorkerID != before.WorkerID || res.Last > before.Last ||
		res.Renew > before.Renew && both.untilDue() > 0
	both.unlock()
	g.tell(res)
	return progress, nil
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

// longestSleep is the longest sleep before another reading of the clock, which may have been
// set forward meanwhile.
const longestSleep = time.Hour

// untilDue returns the time until the clock reaches the tick at which an Extend is due.
func (t locked) untilDue() time.Duration {
	renew := t.grant.Load().Renew
	if renew == math.MaxInt64 {
		return math.MaxInt64
	}
	return ticks.Until(t.cfg.Terms, t.cfg.Now(), renew)
}
