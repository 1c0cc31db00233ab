package lease

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/uidgen/uid/internal/ticks"
)

// A lostError says why the owner has lost the lease.
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

// lost gives up the hold. What is reserved may still be issued, unless the hold was invalidated,
// which the generator knows.
func (l *Lease) lost(ctx context.Context, err *lostError) {
	h := l.hold
	l.hold = nil
	if l.file != nil {
		// Twice: neither record, if the other one is damaged, is to bring the lease back.
		if e := cmp.Or(l.forget(), l.forget()); e != nil {
			l.cfg.Logger.ErrorContext(ctx, "worker's state file still has a lease that was lost", "worker_id", h.id, "error", e)
		}
	}
	l.binding.Renew()
	l.report(ctx, Event{Kind: Lost, WorkerID: h.id, Holder: err.holder, Left: l.left(h), Err: err})
}

// warn reports, once, that a reservation that cannot be extended is running out.
func (l *Lease) warn(ctx context.Context, err error) {
	if left := l.left(l.hold); left < l.cfg.Window/2 && !l.low {
		l.low = true
		l.report(ctx, Event{Kind: Low, WorkerID: l.hold.id, Left: left, Err: err})
	}
}

// left is how long the reserved ticks last by the clock.
func (l *Lease) left(h *hold) time.Duration {
	return ticks.Span(max(h.limit-l.terms.TickAt(l.cfg.Now()), 0), l.terms.Unit)
}
