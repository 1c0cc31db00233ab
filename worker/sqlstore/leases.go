package sqlstore

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/fitness"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A leaseTable is a namespace in the table of leased IDs, and a [lease.Store]. Make it with [DB.Leases]. Any number of
// goroutines may call all methods at once.
//
// On SQLite it is bound to the file that it finds first. Once another file is in its place, all later calls return
// [worker.ErrState]. To use the other file, close the database, open it anew, and make new Leases. On PostgreSQL it is
// bound likewise to the schema in which the search path finds the table first.
type leaseTable struct {
	tables
	namespace string
	place     database.FilePlace   // of a SQLite file
	schema    database.SchemaPlace // of a PostgreSQL table
}

var _ storage.PlacedStore = (*leaseTable)(nil)

// Leases returns a namespace of leases. Worker IDs are unique within one, and all its UIDs have the same layout. UIDs
// of two can be equal.
//
// The name has at most 64 ASCII letters, digits, spaces (not at its ends) and !"#$%&'()*+,-./:;<=>?_. For "" it is
// "default". Leases returns [uid.ErrConfig] or [uid.ErrRange] for all others.
func (d *DB) Leases(namespace string) (lease.Store, error) {
	name, err := settings.Namespace(namespace)
	if err != nil {
		return nil, err
	}
	return &leaseTable{tables: d.tables, namespace: name}, nil
}

// Durable implements [lease.Store]: it is false, since a replica that takes over may lack the newest commits.
func (l *leaseTable) Durable() bool { return false }

// Name returns the namespace and the table: namespace "orders" of table WORKER_LEASE.
func (l *leaseTable) Name() string {
	return fmt.Sprintf("namespace %q of table %s", l.namespace, l.leases)
}

// Place implements [storage.PlacedStore]: it returns the schema of a PostgreSQL table.
func (l *leaseTable) Place() string { return l.schema.Name() }

// Bind implements [storage.PlacedStore].
func (l *leaseTable) Bind(schema string) error { return l.schema.Bind(l.leases, schema) }

// A decision changes rows that a store has read, for a caller of Take or Change.
type decision = func(*storage.Namespace, *storage.Lease, storage.Clock) error

// Take implements [lease.Store]. It takes two round trips to a server, a few more when it makes new rows or no other ID
// is left, and two more each time that it loses an ID to another client, after a random pause.
func (l *leaseTable) Take(ctx context.Context, w storage.Wanted, decide decision) error {
	return l.swap(ctx, &l.place, func(conn session, races int) (attempt, error) {
		seen, f, err := search{l, w, races}.find(ctx, conn)
		if err != nil {
			return attempt{Origin: seen.Origin}, err
		}
		namespace, row := f.namespace, storage.NewLease(f.id)
		if f.was != nil {
			row = f.was.row()
		}
		if err := decide(&namespace, &row, seen.clock); err != nil {
			return attempt{Origin: seen.Origin}, err
		}
		if namespace.Given = f.namespace.Given; f.was == nil {
			namespace.Given = f.made.Last
		}
		is := []leaseRow{rowOf(row, f.id)}
		if f.was != nil {
			return l.replaceBoth(seen, seen.control.changed(namespace), f.was, is[0]), nil
		}
		for id := f.id + 1; id <= f.made.Last; id++ {
			is = append(is, rowOf(storage.NewLease(id), id))
		}
		return l.addRows(seen, seen.control.changed(namespace), is), nil
	})
}

// Change implements [lease.Store]. It takes two round trips to a server, and two more each time that another client
// writes the row in between.
func (l *leaseTable) Change(ctx context.Context, id int64, decide decision) error {
	return l.swap(ctx, &l.place, func(conn session, _ int) (attempt, error) {
		seen, err := l.look(ctx, conn, l.where(theRow), id)
		nothing := attempt{Origin: seen.Origin}
		if err != nil {
			return nothing, err
		}
		was, err := l.namespaceOf(seen)
		if err != nil {
			return nothing, err
		}
		namespace := was
		if len(seen.rows) == 0 || id == controlID {
			if err := decide(&namespace, nil, seen.clock); err != nil {
				return nothing, err
			}
			return nothing, fmt.Errorf("%w: worker ID %d has no row that could be changed", worker.ErrUnconfirmed, id)
		}
		row := seen.rows[0].row()
		if err := decide(&namespace, &row, seen.clock); err != nil {
			return nothing, err
		}
		if namespace.Given = was.Given; namespace == was {
			return l.replace(seen, &seen.rows[0], rowOf(row, id)), nil
		}
		return l.replaceBoth(seen, seen.control.changed(namespace), &seen.rows[0], rowOf(row, id)), nil
	})
}

// missing returns the error of a namespace that has no row.
func (l *leaseTable) missing() error {
	return fmt.Errorf("%w: table %s has no row of namespace %q", worker.ErrNoNamespace, l.leases, l.namespace)
}

// Init implements [lease.Store]. It creates a missing table, for which the account needs CREATE.
func (l *leaseTable) Init(ctx context.Context, decide func(*storage.Namespace, storage.Clock) error) error {
	err := l.found(ctx, decide)
	if !database.IsMissingTable(err) {
		return err
	}
	if err := l.connected(ctx, func(conn *sqlx.Conn) error {
		return l.create(ctx, conn, database.LeaseTable, l.leases)
	}); err != nil {
		return err
	}
	return l.found(ctx, decide)
}

// found makes the namespace, or changes it. Unlike a Take it compares the NONCE of the namespace's row, too, by which
// it notices each Take since it has read the row.
func (l *leaseTable) found(ctx context.Context, decide func(*storage.Namespace, storage.Clock) error) error {
	return l.swap(ctx, &l.place, func(conn session, _ int) (attempt, error) {
		seen, err := l.look(ctx, conn, l.where(theRow), int64(controlID))
		nothing := attempt{Origin: seen.Origin}
		if err != nil {
			return nothing, err
		}
		was := storage.Namespace{Given: seen.largest, Floor: -1, Fresh: true}
		if seen.control != nil {
			if was, err = seen.control.namespace(seen.largest); err != nil {
				return nothing, err
			}
		}
		n := was
		if err := decide(&n, seen.clock); err != nil {
			return nothing, err
		}
		n.Given = was.Given
		if seen.control == nil {
			return l.replace(seen, nil, leaseRow{}.changed(n)), nil
		}
		is := seen.control.changed(n)
		if is == *seen.control {
			return nothing, nil
		}
		return l.replace(seen, seen.control, touched(is)), nil
	})
}

// Inspect implements [lease.Store]. It compares the table's columns with what workers write to them, and reads the
// settings by which a server or a SQLite connection can lose a commit. It skips settings that the account may not see.
func (l *leaseTable) Inspect(ctx context.Context) (lossy []string, err error) {
	return l.inspect(ctx, true, fitness.Table{Name: l.leases, Default: database.LeaseTable})
}
