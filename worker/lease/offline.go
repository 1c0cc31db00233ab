package lease

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/worker"
)

// With a state file there are two reservations, one within the other. The store's reaches as far
// as Offline. The file's is how far ticks may be issued; like the store's, it is made durable
// before a tick of it is issued. So a restart that finds no store knows what is left of the
// store's.

// offlinePatience bounds how long a start tries to reach the store before it starts on what the
// file has.
const offlinePatience = 5 * time.Second

// resume opens the state file and takes up the lease in it, if there is one and the store
// confirms it or cannot be asked. l.hold is nil when there is none.
func (l *Lease) resume(ctx context.Context) error {
	file, err := state.Open(l.cfg.StateFile)
	if err != nil {
		return err
	}
	l.file = file
	r, found := file.Load()
	if !found {
		return nil
	}
	if file.Torn() {
		l.cfg.Logger.WarnContext(ctx, state.Damaged, "worker_id", r.WorkerID, "store", file.Path(), "last_tick", r.High)
	}
	place, bound := strings.CutPrefix(r.Namespace, l.store.Name()+inPlace)
	if bound {
		if err := bind(l.store, place); err != nil {
			return err
		}
	}
	switch {
	case r.Kind != state.KindLease || r.Namespace != l.store.Name() && !bound:
		return fmt.Errorf("%w: %s is of kind %q for %q, not %q for %q", worker.ErrState, l.cfg.StateFile, r.Kind, r.Namespace, state.KindLease, l.store.Name())
	case r.Host != l.cfg.Host:
		return fmt.Errorf("%w: %s was written on host %q, this is %q: a copy must not be used", worker.ErrState, l.cfg.StateFile, r.Host, l.cfg.Host)
	case r.Layout != l.terms.Layout:
		return fmt.Errorf("%w: the UIDs of %s are of %s, now asked for %s", worker.ErrLayout, l.cfg.StateFile, r.Layout, l.terms.Layout)
	case r.Nonce == "":
		return nil // the lease was lost
	}
	if r.WorkerID > l.terms.MaxWorkerID {
		return fmt.Errorf("%w: worker ID %d of %s is not within 0..%d, the layout's maximum", uid.ErrRange, r.WorkerID, l.cfg.StateFile, l.terms.MaxWorkerID)
	}
	if l.cfg.IDs != (Range{}) && !l.cfg.IDs.has(r.WorkerID) {
		return fmt.Errorf("%w: worker ID %d of %s is not one of the IDs %v that are asked for; without the file another one is leased", uid.ErrRange, r.WorkerID, l.cfg.StateFile, l.cfg.IDs)
	}
	now := l.cfg.Now()
	if r.High > l.terms.TickAt(now.Add(min(l.cfg.MaxAhead, maxDuration))) {
		return fmt.Errorf("%w: %s has used ticks up to %d, this process's clock is at %d, more than MaxAhead %v before that", worker.ErrClock,
			l.cfg.StateFile, r.High, l.terms.TickAt(now), l.cfg.MaxAhead)
	}
	if err := l.checkFloor(now); err != nil {
		return err
	}
	l.hold = &hold{
		id: r.WorkerID, nonce: r.Nonce, proposed: r.Proposals,
		base: max(r.High, l.terms.MinTick-1), limit: r.Limit, granted: r.High, resumed: true,
		reach: r.Reach,
	}
	through := int64(0)
	if l.hold.unreserved() {
		through = l.hold.base + 1 // there is a floor beyond what the store has reserved
	}
	err = retry.Do(ctx, min(l.cfg.Timeout, offlinePatience), l.cfg.Logger, func(ctx context.Context) error {
		if err := l.inspect(ctx); err != nil {
			return err
		}
		return l.extend(ctx, through)
	})
	if lost, is := errors.AsType[*lostError](err); is {
		l.lost(ctx, lost)
		return nil
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil || !retry.IsTransient(err) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	next := max(l.hold.base+1, l.terms.TickAt(now))
	if l.hold.limit < next {
		return fmt.Errorf("%w: the ticks of worker ID %d in %s are reserved up to %d, the next one is %d: %w", uid.ErrNoReservation,
			l.hold.id, l.cfg.StateFile, l.hold.limit, next, err)
	}
	l.hold.at = l.clock()
	l.dueAfter(l.hold)
	l.cfg.Logger.WarnContext(ctx, "the store cannot be reached, starting on what the state file has reserved", "worker_id", l.hold.id,
		"store", l.store.Name(), "left", ticks.Span(l.hold.limit-next+1, l.terms.Unit), "error", err)
	return nil
}

// inPlace stands between a store's Name and its Place in a state file.
const inPlace = " in "

// namespace returns what the state file is bound to.
func (l *Lease) namespace() string {
	if place := placeOf(l.store); place != "" {
		return l.store.Name() + inPlace + place
	}
	return l.store.Name()
}

// placeOf returns the Place of a store that has one.
func placeOf(s Store) string {
	if s, is := s.(PlacedStore); is {
		return s.Place()
	}
	return ""
}

// bind binds a store that can be bound.
func bind(s Store, place string) error {
	if s, is := s.(PlacedStore); is {
		return s.Bind(place)
	}
	return fmt.Errorf("%w: the state file is bound to %q, and %s is not known to be there",
		worker.ErrState, place, s.Name())
}

// note raises the file's reservation to 3/2 Window beyond the clock, and beyond through, as far
// as the store's goes, and grants it.
func (l *Lease) note(through int64) error {
	h := l.hold
	if h.granted >= l.terms.TickAt(l.cfg.Now())+ticks.Count(l.cfg.Window, l.terms.Unit) &&
		h.granted >= through && l.noted(h) {
		return nil
	}
	before := h.granted
	// limit is below what was granted where a damaged record may have had a newer one.
	h.granted = max(before, min(h.limit, max(l.fileReach(), l.withSlack(through))))
	if err := l.save(h); err != nil {
		h.granted = before
		return err
	}
	l.dueAfter(h)
	return nil
}

// fileReach is as far beyond the clock as the file reserves unless more is asked for.
func (l *Lease) fileReach() int64 {
	return l.terms.TickAt(l.cfg.Now()) + ticks.Count(l.cfg.Window+l.cfg.Window/2, l.terms.Unit)
}

// noted reports whether the file has the hold's newest nonce, without which the lease could not
// be taken up again.
func (l *Lease) noted(h *hold) bool {
	r, found := l.file.Load()
	return found && r.Nonce == h.nonce && r.WorkerID == h.id
}

// enough reports whether the generator has the ticks that it asks for and those that the clock is
// about to reach.
func (l *Lease) enough(through int64) bool {
	return l.hold.granted >= max(through, l.terms.TickAt(l.cfg.Now())+1)
}

func (l *Lease) save(h *hold) error {
	// What the next record grants lies within a renewal that this one has.
	most := h.limit
	for _, p := range h.proposed {
		most = max(most, p.High)
	}
	next := ticks.Plus(max(h.granted, l.fileReach(), 0), ticks.Count(l.cfg.Window, l.terms.Unit))
	return l.file.Save(state.Record{
		Kind: state.KindLease, Host: l.cfg.Host, WorkerID: h.id, Layout: l.terms.Layout, High: h.granted, Next: max(h.granted, min(most, next)),
		Namespace: l.namespace(), Nonce: h.nonce, Limit: h.limit, Proposals: h.proposed, Reach: h.reach,
	})
}

// forget saves that the file holds no lease, or none any more. Whatever comes next is one from the
// store, with ticks that nobody had.
func (l *Lease) forget() error {
	return l.file.Save(state.Record{
		Kind: state.KindLease, Host: l.cfg.Host, Layout: l.terms.Layout,
		High: -1, Next: l.terms.MaxTick, Namespace: l.store.Name(),
	})
}

// keep saves the last tick that was issued, and leaves the lease to the next start.
func (l *Lease) keep(last int64) error {
	var err error
	if h := l.hold; h != nil {
		h.granted = min(h.granted, max(h.base, last))
		err = l.save(h)
	}
	err = errors.Join(err, l.file.Close())
	l.file = nil
	return err
}
