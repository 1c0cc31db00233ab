package database

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
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
		return "", fmt.Errorf("%w: unknown dialect %.100q (%q, %q and %q are known)",
			uid.ErrConfig, string(d), MySQL, Postgres, SQLite)
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

// SQL returns a statement in the dialect. It is written with backquotes around names and question
// marks for arguments, neither of which may stand in it otherwise.
func (d Dialect) SQL(statement string) string {
	if d != Postgres {
		return statement
	}
	return sqlx.Rebind(sqlx.DOLLAR, strings.ReplaceAll(statement, "`", `"`))
}

// expressionsOf is how a dialect says what the others say differently.
type expressionsOf struct {
	now         string // the database's time, in microseconds since 1970 UTC
	delay       string // microseconds that have passed since
	session     string // the number of the session
	history     string // which server it is, since when, and which table; see Origin
	justStarted string // whether the server was started but now
	needsSetup  string // whether the session has yet to learn what history needs
	setUp       string // the statement by which it does
	autocommits string // whether a statement commits by itself
	readOnly    string
	schema      string
	alike       string // the query for the tables whose names are those in {names} but for their case
	bytes       string // of the text %s
	indexed     string // the text %s as an index has it
	micros      string // of the time in the column %s
	text        string // of the hexadecimal digits %s
	random      string // a number, another one for each row
	begin       string
	ends        string // what follows on COMMIT and ROLLBACK
}

var expressions = map[Dialect]*expressionsOf{MySQL: &inMySQL, Postgres: &inPostgres, SQLite: &inSQLite}

// Clock returns the query for the database's time; see Now.
func (d Dialect) Clock() string { return "SELECT " + d.Now() }

// Now returns the expression for the database's time, in microseconds since 1970 UTC. It avoids
// the session's time zone, whose summer time repeats an hour. For MySQL it is the time at which
// the statement began.
func (d Dialect) Now() string { return expressions[d].now }

// Random returns the expression for a random number, another one for each row.
func (d Dialect) Random() string { return expressions[d].random }

// Bytes returns the expression for a column's text as its bytes in UTF-8, which are compared and
// ordered one by one: whatever the charsets of the column and the session, and its collation.
func (d Dialect) Bytes(column string) string { return fmt.Sprintf(expressions[d].bytes, column) }

// Indexed returns the expression for a text in the charset and collation that Schema gives to a key:
// one that the key's index finds.
func (d Dialect) Indexed(text string) string { return fmt.Sprintf(expressions[d].indexed, text) }

// MicrosOf returns the expression for the time in a column of the type TIMESTAMP, in microseconds
// since 1970 UTC: the session's time zone does not come into it.
func (d Dialect) MicrosOf(column string) string { return fmt.Sprintf(expressions[d].micros, column) }

// Strict returns how a statement begins that refuses a number which its column cannot hold,
// whatever the session's mode: a MySQL server without a strict one would silently store another.
// verb is UPDATE or INSERT.
func (d Dialect) Strict(verb string) string { return d.with(verb, "sql_mode='STRICT_ALL_TABLES'") }

// InUTC returns how a statement begins that converts times as of UTC, whatever the session's time zone, on a
// MySQL server. verb is UPDATE or SELECT.
func (d Dialect) InUTC(verb string) string { return d.with(verb, "time_zone='+00:00'") }

// with sets a variable of a MySQL server for one statement. MariaDB knows the first form, MySQL from 8.0 the
// second, and each takes the other's for a comment. On MySQL 5.7 it is up to the session.
func (d Dialect) with(verb, set string) string {
	if d != MySQL {
		return verb
	}
	return "/*M! SET STATEMENT " + set + " FOR */ " + verb + " /*+ SET_VAR(" + set + ") */"
}

// AtOnce is Strict for a statement that MariaDB ends where it would wait for a lock. Other servers wait.
func (d Dialect) AtOnce(verb string) string {
	return strings.Replace(d.Strict(verb), " FOR ", ", innodb_lock_wait_timeout=0 FOR ", 1)
}

// Bind returns a statement, and the arguments that are sent beside it: none to a server, for which
// they become part of the statement. A driver would prepare a statement with arguments, in a round
// trip of its own, and a proxy that shares connections among clients may not keep it. So integers
// stand in it as digits, and texts in hexadecimal: no quotes, backslashes, modes or charsets of a
// session come into it.
func (d Dialect) Bind(statement string, args ...any) (string, []any) {
	if d == SQLite {
		return statement, args
	}
	if d == Postgres {
		statement = strings.ReplaceAll(statement, "`", `"`)
	}
	var text strings.Builder
	for i, part := range strings.Split(statement, "?") {
		if i > 0 {
			text.WriteString(d.literal(args[i-1]))
		}
		text.WriteString(part)
	}
	return text.String(), nil
}

func (d Dialect) literal(value any) string {
	if s, ok := value.(string); ok {
		return fmt.Sprintf(expressions[d].text, hex.EncodeToString([]byte(s)))
	}
	if n := value.(int64); n != math.MinInt64 {
		return strconv.FormatInt(n, 10)
	}
	return "(-9223372036854775807 - 1)" // the digits alone are beyond a bigint
}
