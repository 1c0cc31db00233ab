package sqlstore_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/jmoiron/sqlx"
)

// Steps are the calls of a fake server: connect, begin, select, insert, and so on.
type steps struct {
	// fail, if set, is asked before each step. n counts the calls of that step from 1.
	fail func(step string, n int) error

	mu    sync.Mutex
	count map[string]int // calls of each step
}

func (s *steps) calls(step string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[step]
}

func (s *steps) step(name string) error {
	s.mu.Lock()
	if s.count == nil {
		s.count = map[string]int{}
	}
	s.count[name]++
	n := s.count[name]
	s.mu.Unlock()
	if s.fail == nil {
		return nil
	}
	return s.fail(name, n)
}

// failing makes the first n calls of a step fail.
func failing(step string, calls int, err error) steps {
	return steps{fail: func(s string, n int) error {
		if s == step && n <= calls {
			return err
		}
		return nil
	}}
}

// stepOf returns the step of a statement that reads nothing.
func stepOf(query string) string {
	for start, step := range map[string]string{
		"START TRANSACTION": "begin", "COMMIT": "commit", "ROLLBACK": "rollback", "SET ": "set",
		"INSERT": "insert", "UPDATE": "update",
	} {
		if strings.HasPrefix(query, start) {
			return step
		}
	}
	switch {
	case strings.Contains(query, " UPDATE /*+"):
		return "update"
	case strings.Contains(query, "CREATE TABLE IF NOT EXISTS"):
		return "create"
	}
	return ""
}

// asksForTables reports whether a query looks for tables of a name, in any case.
func asksForTables(query string) bool { return strings.Contains(query, "@@lower_case_table_names") }

// A server answers statements, and is its own and only connection.
type server interface {
	driver.ExecerContext
	driver.QueryerContext
	step(name string) error
}

// opened returns a pool of connections to a fake server.
func opened(t testing.TB, s server, driverName string) *sqlx.DB {
	db := sqlx.NewDb(sql.OpenDB(connector{s}), driverName)
	t.Cleanup(func() { db.Close() })
	return db
}

type connector struct{ server }

func (c connector) Driver() driver.Driver { return nil }
func (c connector) Connect(context.Context) (driver.Conn, error) {
	return &fakeConn{c.server}, c.step("connect")
}

type fakeConn struct{ server }

func (c *fakeConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not needed") }
func (c *fakeConn) Begin() (driver.Tx, error)           { return c, c.step("begin") }
func (c *fakeConn) Close() error                        { return nil }
func (c *fakeConn) Commit() error                       { return c.step("commit") }
func (c *fakeConn) Rollback() error                     { return nil }

type fakeResult struct{ id, rows int64 }

func (r fakeResult) LastInsertId() (int64, error) { return r.id, nil }
func (r fakeResult) RowsAffected() (int64, error) { return r.rows, nil }

// Rows that are answered, all of as many columns.
type fakeRows struct {
	columns int
	rows    [][]driver.Value
}

func answer(rows ...[]driver.Value) *fakeRows {
	a := &fakeRows{rows: rows}
	if len(rows) > 0 {
		a.columns = len(rows[0])
	}
	return a
}

func (r *fakeRows) Columns() []string { return make([]string, r.columns) }
func (r *fakeRows) Close() error      { return nil }
func (r *fakeRows) Next(to []driver.Value) error {
	if len(r.rows) == 0 {
		return io.EOF
	}
	copy(to, r.rows[0])
	r.rows = r.rows[1:]
	return nil
}
