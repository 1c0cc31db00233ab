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
	holder string // of the ID now, if there is one
}

var errWentBack = &lostError{why: "its row is from before this owner's newest write: the store went back"}

var errInvalidated = &lostError{why: "the program has invalidated it"}

func (e *lostError) Error() string {
	if e.holder == "" {
		return e.why
	}
	return fmt.Sprintf("%s; it is held by %q", e.why, e.holder)
}

// asLoss turns the error of a namespace that is missing into the loss of the lease: the next owner may
// find another one in its place, which knows nothing of this owner.
func asLoss(err error) error {
	if errors.Is(err, worker.ErrNoNamespace) {
		return &lostError{why: err.Error()}
	}
	return err
}

// lose drops the lease. What is reserved may still be issued, unless the lease was invalidated,
// which the generator knows.
func (l *lessee) lose(ctx context.Context, err *lostError) {
	was := l.lease
	l.lease, l.resumed = nil, false
	l.binding.Renew()
	l.report(ctx, Event{Kind: lost, WorkerID: was.id, Holder: err.holder, Left: l.left(was), Err: err})
}

// Invalidate is what [worker.Invalidate] asks of a worker. The old lease ends by itself.
func (l *lessee) Invalidate() error {
	l.binding.Invalidate()
	return nil
}

// dropInvalid drops what may be another copy's of the process since Invalidate.
func (l *lessee) dropInvalid(ctx context.Context) {
	switch {
	case !l.binding.Invalid():
	case l.lease != nil:
		l.lose(ctx, errInvalidated)
	default:
		l.pending = nil
		l.binding.Renew()
	}
}

// warnLow reports, once, that a reservation that cannot be extended is running out.
func (l *lessee) warnLow(ctx context.Context, err error) {
	if left := l.left(l.lease); left < l.cfg.Window/2 && !l.low {
		l.low = true
		l.report(ctx, Event{Kind: low, WorkerID: l.lease.id, Left: left, Err: err})
	}
}

// left is how long the reserved ticks last by the clock.
func (l *lessee) left(of *lease) time.Duration {
	return ticks.Span(max(of.reserved-l.terms.TickAt(l.now()), 0), l.terms.Unit)
}
