package database

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
)

// A process that is paused, or cut off, in the middle of a transaction keeps the rows
// that it has locked for as long as the server waits for its next statement, eight hours
// by default: nobody else could have the ID, and as IDs that have been free for longest
// come first, nobody could acquire any. So the server is told to wait for no longer than
// stall, many times what passes between two statements of a transaction.
const stall = 2 * time.Second // MySQL counts whole seconds

// Prepare has the server end a transaction of this session that stands still for 2 s, and
// refuse a number that a column cannot hold: without a strict mode it would store another
// one, and nobody would know. The caller is to call restore, since the connection goes back
// to the program's pool. A SQLite file stays locked by a process that stands still.
func Prepare(ctx context.Context, conn *sqlx.Conn, dialect Dialect) (restore func(), err error) {
	if dialect != MySQL {
		return func() {}, nil
	}
	_, err = conn.ExecContext(ctx, fmt.Sprintf("SET @uid_wait_timeout = @@SESSION.wait_timeout, @uid_sql_mode = @@SESSION.sql_mode,"+
		" SESSION wait_timeout = %d, SESSION sql_mode = 'STRICT_ALL_TABLES'", stall/time.Second))
	if err != nil {
		return nil, Failed("prepare the session", err)
	}
	return func() {
		if _, err := conn.ExecContext(ctx, "SET SESSION wait_timeout = @uid_wait_timeout, SESSION sql_mode = @uid_sql_mode"); err != nil {
			discard(conn)
		}
	}, nil
}
