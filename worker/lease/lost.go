package lease

import (
	"context"
	"fmt"
	"math"
	"time"
)

// A lostError says why a lease is not the owner's any more.
type lostError struct {
	why    string
	holder string // who has the ID now, if anybody
}

var errInvalidated = &lostError{why: "the program has invalidated it"}

func (e *lostError) Error() string {
	if e.holder == "" {
		return e.why
	}
	return fmt.Sprintf("%s; it is held by %q", e.why, e.holder)
}

// lost gives up the hold. What is reserved may be issued all the same, unless it was
// invalidated, in which case the generator knows.
func (l *Lease) lost(ctx context.Context, err *lostError) {
	h := l.hold
	l.hold = nil
	if l.file != nil {
		if e := l.forget(); e != nil {
			l.cfg.Logger.ErrorContext(ctx, "worker's state file still has a lease that was lost", "worker_id", h.id, "error", e)
		}
	}
	l.mu.Lock()
	l.invalid = false
	l.mu.Unlock()
	l.tell(ctx, Event{Kind: Lost, WorkerID: h.id, Holder: err.holder, Left: l.left(h), Err: err})
}

// warn tells, once, that a reservation that cannot be extended is coming to its end.
func (l *Lease) warn(ctx context.Context, err error) {
	if left := l.left(l.hold); left < l.cfg.Window/2 && !l.low {
		l.low = true
		l.tell(ctx, Event{Kind: Low, WorkerID: l.hold.id, Left: left, Err: err})
	}
}

// left is how long the reserved ticks last by the clock.
func (l *Lease) left(h *hold) time.Duration {
	return l.ticks(max(h.limit-l.terms.TickAt(l.cfg.Now()), 0))
}

// ticks is the length of so many ticks, or the longest duration there is.
func (l *Lease) ticks(n int64) time.Duration {
	if n > int64(math.MaxInt64/l.terms.Unit) {
		return math.MaxInt64
	}
	return time.Duration(n) * l.terms.Unit
}
