package databases_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/proxy"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/testserver"
	numbers "github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/sqlstore"
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

// asked says for which number, and how, a disposable is to ask.
type asked struct {
	Table, Host, Port string // Host is "h" by default
	Timeout           time.Duration
	Logger            *slog.Logger
}

// A disposable asks for numbers as a worker does: it tries again what may pass.
type disposable struct {
	*sqlstore.Numbers
	asked
}

func newDisposable(t testing.TB, db *sqlx.DB, a asked) *disposable {
	t.Helper()
	if a.Logger == nil {
		a.Logger = (&records{}).logger()
	}
	if a.Host == "" {
		a.Host = "h"
	}
	if a.Timeout == 0 {
		a.Timeout = retry.DefaultTimeout
	}
	return &disposable{tablesOf(t, db, sqlstore.Config{NodeTable: a.Table, Logger: a.Logger}).Numbers(), a}
}

func tablesOf(t testing.TB, db *sqlx.DB, cfg sqlstore.Config) *sqlstore.DB {
	t.Helper()
	d, err := sqlstore.New(db, cfg)
	require.NoError(t, err)
	return d
}

func (d *disposable) acquire(ctx context.Context, most int64) (id int64, err error) {
	err = retry.Do(ctx, d.Timeout, d.Logger, func(ctx context.Context) (err error) {
		id, err = d.Next(ctx, numbers.Host{Name: d.Host, Port: d.Port}, most)
		return err
	})
	return id, err
}

// acquire returns the ID that a new worker on the database gets.
func acquire(t testing.TB, db *sqlx.DB, a asked) int64 {
	t.Helper()
	id, err := newDisposable(t, db, a).acquire(t.Context(), 1<<22-1)
	require.NoError(t, err)
	return id
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
