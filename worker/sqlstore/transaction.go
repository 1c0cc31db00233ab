package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uidgen/uid/internal/database"
)

// A transaction reads and writes rows of one namespace. Only Prune needs one. Its statements have no
// arguments: between two that are prepared, a node of a Galera cluster can undo the transaction and
// go on as if it had not.
type transaction struct {
	database.Session
	*Leases
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
	if l.dialect == database.SQLite {
		return noNamespace(l.inPlace(ctx, conn, &l.place, func(s session) (*trace, error) {
			return nil, do(&transaction{s.(database.Session), l})
		}))
	}
	restore, err := database.Prepare(ctx, conn, l.dialect)
	if err != nil {
		return err
	}
	defer restore()
	if err := l.catchUp(ctx, conn); err != nil {
		return err
	}
	return noNamespace(database.Transact(ctx, conn, l.dialect, func(s database.Session) error { return do(&transaction{s, l}) }))
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
	err = tx.QueryRowContext(ctx, tx.dialect.SQL("SELECT "+leaseColumns+" FROM `"+tx.leases+"` WHERE "+tx.key("", id)+tx.dialect.ForUpdate())).
		Scan(row.fields()...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return row, false, nil
	case err != nil:
		return row, false, database.Failed("read a row", err)
	}
	return row, true, nil
}
