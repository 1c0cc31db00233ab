package sqlstore

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/uidgen/uid/internal/database"
)

// A piece is a part of a statement, with the arguments of its placeholders in their order: so an argument stays with
// its placeholder.
type piece struct {
	text string
	args []any
}

// sqlOf returns a piece.
func sqlOf(text string, args ...any) piece { return piece{text, args} }

// concat joins pieces.
func concat(pieces ...piece) (all piece) {
	var text strings.Builder
	for _, p := range pieces {
		text.WriteString(p.text)
		all.args = append(all.args, p.args...)
	}
	all.text = text.String()
	return all
}

// listed returns one placeholder for each value, with commas between them.
func listed(values ...any) piece {
	return piece{"?" + strings.Repeat(", ?", len(values)-1), values}
}

// here is the condition that a statement runs where rows were read, and that the server has lost nothing since.
func (t *tables) here(table string, read *database.Origin) piece {
	text, args := read.Here(t.dialect, table)
	return piece{text, args}
}

// assign sets columns to values. of is the table's alias and a dot, or empty.
func assign(of string, columns []string, values []any) piece {
	return piece{of + strings.Join(columns, " = ?, "+of) + " = ?", values}
}

// equal is the condition that columns have values.
func equal(of string, columns []string, values []any) piece {
	return piece{of + strings.Join(columns, " = ? AND "+of) + " = ?", values}
}

func without[V any](list []V, i int) []V { return slices.Delete(slices.Clone(list), i, i+1) }

// phrases are the expressions of the dialects for data in statements.
var phrases = map[database.Dialect]struct {
	bytes  string // of the text %s
	micros string // of the time in the column %s, since 1970 UTC
	text   string // with the hexadecimal digits %s
	random string // another number for each row
}{
	database.MySQL: {"CAST(CONVERT(%s USING utf8mb4) AS BINARY)", "CAST(UNIX_TIMESTAMP(%s) * 1000000 AS SIGNED)",
		"_utf8mb4 X'%s'", "RAND()"},
	database.Postgres: {`%s COLLATE "C"`,
		"CAST(FLOOR(EXTRACT(EPOCH FROM CAST(%s AS TIMESTAMPTZ)) * 1000000) AS BIGINT)",
		"CONVERT_FROM(DECODE('%s', 'hex'), 'UTF8')", "RANDOM()"},
	database.SQLite: {"%s COLLATE BINARY", "CAST(STRFTIME('%%s', %s) AS INTEGER) * 1000000", "", "RANDOM()"},
}

// bytesOf returns the expression for a column's text as its bytes in UTF-8, which are compared and ordered one by one:
// whatever the charsets of the column and the session, and its collation.
func bytesOf(d database.Dialect, column string) string { return fmt.Sprintf(phrases[d].bytes, column) }

// microsOf returns the expression for the time in a column of the type TIMESTAMP, in microseconds since 1970 UTC,
// whatever the session's time zone.
func microsOf(d database.Dialect, column string) string {
	return fmt.Sprintf(phrases[d].micros, column)
}

// strict returns the first words of a statement that refuses a number which its column cannot hold: a MySQL session
// without a strict mode would silently store another one. verb is UPDATE or INSERT.
func strict(d database.Dialect, verb string) string {
	return with(d, verb, "sql_mode='STRICT_ALL_TABLES'")
}

// inUTC returns the first words of a statement that converts times as of UTC, whatever the session's time zone on a
// MySQL server. verb is UPDATE or SELECT.
func inUTC(d database.Dialect, verb string) string { return with(d, verb, "time_zone='+00:00'") }

// with sets a variable of a MySQL server for one statement. MariaDB knows the first form, MySQL from 8.0 the second,
// and each ignores the other as a comment. On MySQL 5.7 the session's value stays.
func with(d database.Dialect, verb, set string) string {
	if d != database.MySQL {
		return verb
	}
	return "/*M! SET STATEMENT " + set + " FOR */ " + verb + " /*+ SET_VAR(" + set + ") */"
}

// atOnce is strict for a statement that MariaDB ends where it would wait for a lock. Other servers wait.
func atOnce(d database.Dialect, verb string) string {
	return strings.Replace(strict(d, verb), " FOR ", ", innodb_lock_wait_timeout=0 FOR ", 1)
}

// bind returns a statement, and the arguments that are sent beside it: none to a server, for which they become part of
// the statement. A driver would prepare a statement with arguments, in a round trip of its own, and a proxy that shares
// connections among clients may lose it. In the statement integers are digits, and texts hexadecimal: quotes,
// backslashes, modes and charsets of a session do not matter.
func bind(d database.Dialect, statement string, args ...any) (string, []any) {
	if d == database.SQLite {
		return statement, args
	}
	var text strings.Builder
	for i, part := range strings.Split(statement, "?") {
		if i > 0 {
			text.WriteString(literal(d, args[i-1]))
		}
		text.WriteString(part)
	}
	return d.SQL(text.String()), nil
}

func literal(d database.Dialect, value any) string {
	if s, ok := value.(string); ok {
		return fmt.Sprintf(phrases[d].text, hex.EncodeToString([]byte(s)))
	}
	if n := value.(int64); n != math.MinInt64 {
		return strconv.FormatInt(n, 10)
	}
	return "(-9223372036854775807 - 1)" // a bigint has no literal for it
}
