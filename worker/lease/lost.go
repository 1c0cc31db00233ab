package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/worker"
)

// A lostError says why the owner has lost the lease.
type lostError struct {
	why    string
	holder string // who has the ID now, if anybody
}

var errBack = &lostError{why: "its row is from before this owner's newest write: the store went back"}

var errInvalidated = &lostError{why: "the program has invalidated it"}

func (e *lostError) Error() string {
	if e.holder == "" {
		return e.why
	}
	return fmt.Sprintf("%s; it is held by %q", e.why, e.holder)
}

// gone turns the error of a namespace that is missing into the loss of the lease: the next owner may
// find another one in its place, which knows nothing of this owner.
func gone(err error) error {
	if errors.Is(err, worker.ErrNoNamespace) {
		return &lostError{why: err.Error()}
	}
	return err
}

// lost gives up the hold. What is reserved may still be issued, unless the hold was invalidated,
// which the generator knows.
func (l *lease) lost(ctx context.Context, err *lostError) {
	h := l.hold
	l.hold, l.resumed = nil, false
	l.binding.Renew()
	l.report(ctx, Event{Kind: lost, WorkerID: h.id, Holder: err.holder, Left: l.left(h), Err: err})
}

// warn reports, once, that a reservation that cannot be extended is running out.
func (l *lease) warn(ctx context.Context, err error) {
	if left := l.left(l.hold); left < l.cfg.Window/2 && !l.low {
		l.low = true
		l.report(ctx, Event{Kind: low, WorkerID: l.hold.id, Left: left, Err: err})
	}
}

// left is how long the reserved ticks last by the clock.
func (l *lease) left(h *hold) time.Duration {
	return ticks.Span(max(h.limit-l.terms.TickAt(l.now()), 0), l.terms.Unit)
}
