package database

import (
	"context"
	"errors"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
)

// An Origin says where, when and in what state of the session a statement has read rows of a table.
// What was decided by them may be written by the same server only, for as long as it has lost nothing
// and the table is the same one: another one may lack the newest writes, or have newer ones.
type Origin struct {
	Now         Micros // the database's time, when the rows had been read
	delay       int64  // microseconds that are part of Now
	session     int64  // of MySQL
	history     string
	justStarted bool
	needsSetup  bool
	autocommits bool // a statement commits by itself
	readOnly    bool
	Schema      string // of PostgreSQL: where the table is; empty if there is none
}

// OriginColumns are what Fields scans, of a statement that reads a table.
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
	return []any{&o.Now, &o.delay, &o.session, &o.history, &o.justStarted, &o.needsSetup, &o.autocommits, &o.readOnly,
		&o.Schema}
}

// Autocommits reports whether a statement of the session commits by itself.
func (o *Origin) Autocommits() bool { return o.autocommits }

// Ready ends a transaction of the program's, as old as which the rows may be, and does SetUp. It reports whether it did
// either: then rows have to be read again.
func (o *Origin) Ready(ctx context.Context, conn sqlx.ExecerContext, d Dialect) (again bool, err error) {
	if !o.autocommits {
		if _, err := conn.ExecContext(ctx, d.Commit()); err != nil {
			return false, Failed("commit", err)
		}
	}
	learned, err := o.SetUp(ctx, conn, d)
	return err == nil && (!o.autocommits || learned), err
}

// SetUp has the session do what its history needs. It reports whether it did: then rows have to be read again.
func (o *Origin) SetUp(ctx context.Context, conn sqlx.ExecerContext, d Dialect) (again bool, err error) {
	if !o.needsSetup {
		return false, nil
	}
	_, err = conn.ExecContext(ctx, expressions[d].setUp)
	return err == nil, Failed("ask when the server was started", err)
}

// JustStarted reports whether the server was started but now, and may be once more under the same history.
func (o *Origin) JustStarted() bool { return o.justStarted && o.history != "" }

// History names what the server remembers of the table: it is another one after each start of the
// server, crash, failover, and change of the table's definition. It is empty where that cannot be
// told, as on a server that was started within the same second or two: it may be started again in it.
func (o *Origin) History() string {
	if o.justStarted {
		return ""
	}
	return o.history
}

// Here returns the condition that a statement runs where an Origin was read, and its arguments.
func (o *Origin) Here(d Dialect, table string) (condition string, args []any) {
	if d == SQLite { // which has locked its file before it was read
		return "1 = 1", nil
	}
	s := expressions[d]
	is := s.session + " = ? AND " + d.Indexed(s.history) + " = ?"
	return strings.ReplaceAll(is, "{table}", table), []any{o.session, o.history}
}

// Standalone reports whether the server is known to be no node of a Galera cluster.
func (o *Origin) Standalone() bool {
	return o.history != "" && !strings.Contains(o.history, ", cluster ")
}

// SameAs reports whether both were read from one server, in one session, with nothing lost between.
func (o *Origin) SameAs(p Origin) bool { return o.session == p.session && o.history == p.history }

// longestLate is the longest a reading statement may take, in microseconds.
const longestLate = 1e6

// AddDelay makes Now the time after the rows were read, where that can be told.
func (o *Origin) AddDelay() {
	if 0 <= o.delay && o.delay <= longestLate {
		o.Now, o.delay = o.Now+Micros(o.delay), 0
	}
}

// errLate says that it is not known when rows were read.
var errLate = &failure{doing: "read rows", kind: Transient,
	cause: errors.New("the database has taken more than 1 s, or its session's time stands still")}

// ErrFollows says that the server lays what it has received over the rows that are there, as a replica does, and one
// that was made the primary too early.
var ErrFollows error = &failure{doing: "ask for replication", kind: Transient,
	cause: errors.New("the server applies what another one has written: " +
		"stop that when it has applied all that it had received, or connect to the primary")}

// Decisive returns an error when nothing can be decided by what was read: the time is not known,
// or the server refuses writes, as a replica does, and may lack the newest ones.
func (o *Origin) Decisive(d Dialect) error {
	if o.delay != 0 {
		return errLate
	}
	return o.Writable(d)
}

// Writable returns an error when the server refuses writes, as a replica does, and may lack the
// newest ones: nothing is decided by what it has.
func (o *Origin) Writable(d Dialect) error {
	switch {
	case !o.readOnly:
		return nil
	case d == MySQL: // what it answers to a write
		return Failed("read rows", &mysql.MySQLError{Number: 1290})
	}
	words := postgresMeaning[postgresReadOnlyState].words
	return &failure{doing: "read rows", cause: &postgresError{postgresReadOnlyState, words}}
}
