package kit

import (
	"context"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/proxy"
	"github.com/uidgen/uid/worker/sqlite"
)

// A Store is a new, empty database for one test.
type Store struct {
	Driver string // mysql, pgx or sqlite
	Source string // what sqlx.Open takes, or a file for worker/sqlite
}

// NewSQLite returns a store in a file that does not exist yet.
func NewSQLite(t testing.TB) Store {
	return Store{"sqlite", filepath.Join(t.TempDir(), "uid.db")}
}

// NewMySQL returns a store on the server that all tests share.
func NewMySQL(t testing.TB) Store {
	server := cluster.Shared(t)
	return Store{"mysql", server.DSN(server.NewDatabase(t))}
}

// NewMySQL9 and NewPostgres return a store on a server that the tests of a package share.
func NewMySQL9(t testing.TB) Store {
	server := mySQL9(t)
	return Store{"mysql", server.DSN(server.NewDatabase(t))}
}

func NewPostgres(t testing.TB) Store {
	return Store{"pgx", cluster.SharedPostgres(t).NewDatabase(t)}
}

// NewGalera returns a store on a node of a cluster, which counts by ones, as nobody uses the other nodes.
func NewGalera(t testing.TB) Store {
	node := galera(t).Nodes[0]
	return Store{"mysql", node.DSN(node.NewDatabase(t))}
}

var galera = cluster.Share(func() (*cluster.Galera, error) {
	return cluster.StartGalera("shared galera", "--wsrep-auto-increment-control=OFF")
})

var mySQL9 = cluster.Share(func() (*cluster.MySQL, error) { return cluster.StartMySQL9("shared mysql9") })

// Kinds make an empty store of each kind.
var Kinds = map[string]func(testing.TB) Store{"SQLite": NewSQLite, "MySQL": NewMySQL}

// Each runs a test on an empty store of each kind.
func Each(t *testing.T, test func(t *testing.T, s Store)) {
	for kind, fresh := range Kinds {
		t.Run(kind, func(t *testing.T) { test(t, fresh(t)) })
	}
}

// Connect opens a store in a process without a test. The driver logs to log.
func (s Store) Connect(ctx context.Context, log mysql.Logger) (*sqlx.DB, error) {
	if s.Driver == "sqlite" {
		return sqlite.Open(ctx, s.Source)
	}
	if s.Driver == "pgx" {
		return sqlx.Open("pgx", s.Source)
	}
	return cluster.Connect(s.Source, log)
}

// Open opens the store until the test ends. The driver logs to the test.
func (s Store) Open(t testing.TB) *sqlx.DB {
	t.Helper()
	return s.OpenLogged(t, cluster.Log(t))
}

// OpenLogged is Open with a log for the driver.
func (s Store) OpenLogged(t testing.TB, log mysql.Logger) *sqlx.DB {
	t.Helper()
	db, err := s.Connect(t.Context(), log)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// With returns the store with changed driver settings.
func (s Store) With(t testing.TB, change func(*mysql.Config)) Store {
	t.Helper()
	cfg, err := mysql.ParseDSN(s.Source)
	require.NoError(t, err)
	change(cfg)
	return Store{s.Driver, cfg.FormatDSN()}
}

// Do executes statements.
func Do(t testing.TB, db *sqlx.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
}

// Proxied returns a proxy in front of the store's server, and the store as it is reached through it. There statements of
// PostgreSQL show their text each time.
func (s Store) Proxied(t testing.TB) (*proxy.Proxy, Store) {
	t.Helper()
	if s.Driver == "pgx" {
		u, err := url.Parse(s.Source)
		require.NoError(t, err)
		p := NewProxy(t, u.Host)
		u.Host = p.Addr()
		u.RawQuery += "&default_query_exec_mode=exec"
		return p, Store{s.Driver, u.String()}
	}
	cfg, err := mysql.ParseDSN(s.Source)
	require.NoError(t, err)
	p := NewProxy(t, cfg.Addr)
	return p, s.With(t, func(c *mysql.Config) { c.Addr = p.Addr() })
}
