package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// Leases is a namespace in the table of leased IDs, and a [lease.Store]. Make it with
// [DB.Leases]. All methods may be called by any number of goroutines at once.
//
// With SQLite it is bound to the file that it finds first. Once another file is in its place, all
// calls return [worker.ErrState] for good. To use the other file, close the database, open it
// anew, and make new Leases.
type Leases struct {
	tables
	namespace string
	place     database.Place // of a SQLite file
}

var _ lease.Store = (*Leases)(nil)

// Leases returns a namespace of leases. Namespaces keep apart services that share a table: worker
// IDs are unique within one, and all UIDs of one have the same layout. UIDs of two namespaces can
// be equal.
//
// The name has at most 64 characters: ASCII letters, digits, spaces (not at its ends) and
// !"#$%&'()*+,-./:;<=>?_. A server stores any other character as the charset of the connection
// has it, so that one name could become two. For "" it is "default". Leases returns
// [uid.ErrConfig] or [uid.ErrRange] for all other names. It does not touch the database.
func (d *DB) Leases(namespace string) (*Leases, error) {
	if namespace == "" {
		namespace = defaultNamespace
	}
	if err := checkNamespace(namespace); err != nil {
		return nil, err
	}
	return &Leases{tables: d.tables, namespace: namespace}, nil
}

// Name returns the namespace and the table: namespace "orders" of table WORKER_LEASE.
func (l *Leases) Name() string { return fmt.Sprintf("namespace %q of table %s", l.namespace, l.leases) }

// Namespace returns the namespace's name.
func (l *Leases) Namespace() string { return l.namespace }

// errRaced says that the owner renewed the lease before Take could lock its row.
var errRaced = worker.Transient(errors.New("lock a free ID: its owner has just renewed its lease"))

// Take implements [lease.Store]. Takes of one namespace run one after another: each locks the
// namespace's row first. It takes some ten statements.
func (l *Leases) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	return l.transact(ctx, func(tx *transaction) error {
		control, found, err := tx.lock(ctx, controlID)
		if err != nil {
			return err
		}
		if !found {
			return l.missing()
		}
		free, exists, err := tx.lockFree(ctx, w)
		if err != nil {
			return err
		}
		now, err := tx.now(ctx)
		if err != nil {
			return err
		}
		if exists && free.Until.Add(w.Rest) >= now {
			return errRaced
		}
		was, offered := control.namespace(), free.row()
		if !exists {
			offered = lease.Row{WorkerID: free.WorkerID, High: -1, Fresh: true}
		}
		n := was
		if err := decide(&n, &offered, clock(now)); err != nil {
			return err
		}
		if n != was {
			if err := tx.update(ctx, control.changed(n), control); err != nil {
				return err
			}
		}
		taken := rowOf(offered, free.WorkerID)
		if !exists {
			return tx.insert(ctx, taken)
		}
		return tx.update(ctx, taken, free)
	})
}

// Change implements [lease.Store]. It locks the row of the ID, and not the namespace's. It takes
// seven statements.
func (l *Leases) Change(ctx context.Context, id int64, decide func(*lease.Row, lease.Clock) error) error {
	return l.transact(ctx, func(tx *transaction) error {
		was, found, err := tx.lock(ctx, id)
		if err != nil {
			return err
		}
		if found = found && id != controlID; !found {
			if _, made, err := tx.read(ctx, controlID, ""); err != nil {
				return err
			} else if !made {
				return l.missing()
			}
		}
		now, err := tx.now(ctx)
		if err != nil {
			return err
		}
		if !found {
			if err := decide(nil, clock(now)); err != nil {
				return err
			}
			return fmt.Errorf("%w: worker ID %d has no row that could be changed", worker.ErrUnconfirmed, id)
		}
		row := was.row()
		if err := decide(&row, clock(now)); err != nil {
			return err
		}
		return tx.update(ctx, rowOf(row, id), was)
	})
}

// missing returns the error of a namespace that has no row.
func (l *Leases) missing() error {
	return fmt.Errorf("%w: table %s has no row of namespace %q", worker.ErrNoNamespace, l.leases, l.namespace)
}

// Init implements [lease.Store]. It creates a missing table, for which the account needs CREATE.
func (l *Leases) Init(ctx context.Context, decide func(*lease.Namespace, lease.Clock) error) error {
	found := func() error {
		return l.transact(ctx, func(tx *transaction) error { return tx.found(ctx, decide) })
	}
	err := found()
	if database.KindOf(err) != database.MissingTable {
		return err
	}
	conn, err := l.db.Connx(ctx)
	if err != nil {
		return database.Failed("connect", err)
	}
	err = create(ctx, conn, l.dialect, database.LeaseTable, l.leases)
	if closed := conn.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return found()
}

// found makes the namespace, or changes it.
func (tx *transaction) found(ctx context.Context, decide func(*lease.Namespace, lease.Clock) error) error {
	// Locking a missing row would lock the gap: starts that insert at the same time would then
	// deadlock.
	control, found, err := tx.read(ctx, controlID, "")
	if err != nil {
		return err
	}
	if found {
		if control, found, err = tx.lock(ctx, controlID); err != nil {
			return err
		}
	}
	now, err := tx.now(ctx)
	if err != nil {
		return err
	}
	was := lease.Namespace{Floor: -1, Fresh: true}
	if found {
		was = control.namespace()
	} else if was.Reach, err = tx.widestReach(ctx); err != nil {
		// The namespace's own row may have been deleted alone, with owners at work.
		return err
	}
	if was.Used, err = tx.anyID(ctx); err != nil {
		return err
	}
	n := was
	if err := decide(&n, clock(now)); err != nil {
		return err
	}
	if !found {
		err := tx.insert(ctx, leaseRow{WorkerID: controlID}.changed(n))
		if database.IsDuplicate(err) {
			return worker.Transient(errors.New("insert the namespace's row: another start has just done so"))
		}
		return err
	}
	if n == was {
		return nil
	}
	return tx.update(ctx, control.changed(n), control)
}

// Inspect implements [lease.Store]. It compares the table's columns with what workers write to
// them, and reads the settings by which a server or a SQLite connection can lose a commit. It
// skips what the account may not see.
func (l *Leases) Inspect(ctx context.Context) (lossy []string, err error) {
	conn, err := l.db.Connx(ctx)
	if err != nil {
		return nil, database.Failed("connect", err)
	}
	defer conn.Close()
	if err := l.fits(ctx, conn); err != nil {
		return nil, err
	}
	lossy, err = database.Lossy(ctx, conn, l.dialect)
	if err != nil && database.KindOf(err) == database.Final {
		return []string{fmt.Sprintf("its settings cannot be told: %v", err)}, nil
	}
	return lossy, err
}

// fits returns [uid.ErrConfig] when the table cannot hold what is written to it.
func (l *Leases) fits(ctx context.Context, conn *sqlx.Conn) error {
	shape, err := database.ReadShape(ctx, conn, l.dialect, l.leases)
	if err != nil || len(shape.Columns) == 0 {
		return err
	}
	v := database.JudgeTable("table", l.leases, l.dialect, shape, database.LeaseColumns)
	if v.Severity == database.Wrong {
		return fmt.Errorf("%w: table %s: %s. %s %s", uid.ErrConfig, l.leases, v.Value, v.Why, v.Do)
	}
	return nil
}
