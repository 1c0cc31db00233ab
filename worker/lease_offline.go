package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
)

// With a state file there are two reservations, one within the other: the database's,
// which reaches as far as Offline, and the file's, up to which ticks may be issued. The
// file's is made durable like the other one before a tick of it is issued, so that a
// restart, which may find no database, knows what is left of the database's.

// offlinePatience bounds how long a start tries to reach the database before it takes
// what the file has.
const offlinePatience = 5 * time.Second

// resume opens the state file, and takes up the lease in it, if there is one and it is
// still the owner's or the database cannot be asked. l.hold is nil when there is none.
func (l *Lease) resume(ctx context.Context) error {
	file, err := openState(l.cfg.StateFile)
	if err != nil {
		return err
	}
	l.file = file
	r, found := file.load()
	if !found {
		return nil
	}
	switch {
	case r.Kind != stateLease || r.Namespace != l.cfg.Namespace:
		return fmt.Errorf("%w: %s is of kind %q for namespace %q, not %q for namespace %q", ErrState, l.cfg.StateFile, r.Kind, r.Namespace, stateLease, l.cfg.Namespace)
	case r.Host != l.cfg.Host:
		return fmt.Errorf("%w: %s was written on host %q, this is %q: a copy must not be used", ErrState, l.cfg.StateFile, r.Host, l.cfg.Host)
	case r.Layout != l.terms.Layout:
		return fmt.Errorf("%w: the UIDs of %s are of %s, now asked for %s", ErrLayout, l.cfg.StateFile, r.Layout, l.terms.Layout)
	case r.Nonce == "":
		return nil // the lease was lost
	}
	if r.WorkerID > l.terms.MaxWorkerID {
		return fmt.Errorf("%w: worker ID %d of %s is not within 0..%d, the layout's maximum", uid.ErrRange, r.WorkerID, l.cfg.StateFile, l.terms.MaxWorkerID)
	}
	now := l.cfg.Now()
	if r.High > l.terms.TickAt(now.Add(min(l.cfg.MaxAhead, maxDuration))) {
		return fmt.Errorf("%w: %s has used ticks up to %d, this process's clock is at %d, more than MaxAhead %v before that", ErrClock,
			l.cfg.StateFile, r.High, l.terms.TickAt(now), l.cfg.MaxAhead)
	}
	l.hold = &hold{
		id: r.WorkerID, nonce: r.Nonce, proposed: proposal{r.ProposedNonce, r.ProposedLimit},
		base: r.High, limit: r.Limit, granted: r.High, resumed: true,
	}
	err = retry.Do(ctx, min(l.cfg.Timeout, offlinePatience), l.cfg.Logger, func(ctx context.Context) error { return l.extend(ctx, 0) })
	if lost, is := errors.AsType[*lostError](err); is {
		l.lost(ctx, lost)
		return nil
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil || kindOf(err) != transient && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	next := max(l.hold.base+1, l.terms.TickAt(now))
	if l.hold.limit < next {
		return fmt.Errorf("%w: the ticks of worker ID %d in %s are reserved up to %d, the next one is %d: %w", uid.ErrNoReservation,
			l.hold.id, l.cfg.StateFile, l.hold.limit, next, err)
	}
	l.hold.at = l.clock()
	l.dueAfter(l.hold)
	l.cfg.Logger.WarnContext(ctx, "the database cannot be reached, starting on what the state file has reserved", "worker_id", l.hold.id,
		"namespace", l.cfg.Namespace, "left", l.ticks(l.hold.limit-next+1), "error", err)
	return nil
}

// note raises the file's reservation to 3/2 Window beyond the clock, and beyond what is
// asked for, as far as the database's goes, and grants it.
func (l *Lease) note(through int64) error {
	h := l.hold
	clock := l.terms.TickAt(l.cfg.Now())
	if h.granted >= clock+l.toTicks(l.cfg.Window) && h.granted >= through && l.noted(h) {
		return nil
	}
	before := h.granted
	h.granted = min(h.limit, max(before, clock+l.toTicks(l.cfg.Window+l.cfg.Window/2), l.withSlack(through)))
	if err := l.save(h); err != nil {
		h.granted = before
		return err
	}
	l.dueAfter(h)
	return nil
}

// noted reports whether the file has the hold's newest nonce: without it the lease
// could not be taken up again.
func (l *Lease) noted(h *hold) bool {
	r, found := l.file.load()
	return found && r.Nonce == h.nonce && r.WorkerID == h.id
}

// enough reports whether the generator has the ticks that it asks for, or at least those
// that the clock is about to reach.
func (l *Lease) enough(through int64) bool {
	return l.hold.granted >= max(through, l.terms.TickAt(l.cfg.Now())+1)
}

func (l *Lease) save(h *hold) error {
	return l.file.save(stateRecord{
		Kind: stateLease, Host: l.cfg.Host, WorkerID: h.id, Layout: l.terms.Layout, High: h.granted, Namespace: l.cfg.Namespace,
		Nonce: h.nonce, Limit: h.limit, ProposedNonce: h.proposed.nonce, ProposedLimit: h.proposed.high,
	})
}

// forget notes that the file has no lease, or none any more.
func (l *Lease) forget() error {
	r, found := l.file.load()
	if !found {
		r = stateRecord{Kind: stateLease, Host: l.cfg.Host, Layout: l.terms.Layout, High: -1, Namespace: l.cfg.Namespace}
	}
	r.Nonce, r.ProposedNonce, r.Limit, r.ProposedLimit = "", "", 0, 0
	return l.file.save(r)
}

// keep notes the last tick that was issued, and leaves the lease to the next start.
func (l *Lease) keep(last int64) error {
	var err error
	if h := l.hold; h != nil {
		h.granted = min(h.granted, max(h.base, last))
		err = l.save(h)
	}
	err = errors.Join(err, l.file.close())
	l.file = nil
	return err
}

// toTicks is a duration in ticks, rounded up.
func (l *Lease) toTicks(d time.Duration) int64 {
	return int64((d + l.terms.Unit - 1) / l.terms.Unit)
}
