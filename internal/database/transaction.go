package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// A Session carries out statements: a connection, or a transaction.
type Session interface {
	sqlx.QueryerContext
	sqlx.ExecerContext
}

// Rollback returns the statement that rolls a transaction back.
func (d Dialect) Rollback() string { return "ROLLBACK" + expressions[d].ends }

func (d Dialect) commit() string { return "COMMIT" + expressions[d].ends }

// Transact runs do between a begin and a commit, and rolls back when it fails. It commits in a session without
// autocommit, too.
//
// On a server begin and commit are statements, which end with ctx: a sql.Tx commits without a context, and would wait
// for a lost reply until the operating system gives up.
func Transact(ctx context.Context, conn *sqlx.Conn, dialect Dialect, do func(Session) error) error {
	if dialect == SQLite {
		err := transactFile(ctx, conn, do)
		if _, moved := errors.AsType[*placeError](err); moved {
			discard(conn) // a new connection opens the file that is at the path now
		}
		return err
	}
	if _, err := conn.ExecContext(ctx, expressions[dialect].begin); err != nil {
		discard(conn)
		return Failed("begin", err)
	}
	committed := false
	defer func() {
		if committed {
			return
		}
		if _, err := conn.ExecContext(ctx, dialect.Rollback()); err != nil {
			discard(conn)
		}
	}()
	if err := do(conn); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, dialect.commit()); err != nil {
		return Failed("commit", err)
	}
	committed = true
	return nil
}

func transactFile(ctx context.Context, conn *sqlx.Conn, do func(Session) error) error {
	restore, err := syncing(ctx, conn)
	if err != nil {
		return err
	}
	defer restore() // after the transaction has ended
	tx, err := conn.BeginTxx(ctx, nil)
	if err != nil {
		return Failed("begin", err)
	}
	defer tx.Rollback() // does nothing after the commit
	if err := do(tx); err != nil {
		return err
	}
	return Failed("commit", tx.Commit())
}

// syncing makes a commit survive a power failure. It leaves a connection with synchronous OFF as it is: the program has
// chosen that no commit in its file is safe. See [FilePlace.History].
func syncing(ctx context.Context, conn *sqlx.Conn) (restore func(), err error) {
	var level int
	if err := conn.GetContext(ctx, &level, "PRAGMA synchronous"); err != nil {
		return nil, Failed("ask for synchronous", err)
	}
	if level == syncOff || level == syncExtra {
		return func() {}, nil
	}
	set := func(ctx context.Context, level int) error {
		_, err := conn.ExecContext(ctx, fmt.Sprint("PRAGMA synchronous = ", level))
		return Failed("set synchronous", err)
	}
	return func() {
		if err := set(context.WithoutCancel(ctx), level); err != nil {
			discard(conn)
		}
	}, set(ctx, syncExtra)
}

// Levels of PRAGMA synchronous. With NORMAL a commit may be lost in a power failure and, in the journal mode
// DELETE, with FULL.
const (
	syncOff   = 0
	syncExtra = 3
)

// discard keeps a connection from going back to the pool. The server ends its transaction with it.
func discard(conn *sqlx.Conn) { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }
