package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/ticks"
)

// Held returns what the owner holds; Used is the last tick before its first one. It is the
// generator's to call, as the methods of [uid.Worker] are. held is false while it holds nothing, and once
// the lease was invalidated.
func (l *lease) Held() (h storage.Held, held bool) {
	if l.hold == nil || l.binding.Invalid() {
		return storage.Held{}, false
	}
	return storage.Held{WorkerID: l.hold.id, Nonce: nonce(l.hold.owner, l.hold.acked),
		Used: l.hold.base, Last: l.hold.limit}, true
}

// Store returns the store that was given to New.
func (l *lease) Store() Store { return l.store }

// resumePatience bounds how long a start tries to reach the store before it goes on with what it
// holds.
const resumePatience = 5 * time.Second

// Resume takes a lease up again, as Acquire takes one, and goes on above h.Used. The owner renews first.
// If the store cannot be reached within 5 s it goes on with the ticks up to h.Last. If the lease is lost
// it leases another ID, as Acquire does. Its errors are Acquire's, and [uid.ErrNoReservation] when the
// store cannot be reached and nothing is left.
func (l *lease) Resume(ctx context.Context, t uid.Terms, h storage.Held) (uid.Reservation, error) {
	owner, number := writer(h.Nonce)
	if owner == "" || h.WorkerID < 0 || h.WorkerID > t.MaxWorkerID || h.Used < -1 {
		return uid.Reservation{}, fmt.Errorf("%w: worker ID %d, nonce %.40q and tick %d are no lease "+
			"of a layout with IDs up to %d", uid.ErrRange, h.WorkerID, h.Nonce, h.Used, t.MaxWorkerID)
	}
	if l.cfg.IDs != (Range{}) && !l.cfg.IDs.Has(h.WorkerID) {
		return uid.Reservation{}, fmt.Errorf("%w: worker ID %d is not one of the IDs %v that are asked for",
			uid.ErrRange, h.WorkerID, l.cfg.IDs)
	}
	if err := l.bind(t); err != nil {
		return uid.Reservation{}, err
	}
	l.resumed = true
	l.hold = &hold{id: h.WorkerID, owner: owner, acked: number, sent: number, resumed: true,
		base: max(h.Used, t.MinTick-1), limit: h.Last, at: l.clock()}
	if err := l.checkFloor(storage.Clock{Now: l.now()}); err != nil {
		return l.started(ctx, err)
	}
	return l.started(ctx, l.resume(ctx))
}

func (l *lease) resume(ctx context.Context) error {
	h := l.hold
	err := retry.Do(ctx, retry.AtMost(l.cfg.Timeout, resumePatience), l.cfg.Logger, func(ctx context.Context) error {
		if err := l.inspect(ctx); err != nil {
			return err
		}
		return l.extend(ctx, 0)
	})
	if lost, is := errors.AsType[*lostError](err); is {
		l.lost(ctx, lost)
		return retry.Do(ctx, l.cfg.Timeout, l.cfg.Logger, l.first)
	}
	if err == nil || ctx.Err() != nil || !retry.IsTransient(err) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	next := max(h.base+1, l.terms.TickAt(l.now()))
	if h.limit < next {
		return fmt.Errorf("%w: the ticks of worker ID %d are reserved up to %d, the next one is %d: %w",
			uid.ErrNoReservation, h.id, h.limit, next, err)
	}
	h.at = l.clock()
	l.dueAfter(h)
	l.cfg.Logger.WarnContext(ctx, "the store cannot be reached, starting on what was reserved before",
		"worker_id", h.id, "store", l.store.Name(), "left", ticks.Span(h.limit-next+1, l.terms.Unit), "error", err)
	return nil
}

// Leave ends the binding to the generator, and leaves the lease as it is: who resumes it goes on.
// Others get the ID after TTL and the time that it is left alone.
func (l *lease) Leave() error {
	l.hold, l.pending = nil, nil
	l.tell()
	return l.binding.Unbind()
}
