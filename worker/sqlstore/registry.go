package sqlstore

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/fitness"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A register is a DB for its operators.
type register struct{ *DB }

var (
	_ registry.NodeStore = register{}
	_ doctor.Examiner    = register{}
)

// Registry returns all namespaces of leases, for debug.Workers and backfill.Live.
func (d *DB) Registry() registry.Store { return register{d} }

// Registry is that of the DB: package debug asks for it.
func (l *leaseTable) Registry() registry.Store { return register{&DB{l.tables}} }

func (r register) Namespace(name string) (lease.Store, error) { return r.Leases(name) }

// Namespaces implements [registry.Store]. It needs SELECT.
func (r register) Namespaces(ctx context.Context) (names []string, now storage.Clock, err error) {
	err = r.connected(ctx, func(conn *sqlx.Conn) (err error) {
		var micros int64
		if err := conn.GetContext(ctx, &micros, r.dialect.Clock()); err != nil {
			return database.Failed("ask for the database's time", err)
		}
		now.Now = timeOf(micros)
		field := func(name *string) []any { return []any{name} }
		names, err = query(ctx, &r.tables, conn, field,
			"SELECT DISTINCT NAMESPACE FROM `"+r.leases+"` ORDER BY NAMESPACE")
		return noNamespace(database.Failed("read the namespaces of table "+r.leases, err))
	})
	return names, now, err
}

// noNamespace returns err, wrapped in [worker.ErrNoNamespace] if the table is missing.
func noNamespace(err error) error {
	if database.IsMissingTable(err) {
		return fmt.Errorf("%w: %w", worker.ErrNoNamespace, err)
	}
	return err
}

// Rows implements [registry.Store]. It takes one round trip to a server (the first on
// MySQL two), and needs SELECT.
func (r register) Rows(ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
	page := registry.Page{Namespace: storage.Namespace{Given: -1, Floor: -1, Fresh: true}}
	l := &leaseTable{tables: r.tables, namespace: namespace}
	err := r.connected(ctx, func(conn *sqlx.Conn) error {
		seen, err := l.read(ctx, conn, l.where(theNext), max(above, controlID), int64(most))
		if err != nil {
			return err
		}
		if seen.control != nil {
			if page.Namespace, err = seen.control.namespace(-1); err != nil {
				return err
			}
		}
		for _, row := range seen.rows {
			page.Rows = append(page.Rows, row.row())
		}
		page.Clock = seen.clock
		return nil
	})
	return page, err
}

// Examine implements [doctor.Examiner]: the settings by which a server loses commits or wastes IDs, its place among
// others, the account's rights, the file of SQLite, and the tables. It only reads. The findings are about the server,
// account and session that answered.
func (r register) Examine(ctx context.Context, cfg doctor.Config) (findings []doctor.Finding, err error) {
	t := fitness.Tables{Nodes: r.nodes, Leases: r.leases, Segments: r.segments, Takers: r.takers}
	err = r.connected(ctx, func(conn *sqlx.Conn) error {
		findings, err = fitness.Examine(ctx, conn, r.dialect, t, cfg)
		return err
	})
	return findings, err
}
