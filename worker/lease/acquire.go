package lease

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/internal/workerid"
	"github.com/uidgen/uid/worker"
)

// errRaced says that the store offered a row whose lease, or quarantine, has not ended.
var errRaced = worker.Transient(errors.New("the ID that was free has just been leased again"))

// acquire makes one attempt to lease an ID: that of the pending acquisition, or a free one. It creates nothing: a
// missing namespace is worker.ErrNoNamespace.
func (l *lessee) acquire(ctx context.Context) error {
	p, err := l.acquirePending(ctx)
	if err == nil && p == nil {
		p, err = l.acquireFree(ctx)
	}
	if errors.Is(err, worker.ErrNoNamespace) {
		err = fmt.Errorf("%w; uid worker init, or lease.Found, makes a new one; "+
			"with --lost, or Lost, one that had owners", err)
	}
	if err != nil {
		return err
	}
	held := &p.lease
	held.acked = held.sent
	l.lease, l.low, l.pending, l.wentBack = held, false, nil, false
	l.schedule(held)
	l.report(ctx, p.event)
	l.warnAhead(ctx, p.avoid)
	workerid.WarnLow(ctx, l.cfg.Logger, held.id, held.ids.First, held.ids.Last,
		"have been used", "store", l.store.Name())
	return nil
}

// acquirePending leases the ID of the pending acquisition if its row bears one of the nonces that were written. It
// writes a new nonce, since what can be read need not be durable yet. If the row bears none of
// them, the pending write never happened or is still on its way; should it still arrive, the ID
// is blocked for a while, and nothing is issued under it. So it is where the floor has risen above its first tick:
// nobody begins there any more. It returns nil if there is nothing to lease.
func (l *lessee) acquirePending(ctx context.Context) (*pending, error) {
	p := l.pending
	if p == nil {
		return nil, nil
	}
	asked, number := l.now(), p.sent
	err := l.change(ctx, p.id, func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
		p.sent = number // as in renew
		if err := l.compare(asked, now, l.cfg.MaxClockSkew); err != nil {
			return err
		}
		if !p.matches(row, now) || ns.Floor > p.before {
			return errNothing
		}
		l.adoptHistory(ns, now)
		p.sent, p.clock = number+1, now
		row.Nonce, row.Until, row.Renewed = nonce(p.owner, p.sent), row.Later(now.After(l.cfg.TTL)), now.Now
		return nil
	})
	if errors.Is(err, errNothing) {
		l.pending = nil
		return nil, nil
	}
	return p, err
}

// acquireFree leases the ID that has been free the longest, or a new one.
func (l *lessee) acquireFree(ctx context.Context) (*pending, error) {
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
		if err := l.checkFree(ns, row, now); err != nil {
			return err
		}
		p, err := l.begin(ns, row, now)
		if err != nil {
			return err
		}
		p.ids = ids
		p.event = Event{Kind: acquired, WorkerID: row.WorkerID}
		if row.Nonce != "" {
			p.event.Kind, p.event.Holder = takenOver, row.Holder
		}
		*row = storage.Lease{
			WorkerID: p.id, Nonce: nonce(p.owner, 0), High: p.reserved, Until: now.After(l.cfg.TTL),
			Layout: l.terms.Layout, Holder: l.holder, Acquired: now.Now, Renewed: now.Now,
		}
		l.pending = p
		return nil
	})
	return l.pending, err
}

// begin decides at which tick a new owner of a row begins, and what it reserves at once: nothing, where
// writes may have been lost. Its own may be lost as well, and then others begin no higher.
func (l *lessee) begin(ns *storage.Namespace, row *storage.Lease, now storage.Clock) (*pending, error) {
	cause := l.adoptHistory(ns, now)
	lossy, avoid := cause != "", "a state file (statefile.OnLease), or Losses: Never where that is true"
	if near := l.cfg.MaxClockSkew + 2*l.terms.Unit; !lossy && ns.Floor > l.tickAt(now, near) {
		cause = "an owner or an earlier start found that the store may have lost writes, or a person said so"
		if ns.Floor == l.terms.TickAt(ns.Made.Add(Burn)) {
			cause = "the namespace was missing, so it may have been lost"
			avoid = "uid worker init, or lease.Found, before the first start of a new namespace"
		}
	}
	// Each later owner begins above this owner's floor, too.
	ns.Floor = max(ns.Floor, l.terms.MinTick-1)
	held := lease{id: row.WorkerID, owner: newOwner(), before: max(row.High, ns.Floor), clock: now}
	if lossy {
		held.before = max(held.before, l.burnEnd(now))
	}
	if held.before >= l.terms.MaxTick {
		return nil, fmt.Errorf("%w: the ticks of worker ID %d are used or burnt up to %d, the layout's last one is %d",
			uid.ErrExhausted, held.id, held.before, l.terms.MaxTick)
	}
	if wait := ticks.Until(l.terms, now.Now, held.before+1); cause != "" {
		held.ahead = &health.Ahead{Cause: cause, Until: l.now().Add(wait)}
	}
	held.reserved = max(held.before, l.target(now, held.before, 1))
	return &pending{lease: held, avoid: avoid}, nil
}

// checkFree refuses a namespace of another layout, a row whose lease or quarantine has not ended,
// and ticks that make no sense by the store's clock.
func (l *lessee) checkFree(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
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
func (l *lessee) checkFloor(now storage.Clock) error {
	allowed := l.reach(now) + l.longestWait()
	if floor := l.terms.MinTick - 1; floor >= 0 && floor > l.tickAt(now, allowed) {
		return fmt.Errorf("%w: the generator's floor rules out ticks up to %d, the clock is at %d; "+
			"a lease can begin %v ahead of it at most", uid.ErrRange, floor, l.tickAt(now, 0), allowed)
	}
	return nil
}

// longestWait is how long a start waits for its first reservation.
func (l *lessee) longestWait() time.Duration {
	return l.cfg.MaxClockSkew + 2*l.terms.Unit + cmp.Or(l.cfg.Timeout, retry.DefaultTimeout)
}
