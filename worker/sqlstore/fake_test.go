package sqlstore_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"testing"

	"github.com/jmoiron/sqlx"
)

// A fakeDB is a database with one table, which fails and lies as told. It is for
// what no real server does on request.
type fakeDB struct {
	steps
	// tell, if set, changes the ID that an insert reports.
	tell func(id int64) int64
	// anyID has every ID read back as the newest row.
	anyID bool
	// silent makes an insert wait for the end of its context.
	silent bool
	// missesUpdate makes an update report that it changed nothing.
	missesUpdate bool

	ports []string // the row with ID i is at i-1
}

func (f *fakeDB) open(t testing.TB, driverName string) *sqlx.DB { return opened(t, f, driverName) }

func (f *fakeDB) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	step := stepOf(query)
	if step == "" || step == "begin" && query != "START TRANSACTION" {
		return nil, fmt.Errorf("unexpected statement %s", query)
	}
	if err := f.step(step); err != nil || step == "rollback" {
		return fakeResult{}, err
	}
	if step == "update" && !f.missesUpdate {
		return fakeResult{0, 1}, nil
	}
	if step != "insert" {
		return fakeResult{}, nil
	}
	if f.silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ports = append(f.ports, args[1].Value.(string))
	id := int64(len(f.ports))
	if f.tell != nil {
		id = f.tell(id)
	}
	return fakeResult{id, 1}, nil
}

func (f *fakeDB) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if asksForTables(query) {
		return answer(), nil
	}
	if err := f.step("select"); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("unexpected query %s", query)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id := args[0].Value.(int64)
	if f.anyID {
		id = int64(len(f.ports))
	}
	if id < 1 || id > int64(len(f.ports)) {
		return &fakeRows{columns: 1}, nil
	}
	return answer([]driver.Value{f.ports[id-1]}), nil
}
