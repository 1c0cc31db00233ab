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

// Namespace returns [DB.Leases] for a [registry.Registry].
func (d *DB) Namespace(name string) (lease.Store, error) { return d.Leases(name) }

// Namespaces implements [registry.Store]. It needs SELECT.
func (d *DB) Namespaces(ctx context.Context) (names []string, now lease.Clock, err error) {
	err = d.looking(ctx, func(conn *sqlx.Conn) error {
		if now, err = d.readClock(ctx, conn); err != nil {
			return err
		}
		if err := conn.SelectContext(ctx, &names, d.dialect.SQL(d.inStep()+"SELECT DISTINCT NAMESPACE FROM `"+d.leases+"` ORDER BY NAMESPACE")); err != nil {
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

// Rows implements [registry.Store]. It takes one round trip to a server (the first on
// MySQL two), and needs SELECT.
func (d *DB) Rows(ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
	page := registry.Page{Namespace: lease.Namespace{Fresh: true}}
	l := d.namespace(namespace)
	err := d.looking(ctx, func(conn *sqlx.Conn) error {
		seen, err := l.read(ctx, conn, l.rows(theNamespace, ofNamespace),
			l.rows(theID, "a.WORKER_ID > "+database.Int(max(above, controlID))+" ORDER BY a.WORKER_ID LIMIT "+database.Int(int64(most))))
		if err != nil {
			return err
		}
		if control, found := seen.first(theNamespace); found {
			if page.Namespace, err = control.namespace(); err != nil {
				return err
			}
		}
		page.Rows, page.Clock = protocolRows(seen.parts[theID]), clock(seen.Now)
		return nil
	})
	return page, err
}

// namespace returns the leases of a namespace of any name.
func (d *DB) namespace(name string) *Leases { return &Leases{tables: d.tables, namespace: name} }

func protocolRows(rows []leaseRow) (all []lease.Row) {
	for _, r := range rows {
		all = append(all, r.row())
	}
	return all
}

// Prune implements [registry.Store]. It locks the namespace's row, as every Take does, and needs
// SELECT, UPDATE and DELETE.
func (d *DB) Prune(ctx context.Context, namespace string, above int64, most int, old time.Duration, decide func(registry.Page) ([]int64, error)) (removed []int64, err error) {
	l := d.namespace(namespace)
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
			if page.Namespace, err = control.namespace(); err != nil {
				return err
			}
		}
		ids, err := decide(page)
		if err != nil || !found {
			return err
		}
		rows = slices.DeleteFunc(rows, func(r leaseRow) bool { return !slices.Contains(ids, r.WorkerID) })
		removed, err = tx.remove(ctx, control, rows, now)
		return err
	})
	if err != nil {
		return nil, err // of a commit, say, that a node of a cluster has refused
	}
	return removed, nil
}

// old reads rows of IDs whose leases ended before a time. It locks none. Locks by the index on
// the ends would be taken in another order than a renewal takes them, which locks a row before
// its place in the index, and the two would deadlock.
func (tx *transaction) old(ctx context.Context, above int64, most int, before database.Micros) ([]leaseRow, error) {
	rows, err := database.SelectRows(ctx, tx, (*leaseRow).fields, tx.dialect.SQL("SELECT "+leaseColumns+" FROM `"+tx.leases+"`"+
		" WHERE NAMESPACE = "+tx.dialect.Text(tx.namespace)+" AND WORKER_ID > "+database.Int(max(above, controlID))+" AND LEASE_UNTIL < "+database.Int(before)+
		" ORDER BY WORKER_ID LIMIT "+database.Int(int64(most))))
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
		res, err := tx.ExecContext(ctx, tx.dialect.SQL("DELETE FROM `"+tx.leases+"` WHERE "+tx.key("", r.WorkerID)+
			" AND NONCE = "+tx.dialect.Text(r.Nonce)+" AND HIGH = "+database.Int(r.High)+" AND LEASE_UNTIL = "+database.Int(r.Until)))
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
	if len(removed) == 0 {
		return nil, nil
	}
	raised := touched(control)
	if floor > control.High {
		raised.High, raised.Renewed = floor, now
	}
	return removed, tx.exec(ctx, tx, tx.Leases.update("", raised)+" WHERE "+tx.is("", control, true), exactly(1))
}
