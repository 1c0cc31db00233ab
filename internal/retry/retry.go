// Package retry repeats calls of a store whose failures may pass. All workers use it, so that
// they share its pauses, its time limit and its error texts.
package retry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"
)

// DefaultTimeout is how long Do tries where the timeout is 0.
const DefaultTimeout = 30 * time.Second

const (
	// unreached is how long Do tries at most, without a deadline and by default, a store that no attempt reaches.
	unreached = 3 * time.Second

	firstPause   = 50 * time.Millisecond
	longestPause = 2 * time.Second
)

// Transient marks an error that may pass, so that Do tries again.
func Transient(err error) error { return &transientError{error: err} }

// Unreachable is Transient for a store that nobody answers for.
func Unreachable(err error) error { return &transientError{err, true} }

type transientError struct {
	error
	unreachable bool
}

func (e *transientError) Unwrap() error   { return e.error }
func (e *transientError) Transient() bool { return true }

// Unreachable reports to Do that nobody has answered.
func (e *transientError) Unreachable() bool { return e.unreachable }

// ErrRaced is in the error of a call that others were faster than until its context ended. The store has answered.
var ErrRaced = errors.New("others have written it before")

// IsTransient reports whether an error may pass. The outermost error in err's chain that has a
// method Transient decides; without one err is final.
func IsTransient(err error) bool {
	marked, ok := errors.AsType[interface {
		error
		Transient() bool
	}](err)
	return ok && marked.Transient()
}

// isUnreachable is IsTransient for a method Unreachable.
func isUnreachable(err error) bool {
	marked, ok := errors.AsType[interface {
		error
		Unreachable() bool
	}](err)
	return ok && marked.Unreachable()
}

// AtMost returns timeout, or DefaultTimeout for 0, but no more than most.
func AtMost(timeout, most time.Duration) time.Duration {
	return min(cmp.Or(timeout, DefaultTimeout), most)
}

// Do calls attempt until it succeeds, fails finally, or the time is up: the caller's, or timeout. A timeout of 0 is of
// callers that have not said how long they wait: then a deadline of theirs stands in its place, and without one it is
// DefaultTimeout, but a store that no attempt has reached is given up much earlier. Pauses double from firstPause to
// longestPause. Each is drawn at random between half of that and all of it, so that a fleet that was cut off together
// does not come back together.
func Do(ctx context.Context, timeout time.Duration, log *slog.Logger, attempt func(context.Context) error) error {
	limited, cancel := ctx, func() {}
	_, told := ctx.Deadline()
	impatient, began := !told && timeout == 0, time.Now()
	if !told || timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, cmp.Or(timeout, DefaultTimeout))
	}
	defer cancel()
	var last error // the newest failure that is not just the end of the context
	pause := firstPause
	for n := 1; ; n++ {
		if limited.Err() == nil {
			err := attempt(limited)
			if err == nil || !IsTransient(err) {
				return err
			}
			if limited.Err() == nil || !isContextError(err) || errors.Is(err, ErrRaced) {
				last = err
			}
			impatient = impatient && isUnreachable(err)
		}
		if err := limited.Err(); err != nil {
			return gaveUp(ctx, err, n, cmp.Or(timeout, DefaultTimeout), last)
		}
		if impatient && time.Since(began)+pause > unreached {
			return gaveUp(ctx, context.DeadlineExceeded, n, time.Since(began).Round(100*time.Millisecond), last)
		}
		level := slog.LevelDebug
		if n == 1 {
			level = slog.LevelWarn
		}
		log.Log(ctx, level, "a call of the store failed, trying again", "attempts", n, "error", last)
		select {
		case <-time.After(pause/2 + rand.N(pause/2)):
		case <-limited.Done():
		}
		pause = min(2*pause, longestPause)
	}
}

func gaveUp(ctx context.Context, err error, attempts int, after time.Duration, last error) error {
	text := "gave up"
	if ctx.Err() == nil {
		text = fmt.Sprintf("gave up after %v", after)
	}
	if last == nil {
		return fmt.Errorf("%s: %w, with no answer from the store", text, err)
	}
	return fmt.Errorf("%s: %w; attempt %d: %w", text, err, attempts, last)
}

func isContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
