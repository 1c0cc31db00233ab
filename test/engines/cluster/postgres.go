package cluster

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/test/harness"
)

// A Postgres is a private PostgreSQL server with an empty database "uid". Its user "uid" has all
// rights and no password. A commit outlives its death, as by PostgreSQL's own settings.
type Postgres struct {
	*Server
	admin
	bin string // the folder of its programs
}

// StartPostgres starts a server of the newest version that is installed. It refuses to run for
// root, so that the package's account runs it then. Options are of the form "name=value"; later
// ones win.
func StartPostgres(name string, options ...string) (*Postgres, error) {
	p, err := newPostgres(name)
	if err != nil {
		return nil, err
	}
	err = p.fill(p.program("initdb", "--pgdata="+p.Path("data"), "--username=uid", "--auth=trust",
		"--encoding=UTF8", "--no-locale", "--no-sync"))
	if err == nil {
		err = p.Start(p.server(options))
	}
	if err == nil {
		err = p.Exec("CREATE DATABASE uid")
	}
	return orClosed(p, err)
}

func newPostgres(name string) (*Postgres, error) {
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
	p := &Postgres{Server: s, bin: filepath.Dir(initdb)}
	p.admin = admin{name, func() (*sqlx.DB, error) { return sqlx.Open("pgx", p.source(p.Addr(0), "postgres")) }}
	return p, nil
}

// program returns a program of PostgreSQL.
func (p *Postgres) program(name string, args ...string) Program {
	return Program{Path: filepath.Join(p.bin, name), Args: args, User: "postgres"}
}

func (p *Postgres) server(options []string) Program {
	all := []string{
		"listen_addresses=127.0.0.1", "unix_socket_directories=" + p.Path(), "max_connections=400",
		"shared_buffers=16MB", "max_wal_senders=4", "wal_retrieve_retry_interval=100ms", "wal_receiver_timeout=2s",
	}
	args := []string{"-D", p.Path("data"), "-p", fmt.Sprint(p.Port(0))}
	for _, option := range append(all, options...) {
		args = append(args, "-c", option)
	}
	server := p.program("postgres", args...)
	server.End = syscall.SIGINT // SIGTERM waits for the clients to leave
	server.Ready = p.ping
	return server
}

// URL returns where the database is: at the server's address, or at that of a proxy.
func (p *Postgres) URL(addr string) string { return p.source(addr, "uid") + connectTimeout }

func (p *Postgres) source(addr, database string) string {
	return "postgres://uid@" + addr + "/" + database + "?sslmode=disable"
}

// connectTimeout is for the clients of tests, whose networks are cut.
const connectTimeout = "&connect_timeout=2"

// NewDatabase returns the URL of an empty database, which ends with its server.
func (p *Postgres) NewDatabase(t testing.TB) string {
	t.Helper()
	name := "uidtest_" + strings.ToLower(rand.Text())
	if err := p.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	return p.source(p.Addr(0), name) + connectTimeout
}

// Version returns the server's version.
func (p *Postgres) Version() (string, error) { return p.ask("SHOW server_version") }

// StartPostgresPair starts a server and a standby that replicates it asynchronously: the primary
// acknowledges commits that the standby may not have yet.
func StartPostgresPair(name string, options ...string) (*Pair, error) {
	return startPair(name, func(name string, _ int) (replica, error) {
		p, err := StartPostgres(name, options...)
		return &postgresReplica{p}, err
	}, func(name string, _ int, link *harness.Proxy) (replica, error) {
		p, err := newPostgres(name)
		if err != nil {
			return nil, err
		}
		host, port, _ := strings.Cut(link.Addr(), ":")
		_, err = p.Do(p.program("pg_basebackup", "--pgdata="+p.Path("data"), "--host="+host, "--port="+port,
			"--username=uid", "--write-recovery-conf", "--checkpoint=fast", "--no-sync"))
		if err == nil {
			err = p.Start(p.server(options))
		}
		return orClosed(replica(&postgresReplica{p}), err)
	})
}

type postgresReplica struct{ *Postgres }

func (p *postgresReplica) position() (string, error) { return p.ask("SELECT pg_current_wal_lsn()") }

func (p *postgresReplica) reached(position string) (bool, error) {
	yes, err := p.ask("SELECT coalesce(pg_last_wal_replay_lsn() >= '" + position + "', false)")
	return yes == "true", err
}

func (p *postgresReplica) promote() error { return p.Exec("SELECT pg_promote()") }
