package database

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
)

// A Dialect is the kind of SQL of a database.
type Dialect string

// The dialects. MySQL is MariaDB's, too.
const (
	MySQL    Dialect = "mysql"
	Postgres Dialect = "postgres"
	SQLite   Dialect = "sqlite"
)

// Resolve returns the dialect with the name that is configured or, for "", the one of the database's driver. It returns
// [uid.ErrConfig] for a name that is not known, and for a driver that is not.
func Resolve(configured string, db *sqlx.DB) (Dialect, error) {
	return resolve(configured, cmp.Or(db.DriverName(), driverName(db.DB)))
}

func resolve(configured, driver string) (Dialect, error) {
	switch d := Dialect(configured); d {
	case MySQL, Postgres, SQLite:
		return d, nil
	case "":
	default:
		return "", fmt.Errorf("%w: unknown dialect %.100q (%q, %q and %q are known)",
			uid.ErrConfig, configured, MySQL, Postgres, SQLite)
	}
	switch driver {
	case "mysql":
		return MySQL, nil
	case "pgx", "pgx/v5", "postgres":
		return Postgres, nil
	case "sqlite", "sqlite3":
		return SQLite, nil
	}
	return "", fmt.Errorf("%w: the dialect of the database driver %.100q is not known; set Dialect to %q, %q or %q",
		uid.ErrConfig, driver, MySQL, Postgres, SQLite)
}

// SQL returns a statement in the dialect. The statement has backquotes around names and question marks for arguments,
// and neither of them anywhere else.
func (d Dialect) SQL(statement string) string {
	if d != Postgres {
		return statement
	}
	return sqlx.Rebind(sqlx.DOLLAR, strings.ReplaceAll(statement, "`", `"`))
}

// expressionsOf are the SQL expressions of a dialect; {table} is a table's name.
type expressionsOf struct {
	now         string // the database's time, in microseconds since 1970 UTC
	delay       string // microseconds between that and the reading of the rows
	session     string // the number of the session
	history     string // identifies the server, its start and the table; see Origin
	justStarted string // whether the server was started within the last two seconds
	needsSetup  string // whether setUp has yet to run in the session
	setUp       string // the statement that keeps in the session what history reads
	autocommits string // whether a statement commits by itself
	readOnly    string // whether the server or the session refuses writes
	schema      string // the schema that has the table
	alike       string // the query for tables with a name of {names}, in any case
	indexed     string // the text %s in the charset and collation of our keys
	begin       string
	ends        string // follows COMMIT and ROLLBACK
}

var expressions = map[Dialect]*expressionsOf{MySQL: &inMySQL, Postgres: &inPostgres, SQLite: &inSQLite}

// Clock returns the query for the database's time, in microseconds since 1970 UTC. It avoids the session's time zone,
// whose summer time repeats an hour. On MySQL it is the time at which the statement began.
func (d Dialect) Clock() string { return "SELECT " + expressions[d].now }

// Indexed returns the expression for a text in the charset and collation of our tables' keys: one that the key's
// index finds.
func (d Dialect) Indexed(text string) string { return fmt.Sprintf(expressions[d].indexed, text) }
