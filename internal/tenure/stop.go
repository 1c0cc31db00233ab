package tenure

import (
	"context"
	"errors"
	"fmt"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
)

// StopTimeout is how long a generator's Close without a context waits.
const StopTimeout = 30 * time.Second

const (
	// releaseTimeout bounds a Release that begins when no call waits for it any more.
	releaseTimeout = 10 * time.Second
	// stopGrace is how long Stop waits beyond its context's end for a worker that reacts
	// to that: its error says more than that the context has ended.
	stopGrace = 100 * time.Millisecond
)

// Stop ends the renewing: it cancels an Extend under way, and releases the worker when
// that has returned. It returns the worker's error. Some 100 ms after ctx has ended, it
// returns an error that wraps ctx's and says which call of the worker has not returned; the
// worker is then released, once, when that call has returned, and an error is logged.
//
// Only the first call does so. Others wait for it to return, at most as long as their ctx
// lasts, and return nil.
func (t *Tenure) Stop(ctx context.Context, last int64) error {
	l := t.lock()
	first := !t.stopped
	t.stopped = true
	if t.trouble.timer != nil {
		t.trouble.timer.Stop()
	}
	l.unlock()
	if !first {
		return t.awaitStop(ctx)
	}
	defer close(t.over)
	t.quit()
	released := make(chan error, 1)
	go func() {
		if t.done != nil {
			<-t.done
		}
		released <- t.release(ctx, last)
	}()
	select {
	case err := <-released:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-released:
		return err
	case <-time.After(stopGrace):
	}
	go func() { t.warn(t.grant.Load().WorkerID, <-released) }()
	if t.releasing.Load() {
		return fmt.Errorf("the worker's Release has not returned: %w", ctx.Err())
	}
	return fmt.Errorf("the worker's Extend has not returned, so that it is not released yet: %w", ctx.Err())
}

// LogUnkept logs a [uid.UnkeptError], and returns any other error: Close calls it with the error of CloseContext.
func (t *Tenure) LogUnkept(err error) error {
	var unkept *uid.UnkeptError
	if !errors.As(err, &unkept) {
		return err
	}
	t.cfg.Logger.Warn("uid: nothing keeps what this worker ID issued, no process may begin with it yet",
		"worker_id", unkept.WorkerID, "until", unkept.Until)
	return nil
}

// warn logs the error of a Release whose caller does not get it, if there is one.
func (t *Tenure) warn(id int64, err error) {
	if err != nil {
		t.cfg.Logger.Warn("uid: a generator's worker could not be released", "worker_id", id, "error", err)
	}
}

// awaitStop waits for the first call of Stop to return.
func (t *Tenure) awaitStop(ctx context.Context) error {
	select {
	case <-t.over:
		return nil // even if ctx has ended
	default:
	}
	select {
	case <-t.over:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("another call is about it: %w", ctx.Err())
	}
}

// release calls Release; with a context of its own if the caller's has ended.
func (t *Tenure) release(ctx context.Context, last int64) error {
	t.releasing.Store(true)
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
		defer cancel()
	}
	return settings.Contain(t.cfg.Logger, "the worker's Release", &t.panicked, func() error {
		return t.worker.Release(ctx, last)
	})
}
