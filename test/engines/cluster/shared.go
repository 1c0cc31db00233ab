package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// Env is the environment variable with the DSN of a MariaDB or MySQL server that tests share. Its
// account may create databases, accounts and triggers.
const Env = "UID_TEST_MYSQL_DSN"

var shared = struct {
	mu   sync.Mutex
	ends []func()
}{}

// Main runs the tests of a package, ends the servers that they share, calls what else there is to end, and exits:
//
//	func TestMain(m *testing.M) { cluster.Main(m) }
func Main(m *testing.M, ends ...func()) {
	code := m.Run()
	for _, end := range append(shared.ends, ends...) {
		end()
	}
	os.Exit(code)
}

// Share returns a function that starts a server at its first call, and returns it to each. The
// server ends with [Main].
func Share[S closer](start func() (S, error)) func(testing.TB) S {
	once := sync.OnceValues(func() (s S, err error) {
		if s, err = start(); err == nil {
			shared.mu.Lock()
			defer shared.mu.Unlock()
			shared.ends = append(shared.ends, s.Close)
		}
		return s, err
	})
	return func(t testing.TB) S {
		t.Helper()
		s, err := once()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// Shared returns the MariaDB that the tests of a package share, or of several: that in [Env]. Each
// test has databases of its own there, and changes no setting of the server.
var Shared = Share(func() (*MySQL, error) {
	if dsn := os.Getenv(Env); dsn != "" {
		return external(dsn)
	}
	return StartShared()
})

// StartShared starts a MariaDB as [Shared] returns.
func StartShared() (*MySQL, error) {
	// Nothing that a test does to it needs its disk.
	return StartMariaDB("shared", "--innodb-doublewrite=0")
}

// external keeps the parser's and the server's texts out of its errors: they may quote the DSN.
func external(dsn string) (*MySQL, error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, errors.New("cluster: the DSN in " + Env + " cannot be parsed")
	}
	cfg.DBName = ""
	m := of(&Server{name: Env}, cfg)
	if err := m.ping(context.Background()); err != nil {
		return nil, fmt.Errorf("cluster: no connection to the server in %s (%T)", Env, err)
	}
	return m, nil
}

// NewMariaDB is StartMariaDB for a test, with which the server ends.
func NewMariaDB(t testing.TB, options ...string) *MySQL {
	t.Helper()
	m, err := StartMariaDB("mariadb", options...)
	For(t, m, err)
	return m
}

// SharedPostgres returns the PostgreSQL that the tests of a package share, likewise.
var SharedPostgres = Share(func() (*Postgres, error) { return StartPostgres("shared postgres") })
