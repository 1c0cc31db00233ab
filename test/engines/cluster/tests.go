package cluster

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
)

type closer interface{ Close() }

// orClosed returns a server, or closes it after an error.
func orClosed[S closer](s S, err error) (S, error) {
	if err != nil {
		s.Close()
		var none S
		return none, err
	}
	return s, nil
}

// For is for tests: it fails the test if a server could not be started, and else closes it when
// the test ends.
//
//	s, err := cluster.StartThing("thing")
//	cluster.For(t, s, err)
func For(t testing.TB, s closer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
}

var shared struct {
	mu   sync.Mutex
	ends []func()
}

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

// MainWithCommand is [Main] for tests that run the command, which it builds first.
func MainWithCommand(m *testing.M, path *string) {
	dir, err := os.MkdirTemp("", "uid-command-")
	if err == nil {
		*path, err = BuildCommand(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	Main(m, func() { os.RemoveAll(dir) })
}

// BuildCommand builds the command uid in a folder, and returns its path.
func BuildCommand(dir string) (path string, err error) {
	path = filepath.Join(dir, "uid")
	build := exec.Command("go", "build", "-o", path, "github.com/uidgen/uid/cmd/uid")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the command: %w\n%s", err, out)
	}
	return path, nil
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

// Env is the environment variable with the DSN of a MariaDB or MySQL server that tests share. Its
// account may create databases, accounts and triggers.
const Env = "UID_TEST_MYSQL_DSN"

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
	m := newMySQL(mariaDB, &Server{name: Env}, cfg)
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
	var mu sync.Mutex
	over := false
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
	})
	return logger(func(v ...any) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			fmt.Fprintln(t.Output(), "[mysql]", fmt.Sprint(v...))
		}
	})
}

type logger func(v ...any)

func (l logger) Print(v ...any) { l(v...) }
