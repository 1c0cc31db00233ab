package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
)

// shortestCollectAge keeps rows for longer than any sensible lease and quarantine,
// and than clocks are apart.
const shortestCollectAge = time.Hour

// collectBatch is how many rows Collect looks at under one lock.
const collectBatch = 500

// Collection says which leases [Registry.Collect] removes.
type Collection struct {
	// OlderThan is how long a lease has to be over. The default, for 0, is seven
	// days. Less than an hour is refused.
	OlderThan time.Duration

	// Terms returns the epoch and the unit of a layout from its description, for
	// which the ticks of a row are read. It has to be set; with package bits:
	//
	//	func(text string) (uid.Terms, error) {
	//		l, err := bits.ParseLayout(text)
	//		return l.Terms(), err
	//	}
	Terms func(layout string) (uid.Terms, error)

	// DryRun only tells what would be removed.
	DryRun bool
}

// Collected is what came of a Collect.
type Collected struct {
	// Removed are the leases whose rows are gone, or with DryRun would be.
	Removed []LeaseInfo
	// Kept are those that are old enough, and stay because of their ticks.
	Kept []KeptLease
}

// A KeptLease is a lease that is over for long, and why its row is still needed.
type KeptLease struct {
	LeaseInfo
	Why string
}

// Collect removes the rows of leases that are over for longer than OlderThan, whose
// IDs are then as if they had never been used. That forgets which ticks were used
// under them, so it keeps each row whose last tick does not lie further back than
// OlderThan, too, and each whose layout Terms cannot read: no worker that starts on
// the ID is given a tick that far in the past. The row that holds a namespace's
// layout always stays.
//
// It returns [ErrConfig] when the collection cannot be used. When it fails half-way,
// what it has removed until then is in the result; rows of a commit whose reply was lost
// are not, although they are gone.
//
// It needs SELECT, UPDATE and DELETE on the table. A namespace's workers wait in
// Acquire while a batch of rows is removed.
func (r *Registry) Collect(ctx context.Context, c Collection) (Collected, error) {
	var all Collected
	if c.OlderThan == 0 {
		c.OlderThan = 7 * 24 * time.Hour
	}
	if c.OlderThan < shortestCollectAge {
		return all, fmt.Errorf("%w: OlderThan %v is below %v", ErrConfig, c.OlderThan, shortestCollectAge)
	}
	if c.Terms == nil {
		return all, fmt.Errorf("%w: Terms is not set", ErrConfig)
	}
	var namespaces []string
	err := r.do(ctx, "collect worker IDs", func(ctx context.Context, conn *sqlx.Conn) error {
		namespaces = nil
		if err := conn.SelectContext(ctx, &namespaces, "SELECT DISTINCT NAMESPACE FROM `"+r.leases+"` ORDER BY NAMESPACE"); err != nil {
			return failed("read the namespaces of table "+r.leases, err)
		}
		return nil
	})
	for _, namespace := range namespaces {
		if err != nil {
			break
		}
		err = r.collectNamespace(ctx, c, namespace, &all)
	}
	return all, err
}

func (r *Registry) collectNamespace(ctx context.Context, c Collection, namespace string, all *Collected) error {
	for above := int64(controlID); ; {
		var rows []namespaceRow
		var batch Collected
		err := r.do(ctx, "collect worker IDs", func(ctx context.Context, conn *sqlx.Conn) error {
			return transact(ctx, conn, r.dialect, func(tx session) error {
				var now time.Time
				var err error
				if rows, now, err = r.oldLeases(ctx, tx, c, namespace, above); err != nil {
					return err
				}
				batch = c.sort(rows, now)
				if c.DryRun {
					return nil
				}
				return r.remove(ctx, tx, namespace, batch.Removed)
			})
		})
		if err != nil {
			return err
		}
		all.Removed = append(all.Removed, batch.Removed...)
		all.Kept = append(all.Kept, batch.Kept...)
		if len(rows) < collectBatch {
			return nil
		}
		above = rows[len(rows)-1].WorkerID
	}
}

// oldLeases locks the control row, as every Acquire does, and then reads some rows that
// are over for long. These need no lock: nobody renews a lease that is over, and nobody
// can acquire one. Locked by the index on their ends they could even deadlock with
// renewals, which lock a row before its place in the index.
func (r *Registry) oldLeases(ctx context.Context, tx session, c Collection, namespace string, above int64) ([]namespaceRow, time.Time, error) {
	if !c.DryRun {
		if _, err := r.readLeases(ctx, tx, "WHERE NAMESPACE = ? AND WORKER_ID = ?"+r.dialect.forUpdate(), namespace, controlID); err != nil {
			return nil, time.Time{}, err
		}
	}
	now, err := r.clock(ctx, tx)
	if err != nil {
		return nil, now, err
	}
	rows, err := r.readLeases(ctx, tx, fmt.Sprintf("WHERE NAMESPACE = ? AND WORKER_ID > ? AND LEASE_UNTIL < ? ORDER BY WORKER_ID LIMIT %d", collectBatch),
		namespace, above, now.Add(-c.OlderThan).UnixMicro())
	return rows, now, err
}

// sort tells the rows that can go from those that have to stay.
func (c Collection) sort(rows []namespaceRow, now time.Time) (result Collected) {
	for _, row := range rows {
		lease := row.info(now, 0)
		if why := c.stays(lease, now); why != "" {
			result.Kept = append(result.Kept, KeptLease{lease, why})
		} else {
			result.Removed = append(result.Removed, lease)
		}
	}
	return result
}

// stays says why a lease's row is still needed, and nothing if it is not.
func (c Collection) stays(l LeaseInfo, now time.Time) string {
	t, err := c.Terms(l.Layout)
	if err == nil && (t.Unit <= 0 || t.Epoch.IsZero()) {
		err = errors.New("it has no epoch and unit")
	}
	if err != nil {
		return fmt.Sprintf("its layout cannot be read: %v", err)
	}
	if past := t.TickAt(now.Add(-c.OlderThan)); l.High >= past {
		return fmt.Sprintf("its last tick %d is not before tick %d, which was %v ago (tick %d is now)", l.High, past, c.OlderThan, t.TickAt(now))
	}
	return ""
}

func (r *Registry) remove(ctx context.Context, tx session, namespace string, leases []LeaseInfo) error {
	if len(leases) == 0 {
		return nil
	}
	ids := make([]int64, 0, len(leases))
	for _, l := range leases {
		ids = append(ids, l.WorkerID)
	}
	query, args, err := sqlx.In("DELETE FROM `"+r.leases+"` WHERE NAMESPACE = ? AND WORKER_ID IN (?)", namespace, ids)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, query, args...); err != nil {
		return failed("remove leases", err)
	}
	return nil
}
