package sqlstore_test

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/jmoiron/sqlx"
)

// A fakeDB is a database with one table, with scripted failures and wrong answers, which no real server gives on
// request.
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

var (
	hexadecimal = regexp.MustCompile(`X'([0-9a-f]*)'`)
	readBack    = regexp.MustCompile(`SELECT PORT FROM ` + "`[^`]+`" + ` WHERE ID = ([0-9]+)`)
)

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
	nonce, err := hex.DecodeString(hexadecimal.FindAllStringSubmatch(query, -1)[1][1])
	if err != nil {
		return nil, err
	}
	f.ports = append(f.ports, string(nonce))
	id := int64(len(f.ports))
	if f.tell != nil {
		id = f.tell(id)
	}
	return fakeResult{id, 1}, nil
}

func (f *fakeDB) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	if asksForTables(query) {
		return answer(), nil
	}
	if err := f.step("select"); err != nil {
		return nil, err
	}
	of := readBack.FindStringSubmatch(query)
	if len(of) == 0 {
		return nil, fmt.Errorf("unexpected query %s", query)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id, err := strconv.ParseInt(of[1], 10, 64)
	if err != nil {
		return nil, err
	}
	if f.anyID {
		id = int64(len(f.ports))
	}
	if id < 1 || id > int64(len(f.ports)) {
		return answer([]driver.Value{nil, true, int64(0)}), nil
	}
	return answer([]driver.Value{f.ports[id-1], true, int64(0)}), nil
}
