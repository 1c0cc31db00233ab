package database

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/jmoiron/sqlx"
)

// A Reader is a connection, or a transaction.
type Reader interface {
	Querier
	GetContext(ctx context.Context, dest any, query string, args ...any) error
}

// A Session carries out the statements of a transaction.
type Session interface {
	Reader
	sqlx.ExecerContext
}

// Commit and Rollback return the statements that end a transaction.
func (d Dialect) Commit() string   { return "COMMIT" + speeches[d].ends }
func (d Dialect) Rollback() string { return "ROLLBACK" + speeches[d].ends }

// Transact runs do between a begin and a commit, and rolls back when it fails. The commit is
// explicit, since a session may have autocommit off.
//
// On a server begin and commit are statements like others, which end with ctx: a sql.Tx commits
// without a context, and would wait for a lost reply for as long as the operating system does.
func Transact(ctx context.Context, conn *sqlx.Conn, dialect Dialect, do func(Session) error) error {
	if dialect == SQLite {
		err := transactFile(ctx, conn, do)
		if _, moved := errors.AsType[*placeError](err); moved {
			discard(conn) // a new connection opens what is in the place now
		}
		return err
	}
	if _, err := conn.ExecContext(ctx, speeches[dialect].begin); err != nil {
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
	if _, err := conn.ExecContext(ctx, dialect.Commit()); err != nil {
		return Failed("commit", err)
	}
	committed = true
	return nil
}

func transactFile(ctx context.Context, conn *sqlx.Conn, do func(Session) error) error {
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

// discard keeps a connection from going back to the pool. The server ends its transaction with
// it.
func discard(conn *sqlx.Conn) { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }
