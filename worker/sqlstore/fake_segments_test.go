package sqlstore_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A fakeSegments is a MySQL server with one tag, with scripted failures and wrong answers, which no real server gives
// on request.
type fakeSegments struct {
	steps
	// failQuery, if set, is asked before each read.
	failQuery func(query string) error
	// row has the columns of both tables; nil stands for a tag that neither has.
	row []driver.Value
	// changes, if set, returns how many rows an update or insert reports; n counts from 1.
	changes func(n int) int64
	// sessions is how many connections the statements are spread over, in turns; 0 stands for 1.
	sessions int
	// open makes the session one without autocommit.
	open bool
	// twice makes a read find two rows.
	twice bool

	sent     []string // statements that change something
	selected int
}

// leafRow is a row of a tag from which Leaf and a generator have taken numbers.
func leafRow() []driver.Value {
	return []driver.Value{"orders", "1001", "1000", "for people", int64(1_700_000_000_000_000),
		"N1", `{"v":2,"writes":1,"floor":1001,"takers":["A 1000"]}`}
}

func (f *fakeSegments) store(t testing.TB) segment.Store {
	d, err := sqlstore.New(opened(t, f, "mysql"), sqlstore.Config{Logger: quiet})
	require.NoError(t, err)
	return d.Segments()
}

func (c *fakeSegments) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) > 0 {
		return nil, fmt.Errorf("arguments: %s", query)
	}
	step := stepOf(query)
	if step == "" {
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

func (c *fakeSegments) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if strings.HasPrefix(query, "SHOW VARIABLES") || asksForTables(query) {
		return answer(), nil
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
		return answer(row), nil
	}
	session := int64(1)
	if c.sessions > 0 {
		session += int64(c.selected % c.sessions)
	}
	row = append([]driver.Value{int64(1), int64(0), session, "here", false, false, !c.open, false, ""}, row...)
	if c.twice {
		return answer(row, row), nil
	}
	return answer(row), nil
}
