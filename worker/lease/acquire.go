package lease

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/clock"
	"github.com/uidgen/uid/internal/supply"
	"github.com/uidgen/uid/worker"
)

// errRaced says that the store offered a row whose lease, or quarantine, has not ended.
var errRaced = worker.Transient(errors.New("the ID that was free has just been leased again"))

// errNothing makes a store write nothing, because nothing has changed.
var errNothing = errors.New("nothing to write")

// acquire makes one attempt to lease an ID. It creates nothing: a missing namespace is
// worker.ErrNoNamespace. If an earlier attempt has leased an ID and its reply was lost, it takes
// that one up.
func (l *Lease) acquire(ctx context.Context) error {
	h, event, err := l.retake(ctx)
	if err == nil && h == nil {
		h, event, err = l.take(ctx)
	}
	if err != nil {
		return err
	}
	h.at = l.clock()
	l.hold, l.low, l.doubt = h, false, nil
	l.report(ctx, event)
	supply.Warn(ctx, l.cfg.Logger, h.id, h.ids.First, h.ids.Last, "have been used", "store", l.store.Name())
	return nil
}

// A doubt is an acquisition that may or may not have been stored.
type doubt struct {
	hold
	// nonces are those of the first attempt and of each retake: the row may bear any of them.
	nonces []string
	// high is the High that each of them wrote.
	high  int64
	event Event
}

// matches reports whether the row is as the doubted acquisition wrote it, and its lease lasts.
func (d *doubt) matches(row *Row, now Clock) bool {
	return row != nil && slices.Contains(d.nonces, row.Nonce) && row.High == d.high && now.within(row.Until)
}

// retake takes up the ID of the doubt if its row bears one of the nonces that were written. It
// writes a new nonce, since what can be read need not be durable yet. If the row bears none of
// them, the doubted write never happened or is still on its way; should it still arrive, the ID
// is leased to nobody for a while, and nothing is issued under it.
func (l *Lease) retake(ctx context.Context) (h *hold, event Event, err error) {
	d := l.doubt
	if d == nil {
		return nil, event, nil
	}
	asked := l.cfg.Now()
	nonces := d.nonces
	err = l.store.Change(ctx, d.id, func(row *Row, now Clock) error {
		if err := l.compare(asked, now, l.cfg.MaxClockOffset); err != nil {
			return err
		}
		if !d.matches(row, now) {
			return errNothing
		}
		h = &hold{id: d.id, ids: d.ids, nonce: newNonce(), base: d.base, limit: d.limit, granted: d.granted, reach: d.reach}
		if h.limit == h.base {
			h.wait = l.untilReach(now, h.base+1)
		}
		l.dueAfter(h)
		row.Nonce, row.Until, row.Renewed = h.nonce, now.after(l.cfg.ttl()), now.Now
		d.nonces = append(nonces[:len(nonces):len(nonces)], h.nonce)
		return nil
	})
	if errors.Is(err, errNothing) {
		l.doubt = nil
		return nil, event, nil
	}
	return h, d.event, err
}

// take leases the ID that has been free the longest, or a new one.
func (l *Lease) take(ctx context.Context) (h *hold, event Event, err error) {
	wanted := Wanted{IDs: Range{First: 0, Last: l.terms.MaxWorkerID},
		Must: l.cfg.IDs, Rest: l.cfg.Quarantine, Highest: l.highest}
	asked := l.cfg.Now()
	err = l.store.Take(ctx, wanted, func(ns *Namespace, row *Row, now Clock) (err error) {
		if err := l.compare(asked, now, l.cfg.MaxClockOffset); err != nil {
			return err
		}
		ids, err := wanted.Within(*ns)
		if err != nil {
			return err
		}
		if !ids.has(row.WorkerID) {
			return fmt.Errorf("%w: the store offers worker ID %d, wanted is one of %v", uid.ErrRange, row.WorkerID, ids)
		}
		if err := l.checkAcquired(ns, row, now); err != nil {
			return err
		}
		h, err = l.begin(ns, row, now)
		if err != nil {
			return err
		}
		h.ids = ids
		event = Event{Kind: Acquired, WorkerID: h.id}
		if row.Nonce != "" {
			event.Kind, event.Holder = TakenOver, row.Holder
		}
		// Whoever comes later begins above this owner's floor, too.
		ns.Floor = max(ns.Floor, l.terms.MinTick-1)
		reach := l.reach(now)
		if ns.Reach < reach && !l.cfg.DurableStore { // what cannot be lost need not be burnt
			ns.Reach = reach
		}
		*row = Row{
			WorkerID: h.id, Nonce: h.nonce, High: h.limit, Until: now.after(l.cfg.ttl()), Layout: l.terms.Layout,
			Holder: l.cfg.Holder, Acquired: now.Now, Renewed: now.Now, Reach: reach,
		}
		l.doubt = &doubt{hold: *h, nonces: []string{h.nonce}, high: row.High, event: event}
		return nil
	})
	return h, event, err
}

// begin decides at which tick a new owner of a row begins.
func (l *Lease) begin(ns *Namespace, row *Row, now Clock) (*hold, error) {
	h := &hold{id: row.WorkerID, nonce: newNonce(), base: max(row.High, ns.Floor, l.terms.MinTick-1)}
	if row.High < 0 {
		// The ID may have had an owner in a namespace that was lost, who did not use ticks of the future.
		h.base = max(h.base, l.tickAt(now, -l.cfg.MaxClockSkew)-1)
	}
	if l.cfg.DurableStore {
		h.limit = max(l.within(l.tickAt(now, l.cfg.reach())), l.withSlack(h.base))
	} else {
		burn := max(ns.Reach, l.reach(now))
		h.base = max(h.base, l.tickAt(now, burn))
		h.limit, h.reach = h.base, l.reach(now)
		h.wait = l.untilReach(now, h.base+1)
	}
	if h.base >= l.terms.MaxTick {
		return nil, fmt.Errorf("%w: the ticks of worker ID %d are used or burnt up to %d, the layout's last one is %d", uid.ErrExhausted, h.id, h.base, l.terms.MaxTick)
	}
	if h.granted = h.limit; l.file != nil {
		h.granted = h.base // the file has yet to say so
	}
	l.dueAfter(h)
	return h, nil
}

// checkAcquired refuses a namespace of another layout or one that rests, a row whose lease or
// quarantine has not ended, and ticks that make no sense by the store's clock.
func (l *Lease) checkAcquired(ns *Namespace, row *Row, now Clock) error {
	if ns.Layout != l.terms.Layout {
		return fmt.Errorf("%w: the namespace's UIDs are of %s, now asked for %s", worker.ErrLayout, ns.Layout, l.terms.Layout)
	}
	if tick := l.tickAt(now, 0); tick < 0 && !l.cfg.AllowBeforeEpoch {
		return fmt.Errorf("%w: the store's shows %s, which is before the layout's epoch, %s", worker.ErrClock, stamp(now.Now), l.terms.Epoch.Format(time.RFC3339Nano))
	}
	if !now.over(ns.Rest) {
		return l.resting(ns, now)
	}
	if !now.over(row.Until.Add(l.cfg.Quarantine)) {
		return errRaced
	}
	// Another owner's clock may be ahead of this one by twice its error.
	if highest := l.highest(now.Now.Add(2 * now.Error)); max(row.High, ns.Floor) > highest {
		whose := fmt.Sprintf("worker ID %d", row.WorkerID)
		if ns.Floor > highest {
			whose = "the namespace"
		}
		return fmt.Errorf("%w: the ticks of %s are used up to %d, the store's clock is at %d, more than MaxAhead %v before that", worker.ErrClock,
			whose, max(row.High, ns.Floor), l.tickAt(now, 0), l.cfg.MaxAhead)
	}
	return l.checkFloor(now.Now)
}

// checkFloor refuses a floor of the generator that is too far ahead of a clock. On a store that
// can lose writes a start has to wait until a tick above it can be reserved. Nothing is written:
// the namespace would keep the floor, and all later starts would have to wait.
func (l *Lease) checkFloor(now time.Time) error {
	allowed := min(l.cfg.MaxAhead, maxDuration)
	if !l.cfg.DurableStore {
		allowed = min(allowed, l.cfg.reach()+l.patience())
	}
	if floor := l.terms.MinTick - 1; floor >= 0 && floor > l.terms.TickAt(now.Add(allowed)) {
		return fmt.Errorf("%w: the generator's floor rules out ticks up to %d, the clock is at %d; a lease can begin %v ahead of it at most",
			uid.ErrRange, floor, l.terms.TickAt(now), allowed)
	}
	return nil
}

// resting returns the error of a namespace that rests. It is transient if the rest ends within
// the Timeout: a start then waits for it.
func (l *Lease) resting(ns *Namespace, now Clock) error {
	left := ns.Rest.Add(now.Error).Sub(now.Now)
	err := fmt.Errorf("%w: the namespace was made at %s because it was not there, and rests until %s, %v from now, "+
		"for owners of one that was lost; if it never had any, Registry.Init or uid worker init ends that", uid.ErrNoReservation,
		stamp(ns.Made), stamp(ns.Rest), left.Round(time.Millisecond))
	if left <= l.cfg.Timeout {
		return worker.Transient(err)
	}
	return err
}

// compare refuses a store's clock, read since asked, that differs from this process's by more
// than limit.
func (l *Lease) compare(asked time.Time, now Clock, limit time.Duration) error {
	return clock.Compare(asked, now.Now, l.cfg.Now(), now.Error, limit)
}

// highest returns the last tick that may have been used by the time given, of the store's.
func (l *Lease) highest(now time.Time) int64 {
	if l.cfg.MaxAhead == math.MaxInt64 {
		return math.MaxInt64
	}
	return max(l.terms.TickAt(now.Add(l.cfg.MaxAhead)), -1)
}

// reach is how far beyond this clock an owner with these settings may have reserved by its own
// clock.
func (l *Lease) reach(now Clock) time.Duration {
	return l.cfg.reach() + max(l.cfg.MaxClockSkew, 2*now.Error)
}

// stamp formats a time for error texts.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
