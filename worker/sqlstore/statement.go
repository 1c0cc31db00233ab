package sqlstore

import (
	"context"
	"errors"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker"
)

// What all statements by compare-and-swap have in common.

var (
	// errRaced says that what was to be replaced is not as it was read.
	errRaced = worker.Transient(errors.New("write a row: somebody else has written it"))
	// errConflict says that the database has refused one of two writes at once.
	errConflict = worker.Transient(errors.New("write a row: somebody else writes it at the same time"))
	// errElsewhere says that what was decided was not written where it was read.
	errElsewhere = worker.Transient(errors.New("write a row: the statement before was carried out by another server, or session: does a proxy share connections?"))
)

// change carries a statement out, and returns how many rows it affects. It returns errConflict
// when nothing was stored because of what others write.
func (t *tables) change(ctx context.Context, conn session, text string) (int64, error) {
	const doing = "write a row"
	res, err := conn.ExecContext(ctx, t.dialect.SQL(text))
	if err != nil {
		if database.IsRaced(err) {
			return 0, errConflict
		}
		return 0, database.Failed(doing, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, database.Failed(doing, err)
	}
	return n, nil
}

// finish commits what a statement has written, or undoes it, when the session does not do that by
// itself. It returns what became of the statement, by its error.
func (t *tables) finish(ctx context.Context, conn session, o database.Origin, err error) error {
	switch {
	case o.Plain():
	case err == nil:
		err = t.commit(ctx, conn)
	default:
		t.rollback(ctx, conn)
	}
	return err
}

// Explicit about what follows; see package database.
func (t *tables) commit(ctx context.Context, conn session) error {
	if _, err := conn.ExecContext(ctx, t.dialect.Commit()); err != nil {
		return database.Failed("commit", err)
	}
	return nil
}

func (t *tables) rollback(ctx context.Context, conn session) {
	_, _ = conn.ExecContext(ctx, t.dialect.Rollback()) // the next one to look commits, or the session is gone
}

// A trace is what a transaction has left in a SQLite file: the text wrote, which the expression
// text yields, from a table with a WHERE clause.
type trace struct {
	wrote, text, from string
	args              []any
}

// inPlace runs a transaction on a SQLite file. Its commit counts only if the file is in its place
// before and after, and what was written can be read there. Else it returns an error, as for a
// commit whose reply was lost. do returns a nil trace if there is nothing to read.
func (t *tables) inPlace(ctx context.Context, conn *sqlx.Conn, place *database.Place, do func(session) (*trace, error)) error {
	if err := place.Look(ctx, conn); err != nil {
		return err
	}
	var left *trace
	err := database.Transact(ctx, conn, t.dialect, func(s database.Session) (err error) {
		left, err = do(s)
		return err
	})
	if err != nil {
		return err
	}
	if left != nil {
		if err := place.Confirm(ctx, conn, left.wrote, left.text, left.from, left.args...); err != nil {
			return err
		}
	}
	return place.Look(ctx, conn)
}
