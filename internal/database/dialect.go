package database

import (
	"fmt"

	"github.com/uidgen/uid"
)

// A Dialect is the kind of SQL that a database speaks.
type Dialect string

// The dialects. MySQL stands for MariaDB too.
const (
	MySQL  Dialect = "mysql"
	SQLite Dialect = "sqlite"
)

// Resolve returns d or, if d is empty, the driver's dialect.
func (d Dialect) Resolve(driver string) (Dialect, error) {
	switch d {
	case MySQL, SQLite:
		return d, nil
	case "":
	default:
		return "", fmt.Errorf("%w: unknown dialect %.100q (%q and %q are known)", uid.ErrConfig, string(d), MySQL, SQLite)
	}
	switch driver {
	case "mysql":
		return MySQL, nil
	case "sqlite", "sqlite3":
		return SQLite, nil
	}
	return "", fmt.Errorf("%w: the dialect of the database driver %.100q is not known; set Dialect to %q or %q", uid.ErrConfig, driver, MySQL, SQLite)
}

// Clock returns the query for the database's time, in microseconds since 1970 UTC. It avoids the
// session's time zone, whose summer time repeats an hour.
//
// SQLite's clock counts whole milliseconds, and is up to one behind the machine's. It is never
// ahead: rounding restores the millisecond that julianday's fraction of a day stands for.
func (d Dialect) Clock() string {
	if d == SQLite {
		return "SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000"
	}
	return "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))"
}

// ForUpdate returns the end of a query that locks the rows it finds. SQLite has no such clause: a
// transaction locks the whole database, at its start or when it first writes.
func (d Dialect) ForUpdate() string {
	if d == SQLite {
		return ""
	}
	return " FOR UPDATE"
}
