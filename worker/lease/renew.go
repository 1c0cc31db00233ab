package lease

import (
	"context"
	"errors"
	"fmt"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
)

// Extend renews the lease and the reservation if that is due, or if ticks up to through can be
// reserved and are not yet; else it returns the reservation as it stands. When the lease is lost
// it acquires another ID, which may have no reserved ticks at first.
//
// It fails when the store cannot be reached or the clocks differ by more than is believed, and with
// [worker.ErrNoNamespace] when the namespace is missing; what was reserved before stays reserved. It
// returns [uid.ErrNoReservation] when no generator is bound to l.
func (l *lessee) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	if err := l.binding.Check(); err != nil {
		return uid.Reservation{}, err
	}
	defer l.publishHealth()
	l.dropInvalid(ctx)
	if l.lease != nil {
		if in, _ := l.due(l.lease, through); in <= 0 {
			err := l.renew(ctx, through)
			if lost, is := errors.AsType[*lostError](err); is {
				l.lose(ctx, lost)
			} else if err != nil {
				l.warnLow(ctx, err)
				return uid.Reservation{}, l.failure("extend", err)
			}
		}
	}
	if l.lease == nil {
		if err := l.acquire(ctx); err != nil {
			return uid.Reservation{}, l.failure("acquire", err)
		}
	}
	return l.reservation(), nil
}

// renew makes one attempt to renew the lease and the reservation. It returns a lostError when
// the owner has lost the lease.
func (l *lessee) renew(ctx context.Context, through int64) error {
	held, asked, writes := l.lease, l.now(), 0
	if _, early := l.due(held, through); early {
		writes = held.early + 1
	}
	if held.unreserved() {
		through = max(through, held.before+1) // which may be far ahead of the clock
	}
	number, reserved, clock, wentBack := held.sent, held.reserved, held.clock, false
	err := l.change(ctx, held.id, func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
		held.sent = number // what an earlier run of this attempt was to write was refused
		if err := l.compare(asked, now, mostAhead); err != nil {
			return err
		}
		if wentBack = l.endOutdated(row, ns, now); wentBack {
			return nil
		}
		if err := l.checkHeld(ns, row, now); err != nil {
			return err
		}
		l.adoptHistory(ns, now)
		_, newest := writer(row.Nonce)
		held.sent = max(number, newest) + 1
		reserved, clock = max(row.High, l.target(now, through, slacks(writes))), now
		row.Nonce, row.High = nonce(held.owner, held.sent), reserved
		row.Until, row.Renewed = row.Later(now.After(l.cfg.TTL)), now.Now
		return nil
	})
	if err != nil {
		return asLoss(err)
	}
	if wentBack {
		return errWentBack
	}
	held.acked, held.reserved, held.clock, held.early, held.resumed = held.sent, reserved, clock, writes, false
	l.schedule(held)
	l.low = false
	return nil
}

// checkHeld returns a lostError unless the row is this owner's, and its lease is not over. A namespace that was made
// since may not be the next one: others may have had the ID under one in between that is gone. (One of the future was
// made before the clock was set back.)
func (l *lessee) checkHeld(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
	apart := l.apart(now)
	switch {
	case row == nil:
		return &lostError{why: "its row is gone"}
	case l.lease.owns(row) && ns.Made.After(row.Acquired.Add(apart)) && !ns.Made.After(now.Now.Add(apart)):
		return &lostError{why: fmt.Sprintf("the namespace was made anew at %s", stamp(ns.Made))}
	case l.lease.owns(row) && now.Within(row.Until):
		return nil
	case l.lease.owns(row):
		return &lostError{why: fmt.Sprintf("it ended at %s, the store's time is %s", stamp(row.Until), stamp(now.Now))}
	case row.Nonce == "":
		return &lostError{why: "it was released by somebody else"}
	}
	return &lostError{why: "its row has another nonce or other ticks than this owner wrote", holder: row.Holder}
}
