// Package testserver gives tests, and programs that test, a real MariaDB or MySQL server.
// A test that needs one never skips: without a server it fails with one line that says
// where it looked and what to do.
//
// The server is the first of these:
//   - the one whose DSN is in the environment variable UID_TEST_MYSQL_DSN; its account
//     may create databases, accounts and triggers;
//   - mariadbd or mysqld from the PATH or a usual folder, started as a private
//     instance in a temporary folder on a free port of the loopback interface;
//   - a container, if there is a Docker daemon;
//   - mariadb-server, which root installs with apt-get on Debian and its like, started
//     as above.
//
// A private instance stops with its test. On Linux it is also killed when the test process
// dies; the next one removes the folder left behind.
//
// A package whose tests share one server calls [Main] from its TestMain:
//
//	func TestMain(m *testing.M) { testserver.Main(m) }
//
// A program calls [Start] and [Server.Close]. Methods that take a testing.TB fail its
// test instead of returning an error.
package testserver

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
)

// Env is the environment variable with the DSN of a server to use.
const Env = "UID_TEST_MYSQL_DSN"

// Config holds the settings of a private server. The zero value is a server that starts
// and answers fast, and syncs nothing.
type Config struct {
	// Durable makes every commit outlive a crash of the machine.
	Durable bool
	// Args are further options of the server, "--name=value"; later ones win.
	Args []string
}

// A Server is a running database server.
type Server struct {
	dsn mysql.Config // an account with all rights, and no database
	run *instance    // nil for a server that is not ours
}

var shared struct {
	once   sync.Once
	server *Server
	err    error
}

// Main runs the tests, stops the shared server if one was started, and exits.
func Main(m *testing.M) {
	code := m.Run()
	if s := shared.server; s != nil && s.run != nil {
		s.run.discard()
	}
	os.Exit(code)
}

// Shared returns the server that all tests of the process share, and starts it at the
// first call. The package's TestMain must call [Main].
func Shared(t testing.TB) *Server {
	t.Helper()
	shared.once.Do(func() {
		if dsn := os.Getenv(Env); dsn != "" {
			shared.server, shared.err = external(dsn)
		} else {
			shared.server, shared.err = private(Config{})
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server
}

// New returns a private server that can be stopped, killed and started again. It ends
// with the test. New ignores the environment's DSN.
func New(t testing.TB, cfg Config) *Server {
	t.Helper()
	s, err := Start(cfg)
	check(t, err)
	t.Cleanup(s.Close)
	return s
}

// Start is [New] without a test: the caller closes the server.
func Start(cfg Config) (*Server, error) { return private(cfg) }

// Close ends a private server and removes its data. It does nothing to any other server.
func (s *Server) Close() {
	if s.run != nil {
		s.run.discard()
	}
}

// external keeps the parser's and the server's texts out of its errors: they may quote
// the DSN.
func external(dsn string) (*Server, error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, errors.New("testserver: the DSN in " + Env + " cannot be parsed")
	}
	s := &Server{dsn: *cfg}
	s.dsn.DBName = ""
	if err := s.ping(); err != nil {
		return nil, fmt.Errorf("testserver: no connection to the server in %s (%T)", Env, err)
	}
	return s, nil
}

// Describe says which server tests will use on this machine, and installs one if there is
// none. Programs that run tests call it first, since go test holds back the tests' output
// until they have ended.
func Describe() (string, error) {
	if os.Getenv(Env) != "" {
		return "the one in " + Env, nil
	}
	eng, err := findEngine()
	if err != nil {
		return "", err
	}
	return eng.String(), nil
}

func private(cfg Config) (*Server, error) {
	RemoveLeftovers()
	eng, err := findEngine()
	if err != nil {
		return nil, err
	}
	run, err := newInstance(eng, cfg)
	if err != nil {
		return nil, err
	}
	s := &Server{dsn: *mysql.NewConfig(), run: run}
	s.dsn.User, s.dsn.Net, s.dsn.Addr = "root", "tcp", run.addr()
	if err := s.ping(); err != nil {
		run.discard()
		return nil, fmt.Errorf("testserver: the server runs but cannot be used: %w\n%s", err, run.log.tail())
	}
	return s, nil
}

func (s *Server) ping() error {
	db, err := Connect(s.DSN(""), Quiet)
	if err != nil {
		return err
	}
	return errors.Join(db.Ping(), db.Close())
}

// Config returns new driver settings for the database and the account with all rights. The
// test may change them.
func (s *Server) Config(database string) *mysql.Config {
	cfg := s.dsn.Clone()
	cfg.DBName = database
	return cfg
}

// DSN returns the same as a DSN for sql.Open.
func (s *Server) DSN(database string) string { return s.Config(database).FormatDSN() }

// Addr returns the address that the server listens on, host:port.
func (s *Server) Addr() string { return s.dsn.Addr }

// NewDatabase creates an empty database and returns its name. It is dropped when the test
// ends.
func (s *Server) NewDatabase(t testing.TB) string {
	t.Helper()
	name, err := s.CreateDatabase()
	check(t, err)
	t.Cleanup(func() {
		if s.run == nil || s.run.running() {
			check(t, s.exec("DROP DATABASE "+name))
		}
	})
	return name
}

// CreateDatabase creates an empty database and returns its name.
func (s *Server) CreateDatabase() (string, error) {
	name := "uidtest_" + strings.ToLower(rand.Text())
	return name, s.exec("CREATE DATABASE " + name)
}

// Open opens the database with the account that has all rights, and closes it when the
// test ends. The driver logs to the test.
func (s *Server) Open(t testing.TB, database string) *sqlx.DB {
	t.Helper()
	db, err := Connect(s.DSN(database), Log(t))
	check(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// exec executes statements on one connection.
func (s *Server) exec(statements ...string) error {
	db, err := Connect(s.DSN(""), Quiet)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			return fmt.Errorf("testserver: %s: %w", statement, err)
		}
	}
	return nil
}

// Stop shuts a private server down in good order.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	check(t, s.Shutdown())
}

// Kill ends a private server as a crash would, with SIGKILL.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	check(t, s.Crash())
}

// Start starts a private server again after Stop or Kill, on the same data and the
// same address.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	check(t, s.Restart())
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Shutdown is Stop for programs.
func (s *Server) Shutdown() error { return s.end(s.run.terminate) }

// Crash is Kill for programs.
func (s *Server) Crash() error { return s.end(s.run.kill) }

// Restart is the method Start for programs.
func (s *Server) Restart() error { return s.run.start() }

func (s *Server) end(how func() error) error {
	if err := how(); err != nil {
		return err
	}
	select {
	case <-s.run.exited():
		return nil
	case <-time.After(time.Minute):
		return errors.New("testserver: the server does not end")
	}
}
