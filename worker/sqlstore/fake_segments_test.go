package sqlstore_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker/sqlstore"
)

// A fakeSegments is a MySQL server with one tag, which fails and lies as told. It is for what no
// real server does on request.
type fakeSegments struct {
	// fail, if set, is asked before each step: connect, select, update, insert, begin, commit,
	// create, set. n counts the calls of that step from 1.
	fail func(step string, n int) error
	// failQuery, if set, is asked before each read.
	failQuery func(query string) error
	// row has the columns of both tables; nil stands for a tag that neither has.
	row []driver.Value
	// changes, if set, is how many rows an update or insert reports; n counts from 1.
	changes func(n int) int64
	// sessions is how many connections the statements are spread over, in turns; 0 stands for 1.
	sessions int
	// open makes the session one that does not commit by itself.
	open bool
	// twice makes a read find two rows.
	twice bool

	mu       sync.Mutex
	count    map[string]int // calls of each step
	sent     []string       // statements that change something
	selected int
}

// leafRow is a row of a tag that Leaf and a generator have taken from.
func leafRow() []driver.Value {
	return []driver.Value{"orders", "1001", "1000", "for people", int64(1_700_000_000_000_000),
		"N1", `{"v":2,"writes":1,"floor":1001,"takers":["A 1000"]}`}
}

func (f *fakeSegments) store(t testing.TB) *sqlstore.Segments {
	db := sqlx.NewDb(sql.OpenDB(f), "mysql")
	t.Cleanup(func() { db.Close() })
	d, err := sqlstore.New(db, sqlstore.Config{Logger: quiet})
	require.NoError(t, err)
	return d.Segments()
}

func (f *fakeSegments) calls(step string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[step]
}

func (f *fakeSegments) step(name string) error {
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

func (f *fakeSegments) Connect(context.Context) (driver.Conn, error) {
	if err := f.step("connect"); err != nil {
		return nil, err
	}
	return &fakeSegmentsConn{f}, nil
}

func (f *fakeSegments) Driver() driver.Driver { return nil }

type fakeSegmentsConn struct{ *fakeSegments }

func (c *fakeSegmentsConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not needed") }
func (c *fakeSegmentsConn) Begin() (driver.Tx, error)           { return nil, errors.New("not needed") }
func (c *fakeSegmentsConn) Close() error                        { return nil }

func (c *fakeSegmentsConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) > 0 {
		return nil, fmt.Errorf("arguments: %s", query)
	}
	var step string
	switch {
	case strings.HasPrefix(query, "START TRANSACTION"):
		step = "begin"
	case strings.HasPrefix(query, "COMMIT"):
		step = "commit"
	case strings.HasPrefix(query, "ROLLBACK"):
		step = "rollback"
	case strings.HasPrefix(query, "SET "):
		step = "set"
	case strings.Contains(query, "CREATE TABLE IF NOT EXISTS"):
		step = "create"
	case strings.HasPrefix(query, "INSERT INTO `leaf_alloc"):
		step = "insert"
	case strings.HasPrefix(query, "UPDATE `leaf_alloc"), strings.Contains(query, " UPDATE /*+"):
		step = "update"
	default:
		return nil, fmt.Errorf("unexpected statement %s", query)
	}
	if err := c.step(step); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = append(c.sent, query)
	if step != "insert" && step != "update" {
		return fakeResult{}, nil
	}
	if c.changes != nil {
		return fakeResult{rows: c.changes(c.count["insert"] + c.count["update"])}, nil
	}
	if strings.Contains(query, "` a, `") {
		return fakeResult{rows: 2}, nil
	}
	return fakeResult{rows: 1}, nil
}

func (c *fakeSegmentsConn) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if strings.HasPrefix(query, "SHOW VARIABLES") {
		return &fakeTagRows{}, nil
	}
	if len(args) > 0 || !strings.HasPrefix(query, "SELECT ") {
		return nil, fmt.Errorf("unexpected query %s", query)
	}
	if err := c.step("select"); err != nil {
		return nil, err
	}
	if c.failQuery != nil {
		if err := c.failQuery(query); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.selected++
	row := c.row
	if row == nil || !strings.Contains(query, "leaf_alloc") {
		row = make([]driver.Value, 7)
	}
	if !strings.Contains(query, "leaf_alloc_takers") {
		row = append(slices.Clone(row[:5]), nil, nil)
	}
	if strings.Contains(query, "ORDER BY") { // a page
		return &fakeTagRows{columns: len(row), rows: [][]driver.Value{row}}, nil
	}
	session := int64(1)
	if c.sessions > 0 {
		session += int64(c.selected % c.sessions)
	}
	row = append([]driver.Value{int64(1), int64(0), session, "here", false, false, !c.open, false, ""}, row...)
	rows := [][]driver.Value{row}
	if c.twice {
		rows = append(rows, row)
	}
	return &fakeTagRows{columns: len(row), rows: rows}, nil
}

type fakeTagRows struct {
	columns int
	rows    [][]driver.Value
}

func (r *fakeTagRows) Columns() []string { return make([]string, r.columns) }
func (r *fakeTagRows) Close() error      { return nil }
func (r *fakeTagRows) Next(to []driver.Value) error {
	if len(r.rows) == 0 {
		return io.EOF
	}
	copy(to, r.rows[0])
	r.rows = r.rows[1:]
	return nil
}
