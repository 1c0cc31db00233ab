package database

import (
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
)

// A Dialect is the kind of SQL that a database speaks.
type Dialect string

// The dialects. MySQL stands for MariaDB too.
const (
	MySQL    Dialect = "mysql"
	Postgres Dialect = "postgres"
	SQLite   Dialect = "sqlite"
)

// Resolve returns d or, if d is empty, the driver's dialect.
func (d Dialect) Resolve(driver string) (Dialect, error) {
	switch d {
	case MySQL, Postgres, SQLite:
		return d, nil
	case "":
	default:
		return "", fmt.Errorf("%w: unknown dialect %.100q (%q, %q and %q are known)", uid.ErrConfig, string(d), MySQL, Postgres, SQLite)
	}
	switch driver {
	case "mysql":
		return MySQL, nil
	case "pgx", "pgx/v5", "postgres":
		return Postgres, nil
	case "sqlite", "sqlite3":
		return SQLite, nil
	}
	return "", fmt.Errorf("%w: the dialect of the database driver %.100q is not known; set Dialect to %q, %q or %q", uid.ErrConfig, driver, MySQL, Postgres, SQLite)
}

// SQL returns a statement in the dialect. It is written with backquotes around names and question
// marks for arguments, neither of which may stand in it otherwise.
func (d Dialect) SQL(statement string) string {
	if d != Postgres {
		return statement
	}
	return sqlx.Rebind(sqlx.DOLLAR, strings.ReplaceAll(statement, "`", `"`))
}

// Clock returns the query for the database's time; see Now.
func (d Dialect) Clock() string { return "SELECT " + d.Now() }

// Now returns the expression for the database's time, in microseconds since 1970 UTC. It avoids
// the session's time zone, whose summer time repeats an hour. For MySQL it is the time at which
// the statement began; see Late.
//
// SQLite's clock counts whole milliseconds, and is up to one behind the machine's. It is never
// ahead: rounding restores the millisecond that julianday's fraction of a day stands for.
func (d Dialect) Now() string {
	switch d {
	case SQLite:
		return "CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000"
	case Postgres:
		return "CAST(FLOOR(EXTRACT(EPOCH FROM CLOCK_TIMESTAMP()) * 1000000) AS BIGINT)"
	}
	return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))"
}

// Late returns the expression for the time that has passed since the time that Now shows, in
// microseconds: how long the statement has waited, for a change of the table's definition say.
// A server whose SYSDATE is NOW does not tell. When a summer time begins or ends meanwhile the
// result is an hour off.
func (d Dialect) Late() string {
	if d == MySQL {
		return "TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6))"
	}
	return "0"
}

// Bytes returns the expression for a column's text as its bytes in UTF-8, which are compared and
// ordered one by one: whatever the charsets of the column and the session, and its collation. The
// text of [Dialect.Text] compares with it.
func (d Dialect) Bytes(column string) string {
	switch d {
	case SQLite:
		return column + " COLLATE BINARY"
	case Postgres:
		return column + ` COLLATE "C"`
	}
	return "CAST(CONVERT(" + column + " USING utf8mb4) AS BINARY)"
}

// Plain returns the expression for a column's text in the charset and collation that Schema gives
// to a key: one that the key's index finds.
func (d Dialect) Plain(column string) string {
	if d == MySQL {
		return "CONVERT(" + column + " USING utf8mb4) COLLATE utf8mb4_bin"
	}
	return column
}

// MicrosOf returns the expression for the time in a column of the type TIMESTAMP, in microseconds
// since 1970 UTC: the session's time zone does not come into it.
func (d Dialect) MicrosOf(column string) string {
	switch d {
	case SQLite:
		return "CAST(STRFTIME('%s', " + column + ") AS INTEGER) * 1000000"
	case Postgres:
		return "CAST(FLOOR(EXTRACT(EPOCH FROM CAST(" + column + " AS TIMESTAMPTZ)) * 1000000) AS BIGINT)"
	}
	return "CAST(UNIX_TIMESTAMP(" + column + ") * 1000000 AS SIGNED)"
}

// OrNothing returns the end of an insert that inserts nothing where the key exists. The other
// dialects fail then; PostgreSQL would log that as an error of the server.
func (d Dialect) OrNothing() string {
	if d == Postgres {
		return " ON CONFLICT DO NOTHING"
	}
	return ""
}
