package worker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/uidgen/uid"
)

// The three transactions of the protocol. Each reads the database's clock after it has
// its locks, and judges by what the locked row says.

// errRaced is what an acquisition comes to whose ID was taken up again by its owner
// before it was locked.
var errRaced = &failure{"lock a free ID", errors.New("its owner has just renewed its lease"), transient}

var errNoControl = errors.New("worker: the namespace has no row yet")

// acquire makes one attempt to lease an ID. A commit whose reply is lost may have
// leased one to nobody: it is free again after the TTL.
func (l *Lease) acquire(ctx context.Context) error {
	h, event, err := l.tryAcquire(ctx)
	if errors.Is(err, errNoControl) {
		if err := l.table.ensureControl(ctx, l.terms.Layout); err != nil {
			return err
		}
		h, event, err = l.tryAcquire(ctx)
	}
	if err != nil {
		return err
	}
	h.at = l.clock()
	l.hold, l.low = h, false
	l.tell(ctx, event)
	if most := l.terms.MaxWorkerID; h.id > most/5*4+most%5*4/5 { // 4/5 of it, which must not overflow
		l.cfg.Logger.WarnContext(ctx, "worker IDs are running out: more than 80 % of the layout's have been used at once", "worker_id", h.id,
			"max_worker_id", most, "namespace", l.cfg.Namespace, "table", l.table.name)
	}
	return nil
}

func (l *Lease) tryAcquire(ctx context.Context) (h *hold, event LeaseEvent, err error) {
	err = l.table.transact(ctx, func(tx session) error {
		control, found, err := l.table.lock(ctx, tx, controlID)
		switch {
		case err != nil:
			return err
		case !found:
			return errNoControl
		case control.Layout != l.terms.Layout:
			return fmt.Errorf("%w: the namespace's UIDs are of %s, now asked for %s", ErrLayout, control.Layout, l.terms.Layout)
		}
		row, exists, err := l.lockFree(ctx, tx)
		if err != nil {
			return err
		}
		now, err := l.now(ctx, tx, l.cfg.MaxClockOffset)
		if err != nil {
			return err
		}
		if exists && row.Until.add(l.cfg.Quarantine) >= now {
			return errRaced
		}
		if err := l.checkAcquired(row, now); err != nil {
			return err
		}

		reach := (l.cfg.reach() + l.cfg.MaxClockSkew).Microseconds()
		if control.Reach < reach && !l.cfg.DurableStore { // what cannot be lost need not be burnt
			if err := l.table.setReach(ctx, tx, reach); err != nil {
				return err
			}
		}
		h = &hold{id: row.WorkerID, nonce: newNonce()}
		if l.cfg.DurableStore {
			h.base = row.High
			h.limit = max(l.within(l.tickAt(now, l.cfg.reach())), l.withSlack(h.base))
		} else {
			burn := time.Duration(max(control.Reach, reach)) * time.Microsecond
			h.base = max(row.High, l.tickAt(now, burn))
			h.limit = h.base
			h.wait = l.untilReach(now, h.base+1)
		}
		if h.base >= l.terms.MaxTick {
			return fmt.Errorf("%w: the ticks of worker ID %d are used or burnt up to %d, the layout's last one is %d", uid.ErrExhausted, h.id, h.base, l.terms.MaxTick)
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
		if !exists {
			return l.table.insert(ctx, tx, row)
		}
		return l.table.update(ctx, tx, row, was)
	})
	return h, event, err
}

// lockFree locks the row of the ID that has been free the longest, or finds an ID that
// has no row. The namespace is locked, so that nobody else does.
func (l *Lease) lockFree(ctx context.Context, tx session) (row leaseRow, exists bool, err error) {
	now, err := l.table.now(ctx, tx)
	if err != nil {
		return row, false, err
	}
	id, found, err := l.table.longestFree(ctx, tx, l.terms.MaxWorkerID, now.add(-l.cfg.Quarantine))
	if err != nil {
		return row, false, err
	}
	if found {
		row, exists, err = l.table.lock(ctx, tx, id)
		if err == nil && !exists {
			err = errRaced
		}
		return row, exists, err
	}
	id, found, err = l.table.neverUsed(ctx, tx, l.terms.MaxWorkerID)
	if err != nil {
		return row, false, err
	}
	if !found {
		until, err := l.table.nextFree(ctx, tx, l.terms.MaxWorkerID)
		if err != nil {
			return row, false, err
		}
		return row, false, fmt.Errorf("%w: all of 0 to %d are leased or in quarantine, the first one until %v", uid.ErrNoWorkerID,
			l.terms.MaxWorkerID, until.add(l.cfg.Quarantine))
	}
	return leaseRow{WorkerID: id, High: -1}, false, nil
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
		if l.cfg.DurableStore && through > next.high {
			next.high = l.withSlack(through)
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
	err := retry(ctx, min(l.cfg.Timeout, releaseTimeout), l.cfg.Logger, func(ctx context.Context) error {
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

// now reads the database's clock, and refuses it if it is further from this process's
// than limit.
func (l *Lease) now(ctx context.Context, tx session, limit time.Duration) (micros, error) {
	asked := l.cfg.Now()
	now, err := l.table.now(ctx, tx)
	if err != nil {
		return 0, err
	}
	answered := l.cfg.Now()
	// The database read its clock somewhere between the two.
	if early, late := asked.Sub(now.time()), now.time().Sub(answered); max(early, late) > limit {
		return 0, fmt.Errorf("%w: this process's shows %s, the database's %v, %v apart; at most %v are allowed", ErrClock,
			answered.UTC().Format(time.RFC3339Nano), now, max(early, late).Round(time.Millisecond), limit)
	}
	return now, nil
}

// checkAcquired refuses an ID whose ticks make no sense by the database's clock.
func (l *Lease) checkAcquired(row leaseRow, now micros) error {
	if tick := l.tickAt(now, 0); tick < 0 && !l.cfg.AllowBeforeEpoch {
		return fmt.Errorf("%w: the database's shows %v, which is before the layout's epoch, %s", ErrClock, now, l.terms.Epoch.Format(time.RFC3339Nano))
	}
	if l.cfg.MaxAhead != math.MaxInt64 && row.High > max(l.tickAt(now, l.cfg.MaxAhead), -1) {
		return fmt.Errorf("%w: the ticks of worker ID %d are used up to %d, the database's clock is at %d, more than MaxAhead %v before that", ErrClock,
			row.WorkerID, row.High, l.tickAt(now, 0), l.cfg.MaxAhead)
	}
	return nil
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
