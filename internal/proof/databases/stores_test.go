package databases_test

import (
	"path/filepath"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/proxy"
	"github.com/uidgen/uid/internal/testserver"
	"github.com/uidgen/uid/worker"
)

// A store is an empty database of its own for one test.
type store struct {
	driver string // of the source
	source string // what sqlx.Open takes, or a file for worker/sqlite
}

func (s store) open(t testing.TB) *sqlx.DB {
	t.Helper()
	return s.openLogged(t, testserver.Log(t))
}

// openLogged opens the store with a log of the driver's words.
func (s store) openLogged(t testing.TB, log mysql.Logger) *sqlx.DB {
	t.Helper()
	db, err := openStore(t.Context(), s.driver, s.source, log)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func newSQLite(t testing.TB) store {
	return store{"sqlite", filepath.Join(t.TempDir(), "uid.db")}
}

func newMySQL(t testing.TB) store {
	server := testserver.Shared(t)
	return store{"mysql", server.DSN(server.NewDatabase(t))}
}

// newStore makes an empty store of each kind.
var newStore = map[string]func(testing.TB) store{"SQLite": newSQLite, "MySQL": newMySQL}

// eachStore runs a test on an empty store of each kind.
func eachStore(t *testing.T, test func(t *testing.T, s store)) {
	for kind, fresh := range newStore {
		t.Run(kind, func(t *testing.T) { test(t, fresh(t)) })
	}
}

// with returns the store with changed settings of the driver.
func (s store) with(t testing.TB, change func(*mysql.Config)) store {
	t.Helper()
	cfg, err := mysql.ParseDSN(s.source)
	require.NoError(t, err)
	change(cfg)
	return store{s.driver, cfg.FormatDSN()}
}

// newProxy returns a proxy for the target, which ends with the test.
func newProxy(t testing.TB, target string) *proxy.Proxy {
	t.Helper()
	return listen(t, "127.0.0.1:0", target)
}

func listen(t testing.TB, addr, target string) *proxy.Proxy {
	t.Helper()
	p, err := proxy.Listen(addr, target)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

func newDisposable(t testing.TB, db *sqlx.DB, cfg worker.DisposableConfig) *worker.Disposable {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = (&records{}).logger()
	}
	d, err := worker.NewDisposable(db, cfg)
	require.NoError(t, err)
	return d
}

// acquire returns the ID that a new worker on the database gets.
func acquire(t testing.TB, db *sqlx.DB, cfg worker.DisposableConfig) int64 {
	t.Helper()
	r, err := newDisposable(t, db, cfg).Acquire(t.Context(), terms(1<<22-1))
	require.NoError(t, err)
	return r.WorkerID
}

// node is a row of the table.
type node struct {
	ID         int64  `db:"ID"`
	HostName   string `db:"HOST_NAME"`
	Port       string `db:"PORT"`
	Type       int    `db:"TYPE"`
	LaunchDate string `db:"LAUNCH_DATE"`
	Modified   string `db:"MODIFIED"`
	Created    string `db:"CREATED"`
}

func nodes(t testing.TB, db *sqlx.DB) (rows []node) {
	t.Helper()
	require.NoError(t, db.Select(&rows, "SELECT ID, HOST_NAME, PORT, TYPE, LAUNCH_DATE, MODIFIED, CREATED FROM WORKER_NODE ORDER BY ID"))
	return rows
}

func do(t testing.TB, db *sqlx.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
}
