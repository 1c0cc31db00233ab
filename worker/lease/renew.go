package lease

import (
	"context"
	"fmt"

	"github.com/uidgen/uid/internal/state"
)

// extend makes one attempt to renew the lease and the reservation. It returns a lostError when
// the owner has lost the lease.
func (l *Lease) extend(ctx context.Context, through int64) error {
	h, before := l.hold, l.hold.proposed
	var next state.Proposal
	early := 0
	if l.clock().Sub(h.at) < h.pause {
		early = h.early + 1
	}
	asked := l.cfg.Now()
	err := l.store.Change(ctx, h.id, func(row *Row, now Clock) error {
		h.proposed = before // what an earlier run proposed was refused
		if row == nil {
			return &lostError{why: "its row is gone"}
		}
		if err := l.compare(asked, now, l.cfg.MaxAhead); err != nil {
			return err
		}
		if !h.owns(row) {
			if row.Nonce == "" {
				return &lostError{why: "it was released by somebody else"}
			}
			return &lostError{why: "its row has another nonce or other ticks than this owner wrote", holder: row.Holder}
		}
		if !now.within(row.Until) {
			return &lostError{why: fmt.Sprintf("it ended at %s, the store's time is %s", stamp(row.Until), stamp(now.Now))}
		}
		if reach := l.reach(now); !l.cfg.DurableStore && h.reach < reach {
			// Only an acquisition tells the namespace, so that others burn as much.
			return &lostError{why: fmt.Sprintf("it would reserve %v beyond the clock, its state file is of an owner that reserved %v (0 with DurableStore)", reach, h.reach)}
		}
		next = state.Proposal{Nonce: newNonce(), High: max(row.High, l.within(l.tickAt(now, l.cfg.reach())))}
		if l.cfg.DurableStore {
			// Not beyond what a later owner accepts.
			next.High = max(next.High, min(l.withSlacks(through, slacks(early)), l.highest(now.Now)))
		}
		h.wait = l.untilReach(now, h.base+1)
		h.propose(row, next)
		if l.file != nil {
			if err := l.save(h); err != nil {
				return err
			}
		}
		row.Nonce, row.High, row.Until, row.Renewed = next.Nonce, next.High, now.after(l.cfg.ttl()), now.Now
		return nil
	})
	if err != nil {
		return err
	}
	h.nonce, h.limit, h.proposed, h.early = next.Nonce, next.High, nil, early
	if l.file == nil {
		h.granted = h.limit
	}
	h.at = l.clock()
	l.dueAfter(h)
	l.low = false
	return nil
}
