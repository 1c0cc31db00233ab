package sqlstore

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

var _ registry.NodeStore = (*DB)(nil)

// Namespace returns [DB.Leases] for a [registry.Registry].
func (d *DB) Namespace(name string) (lease.Store, error) { return d.Leases(name) }

// Namespaces implements [registry.Store]. It needs SELECT.
func (d *DB) Namespaces(ctx context.Context) (names []string, now leasestore.Clock, err error) {
	err = d.connected(ctx, func(conn *sqlx.Conn) error {
		var micros database.Micros
		if err := conn.GetContext(ctx, &micros, d.dialect.Clock()); err != nil {
			return database.Failed("ask for the database's time", err)
		}
		now.Now = micros.Time()
		rows, err := d.query(ctx, conn, "SELECT DISTINCT NAMESPACE FROM `"+d.leases+"` ORDER BY NAMESPACE")
		if err == nil {
			names, err = database.AllRows(rows, func(name *string) []any { return []any{name} })
		}
		return noNamespace(database.Failed("read the namespaces of table "+d.leases, err))
	})
	return names, now, err
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
	page := registry.Page{Namespace: leasestore.Namespace{Given: -1, Floor: -1, Fresh: true}}
	l := &leaseTable{tables: d.tables, namespace: namespace}
	err := d.connected(ctx, func(conn *sqlx.Conn) error {
		seen, err := l.read(ctx, conn, theNext, max(above, controlID), int64(most))
		if err != nil {
			return err
		}
		if seen.control != nil {
			if page.Namespace, err = seen.control.namespace(-1); err != nil {
				return err
			}
		}
		for _, r := range seen.rows {
			page.Rows = append(page.Rows, r.row())
		}
		page.Clock = seen.clock
		return nil
	})
	return page, err
}
