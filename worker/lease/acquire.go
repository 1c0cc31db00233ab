package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/internal/workerid"
	"github.com/uidgen/uid/worker"
)

// errRaced says that the store offered a row whose lease, or quarantine, has not ended.
var errRaced = worker.Transient(errors.New("the ID that was free has just been leased again"))

// errNothing makes a store write nothing, because nothing has changed.
var errNothing = errors.New("nothing to write")

// acquire makes one attempt to lease an ID. It creates nothing: a missing namespace is
// worker.ErrNoNamespace. If an earlier attempt has leased an ID and its reply was lost, it takes
// that one up.
func (l *lease) acquire(ctx context.Context) error {
	d, err := l.retake(ctx)
	if err == nil && d == nil {
		d, err = l.take(ctx)
	}
	if err != nil {
		return err
	}
	h := &d.hold
	h.acked, h.at = h.sent, l.clock()
	l.hold, l.low, l.pending, l.back = h, false, nil, false
	l.dueAfter(h)
	l.report(ctx, d.event)
	l.sayAhead(ctx)
	workerid.WarnLow(ctx, l.cfg.Logger, h.id, h.ids.First, h.ids.Last, "have been used", "store", l.store.Name())
	return nil
}

// pending is an acquisition that may or may not have been stored.
type pending struct {
	hold
	event Event
}

// matches reports whether the row is as the doubted acquisition wrote it, and its lease lasts.
func (d *pending) matches(row *storage.Lease, now storage.Clock) bool {
	if row == nil {
		return false
	}
	owner, number := writer(row.Nonce)
	return owner == d.owner && number <= d.sent && row.High == d.limit && now.Within(row.Until)
}

// retake takes up the ID of the pending acquisition if its row bears one of the nonces that were written. It
// writes a new nonce, since what can be read need not be durable yet. If the row bears none of
// them, the doubted write never happened or is still on its way; should it still arrive, the ID
// is leased to nobody for a while, and nothing is issued under it. It returns nil if there is nothing to take up.
func (l *lease) retake(ctx context.Context) (*pending, error) {
	d := l.pending
	if d == nil {
		return nil, nil
	}
	asked, number := l.now(), d.sent
	err := l.change(ctx, d.id, func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
		d.sent = number // as in extend
		if err := l.compare(asked, now, l.cfg.MaxClockSkew); err != nil {
			return err
		}
		if !d.matches(row, now) {
			return errNothing
		}
		l.settle(ns, now)
		d.sent = number + 1
		d.wait = l.untilMore(now, d.limit)
		row.Nonce, row.Until, row.Renewed = nonce(d.owner, d.sent), row.Later(now.After(l.cfg.TTL)), now.Now
		return nil
	})
	if errors.Is(err, errNothing) {
		l.pending = nil
		return nil, nil
	}
	return d, err
}

// take leases the ID that has been free the longest, or a new one.
func (l *lease) take(ctx context.Context) (*pending, error) {
	wanted := storage.Wanted{IDs: Range{First: 0, Last: l.terms.MaxWorkerID},
		Must: l.cfg.IDs, Rest: l.cfg.quarantine(), Highest: l.highest}
	asked := l.now()
	l.pending = nil
	err := l.store.Take(ctx, wanted, func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
		l.pending = nil // what an earlier run decided was refused
		if err := l.compare(asked, now, l.cfg.MaxClockSkew); err != nil {
			return err
		}
		ids, err := wanted.Within(*ns)
		if err != nil {
			return err
		}
		if !ids.Has(row.WorkerID) {
			return fmt.Errorf("%w: the store offers worker ID %d, wanted is one of %v", uid.ErrRange, row.WorkerID, ids)
		}
		if err := l.checkAcquired(ns, row, now); err != nil {
			return err
		}
		event := Event{Kind: acquired, WorkerID: row.WorkerID}
		if row.Nonce != "" {
			event.Kind, event.Holder = takenOver, row.Holder
		}
		h, err := l.begin(ns, row, now)
		if err != nil {
			return err
		}
		h.ids = ids
		*row = storage.Lease{
			WorkerID: h.id, Nonce: nonce(h.owner, 0), High: h.limit, Until: now.After(l.cfg.TTL),
			Layout: l.terms.Layout, Holder: l.holder, Acquired: now.Now, Renewed: now.Now,
		}
		l.pending = &pending{hold: *h, event: event}
		return nil
	})
	return l.pending, err
}

// begin decides at which tick a new owner of a row begins, and what it reserves at once: nothing, where
// writes may have been lost. Its own may be lost as well, and then others begin no higher.
func (l *lease) begin(ns *storage.Namespace, row *storage.Lease, now storage.Clock) (*hold, error) {
	cause := l.settle(ns, now)
	lost := cause != ""
	if near := l.cfg.MaxClockSkew + 2*l.terms.Unit; !lost && ns.Floor > l.tickAt(now, near) {
		cause = "an owner or an earlier start found that the store may have lost writes, or a person said so"
		if l.missing {
			cause = "the namespace was missing, so it may have been lost"
		}
	}
	// Whoever comes later begins above this owner's floor, too.
	ns.Floor = max(ns.Floor, l.terms.MinTick-1)
	h := &hold{id: row.WorkerID, owner: newOwner(), base: max(row.High, ns.Floor)}
	if lost {
		h.base = max(h.base, l.burnt(now))
	}
	if h.base >= l.terms.MaxTick {
		return nil, fmt.Errorf("%w: the ticks of worker ID %d are used or burnt up to %d, the layout's last one is %d",
			uid.ErrExhausted, h.id, h.base, l.terms.MaxTick)
	}
	if wait := ticks.Until(l.terms, now.Now, h.base+1); cause != "" {
		h.ahead = &health.Ahead{Cause: cause, Until: l.now().Add(wait)}
	}
	h.limit = max(h.base, l.target(now, h.base, 1))
	h.wait = l.untilMore(now, h.limit)
	return h, nil
}

// checkAcquired refuses a namespace of another layout, a row whose lease or quarantine has not ended,
// and ticks that make no sense by the store's clock.
func (l *lease) checkAcquired(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
	if ns.Layout != l.terms.Layout {
		return fmt.Errorf("%w: the namespace's UIDs are of %s, now asked for %s",
			worker.ErrLayout, ns.Layout, l.terms.Layout)
	}
	if l.tickAt(now, 0) < 0 {
		return fmt.Errorf("%w: the store's shows %s, which is before the layout's epoch, %s",
			worker.ErrClock, stamp(now.Now), l.terms.Epoch.Format(time.RFC3339Nano))
	}
	if !now.Over(row.Until.Add(l.cfg.quarantine())) {
		return errRaced
	}
	// Another owner's clock may be ahead of this one by twice its error.
	if highest := l.highest(now.Now.Add(2 * now.Error)); max(row.High, ns.Floor) > highest {
		whose := fmt.Sprintf("worker ID %d", row.WorkerID)
		if ns.Floor > highest {
			whose = "the namespace"
		}
		return fmt.Errorf("%w: the ticks of %s are used up to %d, the store's clock is at %d, more than %v before that",
			worker.ErrClock, whose, max(row.High, ns.Floor), l.tickAt(now, 0), mostAhead)
	}
	return l.checkFloor(now)
}

// checkFloor refuses a floor of the generator that is too far ahead of the store's clock: a start would
// wait until a tick above it can be reserved. Nothing is written: the namespace would keep the floor, and
// all later starts would have to wait.
func (l *lease) checkFloor(now storage.Clock) error {
	allowed := l.reach(now) + l.patience()
	if floor := l.terms.MinTick - 1; floor >= 0 && floor > l.tickAt(now, allowed) {
		return fmt.Errorf("%w: the generator's floor rules out ticks up to %d, the clock is at %d; "+
			"a lease can begin %v ahead of it at most", uid.ErrRange, floor, l.tickAt(now, 0), allowed)
	}
	return nil
}

// compare refuses a store's clock, read since asked, that differs from this process's by more
// than limit.
func (l *lease) compare(asked time.Time, now storage.Clock, limit time.Duration) error {
	return compareClocks(asked, now.Now, l.now(), now.Error, limit)
}

// highest returns the last tick that may have been used by the time given, of the store's.
func (l *lease) highest(now time.Time) int64 {
	return max(l.terms.TickAt(now.Add(mostAhead)), -1)
}

// stamp formats a time for error texts.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
