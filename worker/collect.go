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

	// MaxClockOffset is by how much the database's clock, by which leases are over, may
	// differ from this process's. The default, for 0, is 2 s; math.MaxInt64 allows any.
	MaxClockOffset time.Duration

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

// Collect removes the rows of leases that are over for longer than OlderThan. Their IDs
// are then as if they had never been used, but that they begin above the last tick of any
// row that was ever removed, which is noted in the namespace's own row in the same
// transaction. A row goes only as it was read: one whose owner has renewed it meanwhile
// stays. Rows whose last tick does not lie further back than OlderThan stay, too, and so do
// those whose layout Terms cannot read, and all of a namespace that lacks its own row.
//
// It returns [uid.ErrConfig] when the collection cannot be used, and [ErrClock] when the two
// clocks do not agree, at which it looks before each batch of rows. When it fails half-way,
// what it has removed until then is in the result; rows of a commit whose reply was lost are
// not, although they are gone.
//
// It needs SELECT, UPDATE and DELETE on the table. A namespace's workers wait in
// Acquire while a batch of rows is removed.
func (r *Registry) Collect(ctx context.Context, c Collection) (Collected, error) {
	var all Collected
	if c.OlderThan == 0 {
		c.OlderThan = 7 * 24 * time.Hour
	}
	if c.OlderThan < shortestCollectAge {
		return all, fmt.Errorf("%w: OlderThan %v is below %v", uid.ErrConfig, c.OlderThan, shortestCollectAge)
	}
	if c.MaxClockOffset < 0 {
		return all, fmt.Errorf("%w: MaxClockOffset %v is negative", uid.ErrConfig, c.MaxClockOffset)
	}
	if c.MaxClockOffset == 0 {
		c.MaxClockOffset = defaultClockOffset
	}
	if c.Terms == nil {
		return all, fmt.Errorf("%w: Terms is not set", uid.ErrConfig)
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
		err := r.do(ctx, "collect worker IDs", func(ctx context.Context, conn *sqlx.Conn) (err error) {
			return transact(ctx, conn, r.dialect, func(tx session) error {
				rows, batch, err = r.collectBatch(ctx, tx, c, namespace, above)
				return err
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

// collectBatch looks at some rows that are over for long, and removes those that nobody
// needs. It locks the control row, as every Acquire does.
func (r *Registry) collectBatch(ctx context.Context, tx session, c Collection, namespace string, above int64) (rows []namespaceRow, batch Collected, err error) {
	lock := r.dialect.forUpdate()
	if c.DryRun {
		lock = "" // which an account that may only read has no right to
	}
	control, err := r.readLeases(ctx, tx, "WHERE NAMESPACE = ? AND WORKER_ID = ?"+lock, namespace, controlID)
	if err != nil {
		return nil, batch, err
	}
	asked := r.now()
	now, err := r.clock(ctx, tx)
	if err != nil {
		return nil, batch, err
	}
	if err := compareClocks(asked, now, r.now(), c.MaxClockOffset); err != nil {
		return nil, batch, err
	}
	// Locked by the index on their ends they could deadlock with renewals, which lock a row
	// before its place in the index.
	rows, err = r.readLeases(ctx, tx, fmt.Sprintf("WHERE NAMESPACE = ? AND WORKER_ID > ? AND LEASE_UNTIL < ? ORDER BY WORKER_ID LIMIT %d", collectBatch),
		namespace, above, now.Add(-c.OlderThan).UnixMicro())
	if err != nil {
		return nil, batch, err
	}
	if len(control) == 0 {
		for _, row := range rows {
			batch.Kept = append(batch.Kept, KeptLease{row.info(now, 0), "the namespace has no row of its own, in which its last tick could be noted"})
		}
		return rows, batch, nil
	}
	batch = c.sort(rows, now)
	if c.DryRun {
		return rows, batch, nil
	}
	return rows, batch, r.remove(ctx, tx, control[0], rows, now, &batch)
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

// remove takes the rows of a batch away that are still as they were read, and raises the
// namespace's floor to their last tick. The others it moves to those that are kept.
func (r *Registry) remove(ctx context.Context, tx session, control namespaceRow, rows []namespaceRow, now time.Time, batch *Collected) error {
	read := map[int64]namespaceRow{}
	for _, row := range rows {
		read[row.WorkerID] = row
	}
	floor, gone := control.High, batch.Removed[:0]
	for _, l := range batch.Removed {
		row := read[l.WorkerID]
		res, err := tx.ExecContext(ctx, "DELETE FROM `"+r.leases+"` WHERE NAMESPACE = ? AND WORKER_ID = ? AND NONCE = ? AND HIGH = ? AND LEASE_UNTIL = ?",
			row.Namespace, row.WorkerID, row.Nonce, row.High, row.Until)
		if err != nil {
			return failed("remove a lease", err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return failed("remove a lease", err)
		}
		if n == 0 {
			batch.Kept = append(batch.Kept, KeptLease{l, "it has changed since it was read"})
			continue
		}
		gone, floor = append(gone, l), max(floor, l.High)
	}
	batch.Removed = gone
	if floor == control.High {
		return nil
	}
	_, err := tx.ExecContext(ctx, "UPDATE `"+r.leases+"` SET HIGH = ?, RENEWED = ? WHERE NAMESPACE = ? AND WORKER_ID = ?",
		floor, micros(now.UnixMicro()), control.Namespace, controlID)
	if err != nil {
		return failed("note the last tick of removed leases", err)
	}
	return nil
}
