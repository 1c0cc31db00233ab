package database

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
)

// A process that is paused or cut off in the middle of a transaction keeps its row locks until the server stops waiting
// for its next statement: eight hours by default. Meanwhile no other process could lease that ID; and since the ID that
// has been free for longest comes first, none could lease any. So the server waits no longer than stall, many times the
// pause between two statements of a transaction.
const stall = 2 * time.Second // MySQL counts whole seconds

// Prepare makes a MySQL server end a transaction of this session that stands still for 2 s, and refuse a number that a
// column cannot hold: without a strict mode it would silently store another one. The caller must call restore, since
// the connection goes back to the program's pool. PostgreSQL has both by itself and by Transact; in SQLite the file
// stays locked while a process stands still.
func Prepare(ctx context.Context, conn *sqlx.Conn, dialect Dialect) (restore func(), err error) {
	if dialect != MySQL {
		return func() {}, nil
	}
	_, err = conn.ExecContext(ctx, fmt.Sprintf("SET @uid_wait_timeout = @@SESSION.wait_timeout,"+
		" @uid_sql_mode = @@SESSION.sql_mode, SESSION wait_timeout = %d,"+
		" SESSION sql_mode = 'STRICT_ALL_TABLES'", stall/time.Second))
	if err != nil {
		return nil, Failed("prepare the session", err)
	}
	return func() {
		const was = "SET SESSION wait_timeout = @uid_wait_timeout, SESSION sql_mode = @uid_sql_mode"
		if _, err := conn.ExecContext(ctx, was); err != nil {
			discard(conn)
		}
	}, nil
}
