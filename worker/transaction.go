package worker

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// transact runs do between a begin and a commit, and rolls back when it fails. It
// is explicit about the commit, since a session may have autocommit off.
func transact(ctx context.Context, conn *sqlx.Conn, do func(*sqlx.Tx) error) error {
	tx, err := conn.BeginTxx(ctx, nil)
	if err != nil {
		return failed("begin", err)
	}
	defer tx.Rollback() // does nothing after the commit
	if err := do(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return failed("commit", err)
	}
	return nil
}
