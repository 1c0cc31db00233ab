package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker"
)

// A transaction reads and writes rows of one namespace.
type transaction struct {
	database.Session
	*Leases
	written leaseRow // the row that was inserted or updated last
}

// transact runs do in a transaction on one connection. It returns [worker.ErrNoNamespace] when
// there is no table: creating one here would hide from a running owner that its own was renamed
// or dropped.
func (l *Leases) transact(ctx context.Context, do func(*transaction) error) error {
	conn, err := l.db.Connx(ctx)
	if err != nil {
		return database.Failed("connect", err)
	}
	defer conn.Close()
	restore, err := database.Prepare(ctx, conn, l.dialect)
	if err != nil {
		return err
	}
	defer restore()
	return noNamespace(l.inPlace(ctx, conn, &transaction{Leases: l}, do))
}

// inPlace runs a transaction. On a SQLite file a commit counts only if the file is in its place
// before and after, and what was written can be read there. Else it returns an error, as for a
// commit whose reply was lost.
func (l *Leases) inPlace(ctx context.Context, conn *sqlx.Conn, tx *transaction, do func(*transaction) error) error {
	if l.dialect != database.SQLite {
		return tx.run(ctx, conn, do)
	}
	if err := l.place.Look(ctx, conn); err != nil {
		return err
	}
	if err := tx.run(ctx, conn, do); err != nil {
		return err
	}
	if row := tx.written; row.Nonce != "" {
		wrote := fmt.Sprintf("%s %d %d %d", row.Nonce, row.High, row.Until, row.Renewed)
		err := l.place.Confirm(ctx, conn, wrote, "NONCE || ' ' || HIGH || ' ' || LEASE_UNTIL || ' ' || RENEWED",
			"`"+l.leases+"` WHERE NAMESPACE = ? AND WORKER_ID = ?", l.namespace, row.WorkerID)
		if err != nil {
			return err
		}
	}
	return l.place.Look(ctx, conn)
}

func (tx *transaction) run(ctx context.Context, conn *sqlx.Conn, do func(*transaction) error) error {
	return database.Transact(ctx, conn, tx.dialect, func(s database.Session) error {
		tx.Session = s
		return do(tx)
	})
}

// now asks for the database's time in a statement of its own: a statement that waits for a lock
// returns the time at which it began to wait.
func (tx *transaction) now(ctx context.Context) (now database.Micros, err error) {
	if err := tx.GetContext(ctx, &now, tx.dialect.Clock()); err != nil {
		return 0, database.Failed("ask for the database's time", err)
	}
	return now, nil
}

// lock locks a row and returns it as it is then; found is false if there is none.
func (tx *transaction) lock(ctx context.Context, id int64) (row leaseRow, found bool, err error) {
	return tx.read(ctx, id, tx.dialect.ForUpdate())
}

func (tx *transaction) read(ctx context.Context, id int64, lock string) (row leaseRow, found bool, err error) {
	err = tx.QueryRowContext(ctx, "SELECT "+leaseColumns+" FROM `"+tx.leases+"` WHERE NAMESPACE = ? AND WORKER_ID = ?"+lock, tx.namespace, id).
		Scan(row.fields()...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return row, false, nil
	case err != nil:
		return row, false, database.Failed("read a row", err)
	}
	return row, true, nil
}

// get reads one number, if there is one.
func (tx *transaction) get(ctx context.Context, doing string, query string, args ...any) (n int64, found bool, err error) {
	err = tx.GetContext(ctx, &n, query, args...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, false, nil
	case err != nil:
		return 0, false, database.Failed(doing, err)
	}
	return n, true, nil
}

// anyID reports whether the namespace has a row of an ID.
func (tx *transaction) anyID(ctx context.Context) (found bool, err error) {
	_, found, err = tx.get(ctx, "look for an ID", "SELECT WORKER_ID FROM `"+tx.leases+"` WHERE NAMESPACE = ? AND WORKER_ID <> ? LIMIT 1", tx.namespace, controlID)
	return found, err
}

// widestReach returns the largest REACH of the namespace's rows.
func (tx *transaction) widestReach(ctx context.Context) (reach time.Duration, err error) {
	n, _, err := tx.get(ctx, "look for the widest reach", "SELECT COALESCE(MAX(REACH), 0) FROM `"+tx.leases+"` WHERE NAMESPACE = ?", tx.namespace)
	return duration(n), err
}

func (tx *transaction) insert(ctx context.Context, r leaseRow) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO `"+tx.leases+"` (NAMESPACE, "+leaseColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		tx.namespace, r.WorkerID, r.Nonce, r.High, r.Until, r.Layout, r.Holder, r.Acquired, r.Renewed, r.Reach)
	if err != nil {
		return database.Failed("insert a row", err)
	}
	tx.written = r
	return nil
}

// update writes a locked row that was read as was.
func (tx *transaction) update(ctx context.Context, r, was leaseRow) error {
	res, err := tx.ExecContext(ctx, "UPDATE `"+tx.leases+"` SET NONCE = ?, HIGH = ?, LEASE_UNTIL = ?, LAYOUT = ?, HOLDER = ?, ACQUIRED = ?, RENEWED = ?, REACH = ?"+
		" WHERE NAMESPACE = ? AND WORKER_ID = ? AND NONCE = ?",
		r.Nonce, r.High, r.Until, r.Layout, r.Holder, r.Acquired, r.Renewed, r.Reach, tx.namespace, r.WorkerID, was.Nonce)
	if err != nil {
		return database.Failed("update a row", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return database.Failed("update a row", err)
	}
	if n != 1 && !(n == 0 && r == was) { // MySQL counts the rows that it has changed
		return fmt.Errorf("%w: the update changed %d rows of worker ID %d, not 1", worker.ErrUnconfirmed, n, r.WorkerID)
	}
	tx.written = r
	return nil
}
