package sqlstore

import (
	"context"
	"fmt"

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
	page := registry.Page{Namespace: lease.Namespace{Given: -1, Floor: -1, Fresh: true}}
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
