package cluster

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/test/harness"
)

// A MySQL is a private MySQL or MariaDB server with an empty database "uid". Its user "root" has
// all rights and no password. A commit outlives its death, if not the machine's, unless options say otherwise.
type MySQL struct {
	*Server
	admin
	flavour flavour
	root    *mysql.Config // what connects its user to no database
}

// of is a server to which root connects, as the account with all rights.
func of(s *Server, root *mysql.Config) *MySQL {
	m := &MySQL{Server: s, root: root}
	m.admin = admin{s.name, func() (*sqlx.DB, error) { return Connect(m.DSN(""), Quiet) }}
	return m
}

// StartMariaDB starts a server of the machine's package. Options are of the form "--name=value";
// later ones win.
func StartMariaDB(name string, options ...string) (*MySQL, error) {
	return startMySQL(mariaDB, name, 1, options)
}

// StartMySQL9 starts a server of Debian sid's package; see [FromSid].
func StartMySQL9(name string, options ...string) (*MySQL, error) {
	return startMySQL(mySQL9, name, 1, options)
}

// A flavour is what MySQL and MariaDB do differently.
type flavour struct {
	// server returns the server, without options but those that say where its files are, and the
	// program that makes its folder.
	server  func() (run, prepare Program, err error)
	account string // to run as, if there is one

	replicates, stop, position, reached string
	follow                              func(port string) []string
}

var mariaDB = flavour{
	server: func() (run, prepare Program, err error) {
		if run.Path, err = Find("mariadb-server", "mariadbd", "/usr/sbin", "/usr/local/sbin"); err != nil {
			return run, prepare, err
		}
		prepare.Path, err = Find("mariadb-server", "mariadb-install-db", "/usr/bin", "/usr/local/bin")
		run.Args = []string{"--no-defaults"}
		prepare.Args = []string{"--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"}
		return run, prepare, err
	},
	position: "SELECT @@gtid_binlog_pos",
	reached:  "SELECT MASTER_GTID_WAIT('%s', 0) = 0",
	stop:     "STOP SLAVE; RESET SLAVE ALL",
	follow: func(port string) []string {
		return []string{
			"SET GLOBAL gtid_slave_pos = ''",
			"CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = " + port + ", MASTER_USER = 'root', " +
				"MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1",
			"START SLAVE", "SET GLOBAL read_only = 1",
		}
	},
}

var mySQL9 = flavour{
	server: func() (run, prepare Program, err error) {
		run, root, err := FromSid("mysqld")
		share := filepath.Join(root, "usr/share/mysql")
		run.Args = append(run.Args, "--no-defaults", "--mysqlx=OFF",
			"--lc-messages-dir="+share, "--character-sets-dir="+filepath.Join(share, "charsets"))
		prepare = run
		prepare.Args = append(run.Args[:len(run.Args):len(run.Args)], "--initialize-insecure")
		return run, prepare, err
	},
	replicates: "--gtid-mode=ON --enforce-gtid-consistency=ON",
	position:   "SELECT @@GLOBAL.gtid_executed",
	reached:    "SELECT GTID_SUBSET('%s', @@GLOBAL.gtid_executed)",
	stop:       "STOP REPLICA; RESET REPLICA ALL",
	follow: func(port string) []string {
		return []string{
			"CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = " + port +
				", SOURCE_USER = 'root', SOURCE_AUTO_POSITION = 1, SOURCE_CONNECT_RETRY = 1, SOURCE_SSL = 1",
			"START REPLICA",
		}
	},
}

func startMySQL(f flavour, name string, ports int, options []string) (*MySQL, error) {
	m, run, err := newMySQL(f, name, ports)
	if err != nil {
		return nil, err
	}
	run.Args = append(run.Args, options...)
	run.Ready = m.ping
	if err = m.Start(run); err == nil {
		err = m.Exec("CREATE DATABASE IF NOT EXISTS uid")
	}
	return orClosed(m, err)
}

// newMySQL makes a server with its data, and returns the program that runs it.
func newMySQL(f flavour, name string, ports int) (*MySQL, Program, error) {
	run, prepare, err := f.server()
	if err != nil {
		return nil, run, err
	}
	if _, err := user.Lookup(f.account); err == nil {
		run.User, prepare.User = f.account, f.account
	}
	s, err := New(name, ports)
	if err != nil {
		return nil, run, err
	}
	root := mysql.NewConfig()
	root.User, root.Net, root.Addr, root.Timeout = "root", "tcp", s.Addr(0), 2*time.Second
	m := of(s, root)
	m.flavour = f
	own := []string{"--datadir=" + m.Path("data")}
	if os.Geteuid() == 0 && run.User == "" {
		own = append(own, "--user=root") // else it refuses to
	}
	logs := []string{"--loose-innodb-log-file-size=8M", "--loose-innodb-redo-log-capacity=8M"}
	prepare.Args = slices.Concat(prepare.Args, own, logs)
	if err := m.fill(prepare); err != nil {
		m.Close()
		return nil, run, err
	}
	run.Args = append(run.Args, own...)
	run.Args = append(append(run.Args, logs...), fmt.Sprintf("--port=%d", m.Port(0)), "--bind-address=127.0.0.1",
		"--socket="+m.Path("socket"), "--pid-file="+m.Path("pid"), "--secure-file-priv=",
		"--loose-performance-schema=0", "--innodb-buffer-pool-size=16M", "--max-connections=400",
		// A server's death loses nothing that the system has; the machine's would.
		"--innodb-flush-method=nosync")
	return m, run, nil
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

// CreateDatabase creates an empty database and returns its name.
func (m *MySQL) CreateDatabase() (string, error) {
	name := "uidtest_" + strings.ToLower(rand.Text())
	return name, m.Exec("CREATE DATABASE " + name)
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

// URL returns where the database is: at the server's address, or at that of a proxy.
func (m *MySQL) URL(addr string) string { return "mysql://root@" + addr + "/uid" }

// Source returns the same as a DSN for the driver.
func (m *MySQL) Source(addr string) string { return "root@tcp(" + addr + ")/uid?timeout=2s" }

// Version returns the server's version.
func (m *MySQL) Version() (string, error) { return m.ask("SELECT VERSION()") }

// StartMariaDBPair and StartMySQL9Pair start a server and a replica that replicates it
// asynchronously: the primary acknowledges commits that the replica may not have yet.
func StartMariaDBPair(name string, options ...string) (*Pair, error) {
	return startMySQLPair(mariaDB, name, options)
}

// StartMySQL9Pair is described at StartMariaDBPair.
func StartMySQL9Pair(name string, options ...string) (*Pair, error) {
	return startMySQLPair(mySQL9, name, options)
}

func startMySQLPair(f flavour, name string, options []string) (*Pair, error) {
	start := func(name string, number int) (*mysqlReplica, error) {
		id := fmt.Sprintf("--server-id=%d", number)
		all := append(strings.Fields(f.replicates), "--log-bin=bin", "--loose-log-slave-updates", id)
		m, err := startMySQL(f, name, 1, append(all, options...))
		return &mysqlReplica{m}, err
	}
	return startPair(name, func(name string, number int) (replica, error) {
		return start(name, number)
	}, func(name string, number int, link *harness.Proxy) (replica, error) {
		m, err := start(name, number)
		if err != nil {
			return nil, err
		}
		// An empty server that replicates from the beginning ends up with the same data.
		_, port, _ := strings.Cut(link.Addr(), ":")
		return orClosed(replica(m), m.Exec(f.follow(port)...))
	})
}

type mysqlReplica struct{ *MySQL }

func (m *mysqlReplica) position() (string, error) { return m.ask(m.flavour.position) }

func (m *mysqlReplica) reached(position string) (bool, error) {
	yes, err := m.ask(fmt.Sprintf(m.flavour.reached, position))
	return yes == "1", err
}

func (m *mysqlReplica) promote() error {
	return m.Exec(append(strings.Split(m.flavour.stop, "; "), "SET GLOBAL read_only = 0")...)
}

// MySQL returns the primary of a pair of MySQL's or MariaDB's.
func (p *Pair) MySQL() *MySQL { return p.primary.(*mysqlReplica).MySQL }

// MySQLReplica returns its replica.
func (p *Pair) MySQLReplica() *MySQL { return p.replica.(*mysqlReplica).MySQL }

// Addr returns the address of a port; the first one is that of clients.
func (m *MySQL) Addr(i int) string {
	if i == 0 {
		return m.root.Addr
	}
	return m.Server.Addr(i)
}
