package database

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
)

// An Origin identifies the server, its history, and the session from which a statement has read rows of a table. A
// decision by these rows may be written only there, while the server has lost nothing and the table is the same:
// another server may lack the newest writes, or have newer ones.
type Origin struct {
	now         int64 // the database's time, in microseconds since 1970 UTC
	delay       int64 // microseconds between that and the reading of the rows
	session     int64 // of MySQL
	history     string
	justStarted bool
	needsSetup  bool
	autocommits bool
	readOnly    bool
	Schema      string // of PostgreSQL: the schema that has the table; empty if there is none
}

// OriginColumns are the columns that Fields scans, in a statement that reads a table.
func (d Dialect) OriginColumns(table string) string {
	s := expressions[d]
	columns := []string{
		s.now, s.delay, s.session, s.history, "COALESCE(" + s.justStarted + ", 1 = 1)",
		s.needsSetup, s.autocommits, s.readOnly, s.schema,
	}
	return strings.ReplaceAll(strings.Join(columns, ", "), "{table}", table)
}

// Fields returns where to scan OriginColumns.
func (o *Origin) Fields() []any {
	return []any{&o.now, &o.delay, &o.session, &o.history, &o.justStarted, &o.needsSetup, &o.autocommits, &o.readOnly,
		&o.Schema}
}

// Autocommits reports whether a statement of the session commits by itself.
func (o *Origin) Autocommits() bool { return o.autocommits }

// Ready ends a transaction that the program has left open, since its rows may be old, and does SetUp. It reports
// whether it did either: then the rows have to be read again.
func (o *Origin) Ready(ctx context.Context, conn sqlx.ExecerContext, d Dialect) (again bool, err error) {
	if !o.autocommits {
		if _, err := conn.ExecContext(ctx, d.commit()); err != nil {
			return false, Failed("commit", err)
		}
	}
	set, err := o.SetUp(ctx, conn, d)
	return err == nil && (!o.autocommits || set), err
}

// SetUp prepares a new session to tell the server's history. It reports whether it did: then the rows have to be read
// again.
func (o *Origin) SetUp(ctx context.Context, conn sqlx.ExecerContext, d Dialect) (again bool, err error) {
	if !o.needsSetup {
		return false, nil
	}
	_, err = conn.ExecContext(ctx, expressions[d].setUp)
	return err == nil, Failed("ask when the server was started", err)
}

// JustStarted reports whether the server was started within the last two seconds: a second start may have the same
// history.
func (o *Origin) JustStarted() bool { return o.justStarted && o.history != "" }

// History identifies the server's history of the table. It changes with each start of the server, crash, failover, and
// change of the table's definition. It is empty where the database does not tell, and while the server is JustStarted.
func (o *Origin) History() string {
	if o.justStarted {
		return ""
	}
	return o.history
}

// Here returns the condition that a statement runs where o was read, with the same history, and its arguments.
func (o *Origin) Here(d Dialect, table string) (condition string, args []any) {
	if d == SQLite { // the file was locked before it was read
		return "1 = 1", nil
	}
	s := expressions[d]
	is := s.session + " = ? AND " + d.Indexed(s.history) + " = ?"
	return strings.ReplaceAll(is, "{table}", table), []any{o.session, o.history}
}

// Standalone reports whether the server is certainly no node of a Galera cluster.
func (o *Origin) Standalone() bool {
	return o.history != "" && !strings.Contains(o.history, ", cluster ")
}

// SameAs reports whether both were read from one server, in one session, with the same history.
func (o *Origin) SameAs(p Origin) bool { return o.session == p.session && o.history == p.history }

// longestDelay is the longest time that a statement may wait before it reads, in microseconds.
const longestDelay = 1e6

// timed reports whether Now is known.
func (o *Origin) timed() bool { return 0 <= o.delay && o.delay <= longestDelay }

// Now returns the database's time when the rows were read, or before that if Decisive fails.
func (o *Origin) Now() time.Time {
	now := o.now
	if o.timed() {
		now += o.delay
	}
	return time.UnixMicro(now).UTC()
}

// errLate is returned when it is not known when rows were read.
var errLate = &failure{doing: "read rows", kind: transient,
	cause: errors.New("the database took more than 1 s, or its session's time stands still")}

// Decisive returns an error when no decision may depend on what was read: the time is not known,
// or the server is not Writable.
func (o *Origin) Decisive(d Dialect) error {
	if !o.timed() {
		return errLate
	}
	return o.Writable(d)
}

// Writable returns an error when the server refuses writes, as a replica does: it may lack the newest ones.
func (o *Origin) Writable(d Dialect) error {
	switch {
	case !o.readOnly:
		return nil
	case d == MySQL: // its error for a write
		return Failed("read rows", &mysql.MySQLError{Number: 1290})
	}
	words := postgresMeaning[postgresReadOnlyState].words
	return &failure{doing: "read rows", cause: &postgresError{postgresReadOnlyState, words}}
}
