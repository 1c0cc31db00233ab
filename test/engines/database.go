package engines

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/sqlite"
)

// EnvAsked is the environment variable with the engines that tests run on, as in mysql9,postgres: by default MariaDB,
// which is called mysql, and sqlite.
const EnvAsked = "UID_TEST_ENGINES"

// Asked reports whether tests are to run on an engine.
func Asked(name string) bool {
	if wanted := os.Getenv(EnvAsked); wanted != "" {
		return slices.Contains(strings.Split(wanted, ","), name)
	}
	return name == "mysql" || name == "sqlite"
}

// A Database is a new, empty database of tables for one test.
type Database struct {
	Driver string   // mysql, pgx or sqlite
	Source string   // what sqlx.Open takes, or a file for worker/sqlite
	Others []string // the sources of a cluster's other nodes
}

// databases make an empty one, by the name that is asked for and that of tests.
var databases = []struct {
	asked, name string
	fresh       func(testing.TB) Database
}{
	{"mysql", "MySQL", NewMySQL}, {"mysql9", "MySQL 9", NewMySQL9}, {"galera", "Galera", NewGalera},
	{"postgres", "PostgreSQL", NewPostgres}, {"sqlite", "SQLite", NewSQLite},
}

// Needs skips a test that is for an engine that is not asked for.
func Needs(t testing.TB, name string) {
	t.Helper()
	if !Asked(name) {
		t.Skip("not asked for: " + EnvAsked + "=" + name)
	}
}

// NewSQLite returns a database in a file that does not exist yet.
func NewSQLite(t testing.TB) Database {
	t.Helper()
	Needs(t, "sqlite")
	return Database{Driver: "sqlite", Source: filepath.Join(t.TempDir(), "uid.db")}
}

// NewMySQL returns one on the MariaDB that all tests share or, where that alone is asked for, on MySQL 9.
func NewMySQL(t testing.TB) Database {
	t.Helper()
	if Asked("mysql9") && !Asked("mysql") {
		return NewMySQL9(t)
	}
	Needs(t, "mysql")
	return onMySQL(t, cluster.Shared(t))
}

// NewMySQL9, NewPostgres and NewGalera return one on servers that the tests of a package share. The first node of
// Galera counts by ones, as do the others.
func NewMySQL9(t testing.TB) Database { return onMySQL(t, mySQL9(t)) }

func NewPostgres(t testing.TB) Database {
	t.Helper()
	Needs(t, "postgres")
	return Database{Driver: "pgx", Source: cluster.SharedPostgres(t).NewDatabase(t)}
}

func NewGalera(t testing.TB) Database {
	nodes := galera(t).Nodes
	d := onMySQL(t, nodes[0].MySQL)
	cfg, err := mysql.ParseDSN(d.Source)
	require.NoError(t, err)
	for _, n := range nodes[1:] {
		d.Others = append(d.Others, n.DSN(cfg.DBName))
		db := n.Open(t, "")
		require.Eventually(t, func() bool { // a node may be a little behind
			_, err := db.Exec("USE " + cfg.DBName)
			return err == nil
		}, time.Minute, time.Millisecond)
	}
	return d
}

func onMySQL(t testing.TB, server *cluster.MySQL) Database {
	return Database{Driver: "mysql", Source: server.DSN(server.NewDatabase(t))}
}

var galera = cluster.Share(func() (*cluster.Galera, error) {
	return cluster.StartGalera("shared galera", "--wsrep-auto-increment-control=OFF")
})

var mySQL9 = cluster.Share(func() (*cluster.MySQL, error) {
	return cluster.StartMySQL9("shared mysql9", "--skip-log-bin")
})

// Kinds make an empty database of each kind that is asked for.
func Kinds() map[string]func(testing.TB) Database {
	all := map[string]func(testing.TB) Database{}
	for _, d := range databases {
		if Asked(d.asked) {
			all[d.name] = d.fresh
		}
	}
	return all
}

// Each runs a test on an empty database of each kind that is asked for, which is open, too.
func Each(t *testing.T, test func(t *testing.T, d Database, db *sqlx.DB)) {
	for kind, fresh := range Kinds() {
		t.Run(kind, func(t *testing.T) {
			d := fresh(t)
			test(t, d, d.Open(t))
		})
	}
}

// Connect opens a store in a process without a test. The driver logs to log.
func (s Database) Connect(ctx context.Context, log mysql.Logger) (*sqlx.DB, error) {
	if s.Driver == "sqlite" {
		return sqlite.Open(ctx, s.Source)
	}
	if s.Driver == "pgx" {
		return sqlx.Open("pgx", s.Source)
	}
	return cluster.Connect(s.Source, log)
}

// Open opens the store until the test ends. The driver logs to the test.
func (s Database) Open(t testing.TB) *sqlx.DB {
	t.Helper()
	return s.OpenLogged(t, cluster.Log(t))
}

// OpenLogged is Open with a log for the driver.
func (s Database) OpenLogged(t testing.TB, log mysql.Logger) *sqlx.DB {
	t.Helper()
	db, err := s.Connect(t.Context(), log)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// With returns the store with changed driver settings.
func (s Database) With(t testing.TB, change func(*mysql.Config)) Database {
	t.Helper()
	cfg, err := mysql.ParseDSN(s.Source)
	require.NoError(t, err)
	change(cfg)
	return Database{Driver: s.Driver, Source: cfg.FormatDSN()}
}

// Do executes statements.
func Do(t testing.TB, db *sqlx.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
}

// Proxied returns a proxy in front of the store's server, and the store as it is reached through it. There statements
// of PostgreSQL show their text each time.
func (s Database) Proxied(t testing.TB) (*harness.Proxy, Database) {
	t.Helper()
	if s.Driver == "pgx" {
		u, err := url.Parse(s.Source)
		require.NoError(t, err)
		p := harness.NewProxy(t, u.Host)
		u.Host = p.Addr()
		u.RawQuery += "&default_query_exec_mode=exec"
		return p, Database{Driver: s.Driver, Source: u.String()}
	}
	cfg, err := mysql.ParseDSN(s.Source)
	require.NoError(t, err)
	p := harness.NewProxy(t, cfg.Addr)
	return p, s.With(t, func(c *mysql.Config) { c.Addr = p.Addr() })
}
