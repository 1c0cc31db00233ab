package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/jmoiron/sqlx"
)

// LeaseWrite is a text that a statement has if it writes leases, each of which commits by itself,
// and LeaseWriteOnPostgres is that on PostgreSQL; others write between START TRANSACTION and Commit.
const (
	LeaseWrite           = "CONNECTION_ID() = "
	LeaseWriteOnPostgres = "0 = 0 AND COALESCE('server since "
	Commit               = "COMMIT"
)

// A dialect is what the kinds of SQL servers say differently. Statements have "; " between them.
type dialect struct {
	// mysql finds the server of a MySQL, with the options that say where its files are, and the program that makes its
	// folder.
	mysql      func() (run, prepare Program, err error)
	replicates string // options of both of a pair
	follow     string // statements with which an empty server follows the one on a port of this machine

	version  string // a query
	position string // one for the newest commit, on a primary
	reached  string // one that is 1 if a replica has the commit
	promote  string // statements with which it follows no longer
}

var mariaDB = dialect{
	mysql: func() (run, prepare Program, err error) {
		if run.Path, err = Find("mariadb-server", "mariadbd", "/usr/sbin", "/usr/local/sbin"); err != nil {
			return run, prepare, err
		}
		prepare.Path, err = Find("mariadb-server", "mariadb-install-db", "/usr/bin", "/usr/local/bin")
		run.Args = []string{"--no-defaults"}
		prepare.Args = []string{"--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"}
		return run, prepare, err
	},
	follow: "SET GLOBAL gtid_slave_pos = ''; " +
		"CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = %s, MASTER_USER = 'root', " +
		"MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1; START SLAVE; SET GLOBAL read_only = 1",
	version:  "SELECT VERSION()",
	position: "SELECT @@gtid_binlog_pos",
	reached:  "SELECT MASTER_GTID_WAIT('%s', 0) = 0",
	promote:  "STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = 0",
}

var mySQL9 = dialect{
	mysql: func() (run, prepare Program, err error) {
		run, root, err := FromSid("mysqld")
		share := filepath.Join(root, "usr/share/mysql")
		run = run.with("--no-defaults", "--mysqlx=OFF",
			"--lc-messages-dir="+share, "--character-sets-dir="+filepath.Join(share, "charsets"))
		return run, run.with("--initialize-insecure"), err
	},
	replicates: "--gtid-mode=ON --enforce-gtid-consistency=ON",
	follow: "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = %s, SOURCE_USER = 'root', " +
		"SOURCE_AUTO_POSITION = 1, SOURCE_CONNECT_RETRY = 1, SOURCE_SSL = 1; START REPLICA",
	version:  "SELECT VERSION()",
	position: "SELECT @@GLOBAL.gtid_executed",
	reached:  "SELECT GTID_SUBSET('%s', @@GLOBAL.gtid_executed)",
	promote:  "STOP REPLICA; RESET REPLICA ALL; SET GLOBAL read_only = 0",
}

var postgreSQL = dialect{
	version:  "SHOW server_version",
	position: "SELECT pg_current_wal_lsn()",
	reached:  "SELECT coalesce(pg_last_wal_replay_lsn() >= '%s', false)::int",
	promote:  "SELECT pg_promote()",
}

// An account has all rights on a SQL server.
type account struct {
	*Server
	dialect dialect
	open    func() (*sqlx.DB, error)
}

func (a account) connected(what string, do func(*sqlx.DB) error) error {
	db, err := a.open()
	if err != nil {
		return err
	}
	defer db.Close()
	if err = do(db); err != nil {
		err = a.failed(fmt.Errorf("%s: %w", what, err))
	}
	return err
}

func (a account) ping(ctx context.Context) error {
	return a.connected("ping", func(db *sqlx.DB) error { return db.PingContext(ctx) })
}

// Exec executes statements on one connection, as the account with all rights.
func (a account) Exec(statements ...string) error {
	return a.connected(strings.Join(statements, "; "), func(db *sqlx.DB) error {
		db.SetMaxOpenConns(1)
		for _, statement := range statements {
			if _, err := db.Exec(statement); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a account) ask(query string) (answer string, err error) {
	err = a.connected(query, func(db *sqlx.DB) error { return db.Get(&answer, query) })
	return answer, err
}

// Version returns the server's version.
func (a account) Version() (string, error) { return a.ask(a.dialect.version) }

func (a account) position() (string, error) { return a.ask(a.dialect.position) }

func (a account) reached(position string) (bool, error) {
	yes, err := a.ask(fmt.Sprintf(a.dialect.reached, position))
	return yes == "1", err
}

func (a account) promote() error { return a.Exec(strings.Split(a.dialect.promote, "; ")...) }

// CreateDatabase creates an empty database and returns its name.
func (a account) CreateDatabase() (string, error) {
	name := "uidtest_" + strings.ToLower(rand.Text())
	return name, a.Exec("CREATE DATABASE " + name)
}

// A MySQL is a private MySQL or MariaDB server with an empty database "uid". Its user "root" has
// all rights and no password. A commit outlives its death, if not the machine's, unless options say otherwise.
type MySQL struct {
	account
	root *mysql.Config // what connects its user to no database
}

// newMySQL is a server to which root connects, as the account with all rights.
func newMySQL(d dialect, s *Server, root *mysql.Config) *MySQL {
	m := &MySQL{root: root}
	m.account = account{s, d, func() (*sqlx.DB, error) { return Connect(m.DSN(""), Quiet) }}
	return m
}

// StartMariaDB starts a server of the machine's package. Options are of the form "--name=value";
// later ones win.
func StartMariaDB(name string, options ...string) (*MySQL, error) {
	return startMySQL(mariaDB, name, options)
}

// StartMySQL9 starts a server of Debian sid's package; see [FromSid].
func StartMySQL9(name string, options ...string) (*MySQL, error) {
	return startMySQL(mySQL9, name, options)
}

func startMySQL(d dialect, name string, options []string) (*MySQL, error) {
	m, run, err := makeMySQL(d, name, 1, "")
	if err != nil {
		return nil, err
	}
	if err = m.Start(run.with(options...)); err == nil {
		err = m.Exec("CREATE DATABASE IF NOT EXISTS uid")
	}
	return orClosed(m, err)
}

// makeMySQL makes a server with its data, and returns the program that runs it, as an account if there is one.
func makeMySQL(d dialect, name string, ports int, runAs string) (*MySQL, Program, error) {
	run, prepare, err := d.mysql()
	if err != nil {
		return nil, run, err
	}
	s, err := New(name, ports)
	if err != nil {
		return nil, run, err
	}
	own := []string{
		"--datadir=" + s.Path("data"), "--loose-innodb-log-file-size=8M", "--loose-innodb-redo-log-capacity=8M",
	}
	if _, err := user.Lookup(runAs); err == nil {
		run.User, prepare.User = runAs, runAs
	} else if os.Geteuid() == 0 {
		own = append(own, "--user=root") // else it refuses to
	}
	root := mysql.NewConfig()
	root.User, root.Net, root.Addr, root.Timeout = "root", "tcp", s.Addr(0), 2*time.Second
	m := newMySQL(d, s, root)
	run.Ready = m.ping
	m, err = orClosed(m, s.failed(s.fill(prepare.with(own...))))
	return m, run.with(own...).with(fmt.Sprintf("--port=%d", s.Port(0)), "--bind-address=127.0.0.1",
		"--socket="+s.Path("socket"), "--pid-file="+s.Path("pid"), "--secure-file-priv=",
		"--loose-performance-schema=0", "--innodb-buffer-pool-size=16M", "--max-connections=400",
		// A server's death loses nothing that the system has; the machine's would.
		"--innodb-flush-method=nosync"), err
}

// StartMariaDBPair and StartMySQL9Pair start a server and a replica that replicates it
// asynchronously: the primary acknowledges commits that the replica may not have yet.
func StartMariaDBPair(name string, options ...string) (*Pair, error) {
	return startMySQLPair(mariaDB, name, options)
}

// StartMySQL9Pair is described at StartMariaDBPair.
func StartMySQL9Pair(name string, options ...string) (*Pair, error) {
	return startMySQLPair(mySQL9, name, options)
}

func startMySQLPair(d dialect, name string, options []string) (*Pair, error) {
	return startPair(name, func(name string, number int, primary string) (replica, error) {
		id := fmt.Sprintf("--server-id=%d", number)
		all := append(strings.Fields(d.replicates), "--log-bin=bin", "--loose-log-slave-updates", id)
		m, err := startMySQL(d, name, append(all, options...))
		if err == nil && primary != "" {
			// An empty server that replicates from the beginning ends up with the same data.
			follow := fmt.Sprintf(d.follow, primary[strings.Index(primary, ":")+1:])
			m, err = orClosed(m, m.Exec(strings.Split(follow, "; ")...))
		}
		return m, err
	})
}

// Config returns new driver settings for a database and the account with all rights. The test may
// change them.
func (m *MySQL) Config(database string) *mysql.Config {
	cfg := m.root.Clone()
	cfg.DBName = database
	return cfg
}

// DSN returns the same for sql.Open.
func (m *MySQL) DSN(database string) string { return m.Config(database).FormatDSN() }

// Open opens a database with the account that has all rights, and closes it when the test ends.
// The driver logs to the test.
func (m *MySQL) Open(t testing.TB, database string) *sqlx.DB {
	t.Helper()
	db, err := Connect(m.DSN(database), Log(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// NewDatabase is CreateDatabase for a test. If the server is still there when the test ends, the
// database is dropped.
func (m *MySQL) NewDatabase(t testing.TB) string {
	t.Helper()
	name, err := m.CreateDatabase()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Exec("DROP DATABASE " + name) })
	return name
}

// Addr returns the address of a port; the first one is that of clients.
func (m *MySQL) Addr(i int) string {
	if i == 0 {
		return m.root.Addr
	}
	return m.Server.Addr(i)
}

// URL returns where the database is: at the server's address, or at that of a proxy.
func (m *MySQL) URL(addr string) string { return "mysql://root@" + addr + "/uid" }

// Source returns the same as a DSN for the driver.
func (m *MySQL) Source(addr string) string { return "root@tcp(" + addr + ")/uid?timeout=2s" }

// A Postgres is a private PostgreSQL server with an empty database "uid". Its user "uid" has all
// rights and no password. A commit outlives its death, as by PostgreSQL's own settings.
type Postgres struct{ account }

// StartPostgres starts a server of the newest version that is installed. It refuses to run for
// root, so that the package's account runs it then. Options are of the form "name=value"; later
// ones win.
func StartPostgres(name string, options ...string) (*Postgres, error) {
	return startPostgres(name, "", options)
}

// StartPostgresPair starts a server and a standby that replicates it asynchronously: the primary
// acknowledges commits that the standby may not have yet.
func StartPostgresPair(name string, options ...string) (*Pair, error) {
	return startPair(name, func(name string, _ int, primary string) (replica, error) {
		return startPostgres(name, primary, options)
	})
}

// startPostgres starts a server with new data, or with that of the primary at an address, which it follows then.
func startPostgres(name, primary string, options []string) (*Postgres, error) {
	initdb, err := Find("postgresql", "initdb", "/usr/lib/postgresql/*/bin")
	if err != nil {
		return nil, err
	}
	if initdb, err = filepath.EvalSymlinks(initdb); err != nil {
		return nil, err
	}
	s, err := New(name, 1)
	if err != nil {
		return nil, err
	}
	p := &Postgres{}
	p.account = account{s, postgreSQL, func() (*sqlx.DB, error) {
		return sqlx.Open("pgx", p.source(p.Addr(0), "postgres"))
	}}
	program := func(name string, args ...string) Program {
		return Program{Path: filepath.Join(filepath.Dir(initdb), name), Args: args, User: "postgres"}
	}
	if primary == "" {
		err = s.fill(program("initdb", "--pgdata="+s.Path("data"), "--username=uid", "--auth=trust", "--encoding=UTF8",
			"--no-locale", "--no-sync"))
	} else {
		host, port, _ := strings.Cut(primary, ":")
		_, err = s.Do(program("pg_basebackup", "--pgdata="+s.Path("data"), "--host="+host, "--port="+port,
			"--username=uid", "--write-recovery-conf", "--checkpoint=fast", "--no-sync"))
	}
	server := program("postgres", "-D", s.Path("data"), "-p", fmt.Sprint(s.Port(0)))
	for _, option := range slices.Concat([]string{
		"listen_addresses=127.0.0.1", "unix_socket_directories=" + s.Path(), "max_connections=400",
		"shared_buffers=16MB", "max_wal_senders=4", "wal_retrieve_retry_interval=100ms", "wal_receiver_timeout=2s",
	}, options) {
		server.Args = append(server.Args, "-c", option)
	}
	server.End = syscall.SIGINT // SIGTERM waits for the clients to leave
	server.Ready = p.ping
	if err == nil {
		err = s.Start(server)
	}
	if err == nil && primary == "" {
		err = p.Exec("CREATE DATABASE uid")
	}
	return orClosed(p, err)
}

// URL returns where the database is: at the server's address, or at that of a proxy.
func (p *Postgres) URL(addr string) string { return p.source(addr, "uid") }

// source has a timeout, for the clients of tests, whose networks are cut.
func (p *Postgres) source(addr, database string) string {
	return "postgres://uid@" + addr + "/" + database + "?sslmode=disable&connect_timeout=2"
}

// NewDatabase returns the URL of an empty database, which ends with its server.
func (p *Postgres) NewDatabase(t testing.TB) string {
	t.Helper()
	name, err := p.CreateDatabase()
	if err != nil {
		t.Fatal(err)
	}
	return p.source(p.Addr(0), name)
}
