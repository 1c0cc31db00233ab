package cluster

import (
	"database/sql"
	"fmt"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
)

// Connect opens the database of a DSN, as sqlx.Open does. The driver logs to log instead
// of standard error.
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

// Quiet drops the driver's log, for connections whose errors are all returned anyway.
var Quiet mysql.Logger = &mysql.NopLogger{}

// Log returns a log for the driver that a failing test shows. It drops what comes after
// the test.
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
