package testserver

import (
	"database/sql"
	"fmt"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
)

// Connect returns the database of a DSN, as sqlx.Open does. What the driver logs goes to
// log instead of standard error.
func Connect(dsn string, log mysql.Logger) (*sqlx.DB, error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	cfg.Logger = log
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sqlx.NewDb(sql.OpenDB(connector), "mysql"), nil
}

// Quiet is the driver's log of connections whose errors are all returned.
var Quiet mysql.Logger = &mysql.NopLogger{}

// Log returns a driver's log that is shown with the test, if the test fails. What comes
// after the test is dropped.
func Log(t testing.TB) mysql.Logger {
	l := &testLog{t: t}
	t.Cleanup(l.end)
	return l
}

type testLog struct {
	mu sync.Mutex
	t  testing.TB // nil after the test
}

func (l *testLog) Print(v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.t != nil {
		fmt.Fprintln(l.t.Output(), "[mysql]", fmt.Sprint(v...))
	}
}

func (l *testLog) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.t = nil
}
