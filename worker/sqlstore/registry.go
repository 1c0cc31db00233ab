package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

var _ registry.NodeStore = (*DB)(nil)

// connected runs do on a connection, outside of any transaction.
func (d *DB) connected(ctx context.Context, do func(*sqlx.Conn) error) error {
	conn, err := d.db.Connx(ctx)
	if err != nil {
		return database.Failed("connect", err)
	}
	defer conn.Close()
	return do(conn)
}

// Namespace returns [DB.Leases] for a [registry.Registry].
func (d *DB) Namespace(name string) (lease.Store, error) { return d.Leases(name) }

// Namespaces implements [registry.Store]. It needs SELECT.
func (d *DB) Namespaces(ctx context.Context) (names []string, now lease.Clock, err error) {
	err = d.connected(ctx, func(conn *sqlx.Conn) error {
		if now, err = d.readClock(ctx, conn); err != nil {
			return err
		}
		if err := conn.SelectContext(ctx, &names, "SELECT DISTINCT NAMESPACE FROM `"+d.leases+"` ORDER BY NAMESPACE"); err != nil {
			return noNamespace(database.Failed("read the namespaces of table "+d.leases, err))
		}
		return nil
	})
	return names, now, err
}

func (d *DB) readClock(ctx context.Context, from database.Reader) (lease.Clock, error) {
	var now database.Micros
	if err := from.GetContext(ctx, &now, d.dialect.Clock()); err != nil {
		return lease.Clock{}, database.Failed("ask for the database's time", err)
	}
	return clock(now), nil
}

// noNamespace returns err, wrapped in [worker.ErrNoNamespace] if the table is missing.
func noNamespace(err error) error {
	if database.KindOf(err) == database.MissingTable {
		return fmt.Errorf("%w: %w", worker.ErrNoNamespace, err)
	}
	return err
}

// Rows implements [registry.Store]. It needs SELECT.
func (d *DB) Rows(ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
	page := registry.Page{Namespace: lease.Namespace{Fresh: true}}
	err := d.connected(ctx, func(conn *sqlx.Conn) error {
		rows, err := database.SelectRows(ctx, conn, (*leaseRow).fields, "SELECT "+leaseColumns+" FROM `"+d.leases+"`"+
			" WHERE NAMESPACE = ? AND (WORKER_ID = ? OR WORKER_ID > ?) ORDER BY WORKER_ID LIMIT ?", namespace, controlID, max(above, controlID), most+1)
		if err != nil {
			return noNamespace(database.Failed("read table "+d.leases, err))
		}
		if len(rows) > 0 && rows[0].WorkerID == controlID {
			page.Namespace, rows = rows[0].namespace(), rows[1:]
		}
		page.Rows = protocolRows(rows[:min(len(rows), most)])
		page.Clock, err = d.readClock(ctx, conn)
		return err
	})
	return page, err
}

func protocolRows(rows []leaseRow) (all []lease.Row) {
	for _, r := range rows {
		all = append(all, r.row())
	}
	return all
}

// Prune implements [registry.Store]. It locks the namespace's row, as every Take does, and needs
// SELECT, UPDATE and DELETE.
func (d *DB) Prune(ctx context.Context, namespace string, above int64, most int, old time.Duration, decide func(registry.Page) ([]int64, error)) (removed []int64, err error) {
	l := &Leases{tables: d.tables, namespace: namespace}
	err = l.transact(ctx, func(tx *transaction) error {
		removed = nil
		control, found, err := tx.lock(ctx, controlID)
		if err != nil {
			return err
		}
		now, err := tx.now(ctx)
		if err != nil {
			return err
		}
		rows, err := tx.old(ctx, above, most, now.Add(-old))
		if err != nil {
			return err
		}
		page := registry.Page{Namespace: lease.Namespace{Fresh: true}, Rows: protocolRows(rows), Clock: clock(now)}
		if found {
			page.Namespace = control.namespace()
		}
		ids, err := decide(page)
		if err != nil || !found {
			return err
		}
		rows = slices.DeleteFunc(rows, func(r leaseRow) bool { return !slices.Contains(ids, r.WorkerID) })
		removed, err = tx.remove(ctx, control, rows, now)
		return err
	})
	return removed, err
}

// old reads rows of IDs whose leases ended before a time. It locks none. Locks by the index on
// the ends would be taken in another order than a renewal takes them, which locks a row before
// its place in the index, and the two would deadlock.
func (tx *transaction) old(ctx context.Context, above int64, most int, before database.Micros) ([]leaseRow, error) {
	rows, err := database.SelectRows(ctx, tx, (*leaseRow).fields, "SELECT "+leaseColumns+" FROM `"+tx.leases+"`"+
		" WHERE NAMESPACE = ? AND WORKER_ID > ? AND LEASE_UNTIL < ? ORDER BY WORKER_ID LIMIT ?", tx.namespace, max(above, controlID), before, most)
	if err != nil {
		return nil, database.Failed("read table "+tx.leases, err)
	}
	return rows, nil
}

// remove deletes those rows that are still as they were read, and raises the namespace's floor to
// their last tick.
func (tx *transaction) remove(ctx context.Context, control leaseRow, rows []leaseRow, now database.Micros) (removed []int64, err error) {
	const doing = "remove a lease"
	floor := control.High
	for _, r := range rows {
		res, err := tx.ExecContext(ctx, "DELETE FROM `"+tx.leases+"` WHERE NAMESPACE = ? AND WORKER_ID = ? AND NONCE = ? AND HIGH = ? AND LEASE_UNTIL = ?",
			tx.namespace, r.WorkerID, r.Nonce, r.High, r.Until)
		if err != nil {
			return nil, database.Failed(doing, err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return nil, database.Failed(doing, err)
		}
		if n > 0 {
			removed, floor = append(removed, r.WorkerID), max(floor, r.High)
		}
	}
	if floor == control.High {
		return removed, nil
	}
	raised := control
	raised.High, raised.Renewed = floor, now
	return removed, tx.update(ctx, raised, control)
}
