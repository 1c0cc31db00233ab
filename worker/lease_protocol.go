package worker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
)

// The transactions of the protocol. Each reads the database's clock after it has
// its locks, and judges by what the locked row says.

// errRaced is what an acquisition comes to whose ID was taken up again by its owner
// before it was locked.
var errRaced = &failure{"lock a free ID", errors.New("its owner has just renewed its lease"), transient}

// acquire makes one attempt to lease an ID. It creates nothing: a namespace that is not
// there is ErrNoNamespace.
func (l *Lease) acquire(ctx context.Context) error {
	h, event, err := l.tryAcquire(ctx)
	if err != nil {
		return err
	}
	h.at = l.clock()
	l.hold, l.low, l.doubt = h, false, nil
	l.tell(ctx, event)
	if most := l.terms.MaxWorkerID; h.id > most/5*4+most%5*4/5 { // 4/5 of it, which must not overflow
		l.cfg.Logger.WarnContext(ctx, "worker IDs are running out: more than 80 % of the layout's have been used at once", "worker_id", h.id,
			"max_worker_id", most, "namespace", l.cfg.Namespace, "table", l.table.name)
	}
	return nil
}

// A doubt is an acquisition of which it is not known whether it was committed.
type doubt struct {
	hold
	// nonces are those that the row may bear, of the attempts since the first.
	nonces []string
	// high is what each of them wrote.
	high  int64
	event LeaseEvent
}

// tryAcquire takes up what an earlier attempt has leased, if that went through though
// nobody was told, or else leases an ID.
func (l *Lease) tryAcquire(ctx context.Context) (h *hold, event LeaseEvent, err error) {
	err = l.table.transact(ctx, func(tx session) error {
		control, found, err := l.table.lock(ctx, tx, controlID)
		switch {
		case err != nil:
			return err
		case !found:
			return fmt.Errorf("%w: table %s has no row of namespace %q", ErrNoNamespace, l.table.name, l.cfg.Namespace)
		case control.Layout != l.terms.Layout:
			return fmt.Errorf("%w: the namespace's UIDs are of %s, now asked for %s", ErrLayout, control.Layout, l.terms.Layout)
		}
		if l.doubt != nil {
			if h, err = l.retake(ctx, tx); err != nil || h != nil {
				return err
			}
		}
		h, event, err = l.lease(ctx, tx, control)
		return err
	})
	if err == nil && l.doubt != nil {
		event = l.doubt.event
	}
	return h, event, err
}

// matches reports whether a locked row is what the doubted acquisition has written.
func (d *doubt) matches(row leaseRow, now micros) bool {
	return slices.Contains(d.nonces, row.Nonce) && row.High == d.high && row.Until >= now
}

// retake takes up the ID of the doubt if its row bears one of the nonces that were
// written. The row is locked: what was under way is done, or never will be. It writes a
// nonce of its own, since what can be read need not be durable yet.
func (l *Lease) retake(ctx context.Context, tx session) (*hold, error) {
	d := l.doubt
	row, found, err := l.table.lock(ctx, tx, d.id)
	if err != nil {
		return nil, err
	}
	now, err := l.now(ctx, tx, l.cfg.MaxClockOffset)
	if err != nil {
		return nil, err
	}
	if !found || !d.matches(row, now) {
		l.doubt = nil
		return nil, nil
	}
	h := d.hold
	h.nonce = newNonce()
	if h.limit == h.base {
		h.wait = l.untilReach(now, h.base+1)
	}
	l.dueAfter(&h)
	was := row.Nonce
	row.Nonce, row.Until, row.Renewed = h.nonce, now.add(l.cfg.ttl()), now
	d.nonces = append(d.nonces, h.nonce)
	return &h, l.table.update(ctx, tx, row, was)
}

// lease leases the ID that has been free the longest, or one that has no row.
func (l *Lease) lease(ctx context.Context, tx session, control leaseRow) (h *hold, event LeaseEvent, err error) {
	row, exists, err := l.lockFree(ctx, tx)
	if err != nil {
		return nil, event, err
	}
	now, err := l.now(ctx, tx, l.cfg.MaxClockOffset)
	if err != nil {
		return nil, event, err
	}
	if exists && row.Until.add(l.cfg.Quarantine) >= now {
		return nil, event, errRaced
	}
	if err := l.checkAcquired(control, row, now); err != nil {
		return nil, event, err
	}

	reach := (l.cfg.reach() + l.cfg.MaxClockSkew).Microseconds()
	if control.Reach < reach && !l.cfg.DurableStore { // what cannot be lost need not be burnt
		if err := l.table.setReach(ctx, tx, reach); err != nil {
			return nil, event, err
		}
	}
	h = &hold{id: row.WorkerID, nonce: newNonce(), base: max(row.High, control.High)}
	if !exists {
		// A row may have been there: whoever had the ID did not use ticks of the future.
		h.base = max(h.base, l.tickAt(now, -l.cfg.MaxClockSkew)-1)
	}
	if l.cfg.DurableStore {
		h.limit = max(l.within(l.tickAt(now, l.cfg.reach())), l.withSlack(h.base))
	} else {
		burn := time.Duration(max(control.Reach, reach)) * time.Microsecond
		h.base = max(h.base, l.tickAt(now, burn))
		h.limit = h.base
		h.wait = l.untilReach(now, h.base+1)
	}
	if h.base >= l.terms.MaxTick {
		return nil, event, fmt.Errorf("%w: the ticks of worker ID %d are used or burnt up to %d, the layout's last one is %d", uid.ErrExhausted, h.id, h.base, l.terms.MaxTick)
	}
	if h.granted = h.limit; l.file != nil {
		h.granted = h.base // the file has yet to say so
	}
	l.dueAfter(h)

	event = LeaseEvent{Kind: LeaseAcquired, WorkerID: h.id}
	if exists && row.Nonce != "" {
		event.Kind, event.Holder = LeaseTakenOver, row.Holder
	}
	was := row.Nonce
	row = leaseRow{
		WorkerID: h.id, Nonce: h.nonce, High: h.limit, Until: now.add(l.cfg.ttl()), Layout: l.terms.Layout,
		Holder: l.cfg.Holder, Acquired: now, Renewed: now, Reach: reach,
	}
	if exists {
		err = l.table.update(ctx, tx, row, was)
	} else {
		err = l.table.insert(ctx, tx, row)
	}
	if err == nil {
		l.doubt = &doubt{hold: *h, nonces: []string{h.nonce}, high: row.High, event: event}
	}
	return h, event, err
}

// lockFree locks the row of the ID that has been free the longest, or finds an ID that
// has no row. The namespace is locked, so that nobody else does. IDs whose ticks are used
// too far ahead of the clock are taken only if there is no other.
func (l *Lease) lockFree(ctx context.Context, tx session) (row leaseRow, exists bool, err error) {
	now, err := l.table.now(ctx, tx)
	if err != nil {
		return row, false, err
	}
	before := now.add(-l.cfg.Quarantine)
	lockFreed := func(highest int64) (row leaseRow, found bool, err error) {
		id, found, err := l.table.longestFree(ctx, tx, l.terms.MaxWorkerID, before, highest)
		if err != nil || !found {
			return row, false, err
		}
		row, found, err = l.table.lock(ctx, tx, id)
		if err == nil && !found {
			err = errRaced
		}
		return row, found, err
	}
	if row, found, err := lockFreed(l.highest(now)); err != nil || found {
		return row, found, err
	}
	id, found, err := l.table.neverUsed(ctx, tx, l.terms.MaxWorkerID)
	if err != nil {
		return row, false, err
	}
	if found {
		return leaseRow{WorkerID: id, High: -1}, false, nil
	}
	if row, found, err := lockFreed(math.MaxInt64); err != nil || found {
		return row, found, err
	}
	until, err := l.table.nextFree(ctx, tx, l.terms.MaxWorkerID)
	if err != nil {
		return row, false, err
	}
	return row, false, fmt.Errorf("%w: all of 0 to %d are leased or in quarantine, the first one until %v", uid.ErrNoWorkerID,
		l.terms.MaxWorkerID, until.add(l.cfg.Quarantine))
}

// extend makes one attempt to renew the lease and the reservation. It returns a
// lostError when the lease is not the owner's any more.
func (l *Lease) extend(ctx context.Context, through int64) error {
	h := l.hold
	next := proposal{nonce: newNonce()}
	err := l.table.transact(ctx, func(tx session) error {
		row, found, err := l.table.lock(ctx, tx, h.id)
		if err != nil {
			return err
		}
		if !found {
			return &lostError{why: "its row is gone"}
		}
		now, err := l.now(ctx, tx, l.cfg.MaxAhead)
		if err != nil {
			return err
		}
		if !h.owns(row) {
			if row.Nonce == "" {
				return &lostError{why: "it was released by somebody else"}
			}
			return &lostError{why: "its row has another nonce or other ticks than this owner wrote", holder: row.Holder}
		}
		if row.Until < now {
			return &lostError{why: fmt.Sprintf("it ended at %v, the database's time is %v", row.Until, now)}
		}
		next.high = max(row.High, l.within(l.tickAt(now, l.cfg.reach())))
		if l.cfg.DurableStore {
			// Not beyond what a later owner accepts.
			next.high = max(next.high, min(l.withSlack(through), l.highest(now)))
		}
		h.wait = l.untilReach(now, h.base+1)
		if h.proposed = next; l.file != nil {
			if err := l.save(h); err != nil {
				return err
			}
		}
		row.Nonce, row.High, row.Until, row.Renewed = next.nonce, next.high, now.add(l.cfg.ttl()), now
		return l.table.update(ctx, tx, row, h.nonce)
	})
	if err != nil {
		return err
	}
	h.nonce, h.limit, h.proposed = next.nonce, next.high, proposal{}
	if l.file == nil {
		h.granted = h.limit
	}
	h.at = l.clock()
	l.dueAfter(h)
	l.low = false
	return nil
}

// releaseTimeout bounds a Release.
const releaseTimeout = 5 * time.Second

func (l *Lease) release(ctx context.Context, last int64) error {
	h := l.hold
	err := retry.Do(ctx, min(l.cfg.Timeout, releaseTimeout), l.cfg.Logger, func(ctx context.Context) error {
		return l.table.transact(ctx, func(tx session) error {
			row, found, err := l.table.lock(ctx, tx, h.id)
			if err != nil {
				return err
			}
			now, err := l.table.now(ctx, tx)
			if err != nil {
				return err
			}
			if !found || !h.owns(row) || row.Until < now {
				return nil // there is nothing left to release
			}
			// What an earlier owner may still have in its hands lies below the base.
			row.High = min(row.High, max(h.base, last))
			row.Nonce, row.Until, row.Renewed = "", now, now
			return l.table.update(ctx, tx, row, h.nonce)
		})
	})
	return err
}

// giveBack ends a lease of which nobody was told, if there is one. Nothing was issued.
func (l *Lease) giveBack(ctx context.Context, tx session) error {
	d := l.doubt
	row, found, err := l.table.lock(ctx, tx, d.id)
	if err != nil {
		return err
	}
	now, err := l.table.now(ctx, tx)
	if err != nil {
		return err
	}
	if !found || !d.matches(row, now) {
		return nil
	}
	was := row.Nonce
	row.Nonce, row.High, row.Until, row.Renewed = "", d.base, now, now
	return l.table.update(ctx, tx, row, was)
}

// now reads the database's clock, and refuses it if it is further from this process's
// than limit.
func (l *Lease) now(ctx context.Context, tx session, limit time.Duration) (micros, error) {
	asked := l.cfg.Now()
	now, err := l.table.now(ctx, tx)
	if err != nil {
		return 0, err
	}
	return now, compareClocks(asked, now.time(), l.cfg.Now(), limit)
}

// compareClocks refuses a clock of a database, read some time between two looks at this
// process's, that is further from it than limit.
func compareClocks(asked, theirs, answered time.Time, limit time.Duration) error {
	if apart := max(asked.Sub(theirs), theirs.Sub(answered)); apart > limit {
		return fmt.Errorf("%w: this process's shows %s, the database's %v, %v apart; at most %v are allowed", ErrClock,
			answered.UTC().Format(time.RFC3339Nano), micros(theirs.UnixMicro()), apart.Round(time.Millisecond), limit)
	}
	return nil
}

// highest returns the last tick that may have been used by the database's clock.
func (l *Lease) highest(now micros) int64 {
	if l.cfg.MaxAhead == math.MaxInt64 {
		return math.MaxInt64
	}
	return max(l.tickAt(now, l.cfg.MaxAhead), -1)
}

// checkAcquired refuses a namespace that rests, and one or an ID whose ticks make no sense
// by the database's clock.
func (l *Lease) checkAcquired(control, row leaseRow, now micros) error {
	if tick := l.tickAt(now, 0); tick < 0 && !l.cfg.AllowBeforeEpoch {
		return fmt.Errorf("%w: the database's shows %v, which is before the layout's epoch, %s", ErrClock, now, l.terms.Epoch.Format(time.RFC3339Nano))
	}
	if control.Until >= now {
		return l.resting(control, now)
	}
	if highest := l.highest(now); max(row.High, control.High) > highest {
		whose := fmt.Sprintf("worker ID %d", row.WorkerID)
		if control.High > highest {
			whose = "the namespace"
		}
		return fmt.Errorf("%w: the ticks of %s are used up to %d, the database's clock is at %d, more than MaxAhead %v before that", ErrClock,
			whose, max(row.High, control.High), l.tickAt(now, 0), l.cfg.MaxAhead)
	}
	return nil
}

// resting says that nobody can have an ID yet. A start that can wait for it does.
func (l *Lease) resting(control leaseRow, now micros) error {
	kind, left := final, control.Until.sub(now)
	if left <= l.cfg.Timeout {
		kind = transient
	}
	return &failure{"wait for the namespace", fmt.Errorf("%w: it was made at %v because it had no row, and rests until %v, %v from now, "+
		"for owners of one that was lost; if it never had any, Registry.Init or uid worker init ends that", uid.ErrNoReservation,
		control.Acquired, control.Until, left.Round(time.Millisecond)), kind}
}

// withSlack adds to a tick that is asked for, so that a burst does not need a transaction
// for each ring. Whoever calls Extend may ask for any tick: the sum must not wrap.
func (l *Lease) withSlack(tick int64) int64 {
	slack := max(1, int64(l.cfg.Window/8/l.terms.Unit))
	return l.within(tick + min(slack, math.MaxInt64-max(tick, 0)))
}

// within limits a tick to those of the layout.
func (l *Lease) within(tick int64) int64 { return min(tick, l.terms.MaxTick) }

// untilReach is how long it is until a renewal reaches a tick.
func (l *Lease) untilReach(now micros, tick int64) time.Duration {
	at := now.add(l.cfg.reach()).time()
	ticks := tick - l.terms.TickAt(at)
	if ticks <= 0 {
		return 0
	}
	into := at.Sub(l.terms.Epoch) % l.terms.Unit
	if into < 0 {
		into += l.terms.Unit
	}
	return l.ticks(ticks) - into
}

// dueAfter sets the tick at which the generator is to ask again.
func (l *Lease) dueAfter(h *hold) {
	pause := l.cfg.Window / 2
	if h.limit == h.base {
		pause = h.wait
	}
	h.renew = l.terms.TickAt(l.cfg.Now().Add(pause))
}
