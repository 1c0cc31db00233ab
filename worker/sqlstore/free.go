package sqlstore

import (
	"context"
	"math"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/lease"
)

// lockFree locks the row of the ID that has been free the longest, or finds an ID that has no
// row. It takes IDs whose ticks are used too far ahead of the clock only if there is no other.
// The namespace is locked, so that nobody else takes the same ID.
func (tx *transaction) lockFree(ctx context.Context, w lease.Wanted) (row leaseRow, exists bool, err error) {
	now, err := tx.now(ctx)
	if err != nil {
		return row, false, err
	}
	before := now.Add(-w.Rest)
	if row, found, err := tx.lockFreed(ctx, w.IDs, before, w.Highest(now.Time())); err != nil || found {
		return row, found, err
	}
	id, found, err := tx.neverUsed(ctx, w.IDs)
	if err != nil {
		return row, false, err
	}
	if found {
		return leaseRow{WorkerID: id}, false, nil
	}
	if row, found, err := tx.lockFreed(ctx, w.IDs, before, math.MaxInt64); err != nil || found {
		return row, found, err
	}
	until, err := tx.nextFree(ctx, w.IDs)
	if err != nil {
		return row, false, err
	}
	return row, false, lease.NoneFree(w.IDs, until.Add(w.Rest).Time())
}

// lockFreed locks the row that longestFree finds.
func (tx *transaction) lockFreed(ctx context.Context, ids lease.Range, before database.Micros, highest int64) (row leaseRow, found bool, err error) {
	id, found, err := tx.longestFree(ctx, ids, before, highest)
	if err != nil || !found {
		return row, false, err
	}
	row, found, err = tx.lock(ctx, id)
	if err == nil && !found {
		err = errRaced
	}
	return row, found, err
}

// longestFree returns the ID whose lease ended first, of those that ended before the time given
// and whose ticks are used up to highest at most. It locks nothing.
func (tx *transaction) longestFree(ctx context.Context, ids lease.Range, before database.Micros, highest int64) (id int64, found bool, err error) {
	return tx.get(ctx, "look for a free ID", "SELECT WORKER_ID FROM `"+tx.leases+"` WHERE NAMESPACE = ? AND WORKER_ID BETWEEN ? AND ? AND LEASE_UNTIL < ? AND HIGH <= ?"+
		" ORDER BY LEASE_UNTIL, WORKER_ID LIMIT 1", tx.namespace, ids.First, ids.Last, before, highest)
}

// neverUsed returns an ID that has no row: the one above the largest with a row or, if that is
// the last, the smallest in a gap.
func (tx *transaction) neverUsed(ctx context.Context, ids lease.Range) (id int64, found bool, err error) {
	const doing = "look for an unused ID"
	largest, found, err := tx.get(ctx, doing, "SELECT COALESCE(MAX(WORKER_ID), ?) FROM `"+tx.leases+"` WHERE NAMESPACE = ? AND WORKER_ID BETWEEN ? AND ?",
		ids.First-1, tx.namespace, ids.First, ids.Last)
	if err != nil || largest < ids.Last {
		return largest + 1, found, err
	}
	smallest, found, err := tx.get(ctx, doing, "SELECT MIN(WORKER_ID) FROM `"+tx.leases+"` WHERE NAMESPACE = ? AND WORKER_ID BETWEEN ? AND ?",
		tx.namespace, ids.First, ids.Last)
	if err != nil || smallest > ids.First {
		return ids.First, found, err
	}
	return tx.get(ctx, doing, "SELECT a.WORKER_ID + 1 FROM `"+tx.leases+"` a LEFT JOIN `"+tx.leases+"` b ON b.NAMESPACE = a.NAMESPACE AND b.WORKER_ID = a.WORKER_ID + 1"+
		" WHERE a.NAMESPACE = ? AND a.WORKER_ID BETWEEN ? AND ? AND b.WORKER_ID IS NULL ORDER BY a.WORKER_ID LIMIT 1", tx.namespace, ids.First, ids.Last-1)
}

// nextFree returns the earliest end of a lease.
func (tx *transaction) nextFree(ctx context.Context, ids lease.Range) (until database.Micros, err error) {
	n, _, err := tx.get(ctx, "look for the next free ID", "SELECT MIN(LEASE_UNTIL) FROM `"+tx.leases+"` WHERE NAMESPACE = ? AND WORKER_ID BETWEEN ? AND ?",
		tx.namespace, ids.First, ids.Last)
	return database.Micros(n), err
}
