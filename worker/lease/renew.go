package lease

import (
	"context"
	"fmt"

	"github.com/uidgen/uid/internal/storage"
)

// extend makes one attempt to renew the lease and the reservation. It returns a lostError when
// the owner has lost the lease.
func (l *lease) extend(ctx context.Context, through int64) error {
	h, asked := l.hold, l.now()
	early := 0
	if l.clock().Sub(h.at) < h.pause {
		early = h.early + 1
	}
	if h.unreserved() {
		through = max(through, h.base+1) // which may be far ahead of the clock
	}
	number, limit, wait, back := h.sent, h.limit, h.wait, false
	err := l.change(ctx, h.id, func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
		h.sent = number // what an earlier run of this attempt was to write was refused
		if err := l.compare(asked, now, mostAhead); err != nil {
			return err
		}
		if back = l.witness(h, ns, row, now); back {
			return nil
		}
		if err := l.lasts(row, now); err != nil {
			return err
		}
		l.settle(ns, now)
		_, newest := writer(row.Nonce)
		h.sent = max(number, newest) + 1
		limit = max(row.High, l.target(now, through, slacks(early)))
		wait = l.untilMore(now, max(limit, h.base)) // the base is beyond the limit where a floor is
		row.Nonce, row.High = nonce(h.owner, h.sent), limit
		row.Until, row.Renewed = row.Later(now.After(l.cfg.TTL)), now.Now
		return nil
	})
	if err != nil {
		return gone(err)
	}
	if back {
		return errBack
	}
	h.acked, h.limit, h.wait, h.early, h.resumed = h.sent, limit, wait, early, false
	h.at = l.clock()
	l.dueAfter(h)
	l.low = false
	return nil
}

// lasts returns a lostError unless the row is the hold's, and its lease is not over.
func (l *lease) lasts(row *storage.Lease, now storage.Clock) error {
	switch {
	case row == nil:
		return &lostError{why: "its row is gone"}
	case l.hold.owns(row) && now.Within(row.Until):
		return nil
	case l.hold.owns(row):
		return &lostError{why: fmt.Sprintf("it ended at %s, the store's time is %s", stamp(row.Until), stamp(now.Now))}
	case row.Nonce == "":
		return &lostError{why: "it was released by somebody else"}
	}
	return &lostError{why: "its row has another nonce or other ticks than this owner wrote", holder: row.Holder}
}
