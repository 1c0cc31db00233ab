package sqlstore_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/jmoiron/sqlx"
)

// A fakeDB is a database with one table, which fails and lies as told. It is for
// what no real server does on request.
type fakeDB struct {
	// fail, if set, is asked before each step: connect, begin, insert, create, select,
	// update, commit. n counts the calls of that step from 1.
	fail func(step string, n int) error
	// tell, if set, changes the ID that an insert reports.
	tell func(id int64) int64
	// anyID has every ID read back as the newest row.
	anyID bool
	// silent makes an insert wait for the end of its context.
	silent bool
	// missesUpdate makes an update report that it changed nothing.
	missesUpdate bool

	mu    sync.Mutex
	count map[string]int // calls of each step
	ports []string       // the row with ID i is at i-1
}

func (f *fakeDB) open(t testing.TB, driverName string) *sqlx.DB {
	db := sqlx.NewDb(sql.OpenDB(f), driverName)
	t.Cleanup(func() { db.Close() })
	return db
}

func (f *fakeDB) calls(step string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[step]
}

func (f *fakeDB) step(name string) error {
	f.mu.Lock()
	if f.count == nil {
		f.count = map[string]int{}
	}
	f.count[name]++
	n := f.count[name]
	f.mu.Unlock()
	if f.fail == nil {
		return nil
	}
	return f.fail(name, n)
}

func (f *fakeDB) Connect(context.Context) (driver.Conn, error) {
	if err := f.step("connect"); err != nil {
		return nil, err
	}
	return &fakeConn{f}, nil
}

func (f *fakeDB) Driver() driver.Driver { return nil }

type fakeConn struct{ *fakeDB }

func (c *fakeConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not needed") }
func (c *fakeConn) Begin() (driver.Tx, error)           { return c, c.step("begin") }
func (c *fakeConn) Close() error                        { return nil }
func (c *fakeConn) Commit() error                       { return c.step("commit") }
func (c *fakeConn) Rollback() error                     { return nil }

func (c *fakeConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	switch {
	case query == "START TRANSACTION":
		return fakeResult{}, c.step("begin")
	case strings.HasPrefix(query, "COMMIT"):
		return fakeResult{}, c.step("commit")
	case strings.HasPrefix(query, "ROLLBACK"):
		return fakeResult{}, nil
	case strings.HasPrefix(query, "INSERT"):
		if err := c.step("insert"); err != nil {
			return nil, err
		}
		if c.silent {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ports = append(c.ports, args[1].Value.(string))
		id := int64(len(c.ports))
		if c.tell != nil {
			id = c.tell(id)
		}
		return fakeResult{id, 1}, nil
	case strings.HasPrefix(query, "UPDATE"):
		if err := c.step("update"); err != nil {
			return nil, err
		}
		if c.missesUpdate {
			return fakeResult{0, 0}, nil
		}
		return fakeResult{0, 1}, nil
	case strings.Contains(query, "CREATE TABLE IF NOT EXISTS"):
		return fakeResult{}, c.step("create")
	}
	return nil, fmt.Errorf("unexpected statement %s", query)
}

func (c *fakeConn) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.step("select"); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("unexpected query %s", query)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	rows := &fakeRows{}
	id := args[0].Value.(int64)
	if c.anyID {
		id = int64(len(c.ports))
	}
	if id >= 1 && id <= int64(len(c.ports)) {
		rows.port = []string{c.ports[id-1]}
	}
	return rows, nil
}

type fakeResult struct{ id, rows int64 }

func (r fakeResult) LastInsertId() (int64, error) { return r.id, nil }
func (r fakeResult) RowsAffected() (int64, error) { return r.rows, nil }

type fakeRows struct{ port []string }

func (r *fakeRows) Columns() []string { return []string{"PORT"} }
func (r *fakeRows) Close() error      { return nil }
func (r *fakeRows) Next(to []driver.Value) error {
	if len(r.port) == 0 {
		return io.EOF
	}
	to[0], r.port = r.port[0], r.port[1:]
	return nil
}
