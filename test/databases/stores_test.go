package databases_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/numberstore"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A store is an empty database of its own for one test.
type store = engines.Database

// must returns a value that cannot fail to be there.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// eachStore runs a test, beside others, on an empty store of each kind that is asked for, PostgreSQL left out.
func eachStore(t *testing.T, test func(t *testing.T, s store, db *sqlx.DB)) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, s store, db *sqlx.DB) {
		if s.Driver != "pgx" {
			test(t, s, db)
		}
	})
}

// mariaDB returns a server of the test's own.
func mariaDB(t testing.TB, options ...string) *cluster.MySQL {
	t.Helper()
	engines.Needs(t, "mysql")
	return cluster.NewMariaDB(t, options...)
}

// mariaDBPair returns one with a replica.
func mariaDBPair(t testing.TB, options ...string) *cluster.Pair {
	t.Helper()
	engines.Needs(t, "mysql")
	p, err := cluster.StartMariaDBPair("mariadb pair", options...)
	cluster.For(t, p, err)
	return p
}

// opening returns a pool of a client's own, by a source for its driver.
func opening(t testing.TB, driver, source string) *sqlx.DB {
	t.Helper()
	return store{Driver: driver, Source: source}.Open(t)
}

// isMariaDB reports whether the server is one of MariaDB, and not of MySQL.
func isMariaDB(t testing.TB, s store) bool {
	t.Helper()
	return strings.Contains(one[string](t, s.Open(t), "SELECT VERSION()"), "MariaDB")
}

// transaction returns the name that the server has for a variable of the session's transactions.
func transaction(t testing.TB, s store, variable string) string {
	t.Helper()
	if isMariaDB(t, s) {
		return "tx_" + variable // the only one before 11.1
	}
	return "transaction_" + variable
}

// asked says for which number, and how, an asker is to ask.
type asked struct {
	Table, Host, Port string // Host is "h" by default
	Timeout           time.Duration
	Logger            *slog.Logger
}

// An asker asks for numbers as a worker does: it tries again what may pass.
type asker struct {
	disposable.Numbers
	asked
}

func newAsker(db *sqlx.DB, a asked) *asker {
	a.Host, a.Logger = cmp.Or(a.Host, "h"), cmp.Or(a.Logger, quiet())
	return &asker{tablesOf(db, sqlstore.Config{NodeTable: a.Table, Skip: -1, Logger: a.Logger}).Numbers(), a}
}

// saysJust is whether a store says that text of what it can lose, and no more.
func saysJust(t testing.TB, s inspector, text string) func() bool {
	return func() bool {
		lossy, err := s.Inspect(t.Context())
		return err == nil && strings.Join(lossy, "; ") == text
	}
}

// allRows returns the rows of a query.
func allRows(t testing.TB, db *sqlx.DB, query string) (rows [][]any) {
	t.Helper()
	found, err := db.Queryx(query)
	require.NoError(t, err)
	defer found.Close()
	for found.Next() {
		row, err := found.SliceScan()
		require.NoError(t, err)
		rows = append(rows, row)
	}
	require.NoError(t, found.Err())
	return rows
}

// examined is the database as the doctor examines it.
func examined(db *sqlx.DB) registry.Store { return tablesOf(db, sqlstore.Config{}).Registry() }

func tablesOf(db *sqlx.DB, cfg sqlstore.Config) *sqlstore.DB { return must(sqlstore.New(db, cfg)) }

// An inspector looks at a store before it is used.
type inspector interface {
	Inspect(context.Context) ([]string, error)
}

// inspected returns what a store says that it can lose.
func inspected(t testing.TB, s inspector) []string {
	t.Helper()
	lossy, err := s.Inspect(t.Context())
	require.NoError(t, err)
	return lossy
}

func (d *asker) acquire(ctx context.Context, most int64) (id int64, err error) {
	err = retry.Do(ctx, d.Timeout, d.Logger, func(ctx context.Context) (err error) {
		id, err = d.Next(ctx, numberstore.Host{Name: d.Host, Port: d.Port}, most)
		return err
	})
	return id, err
}

// acquire returns the ID that a new worker on the database gets.
func acquire(t testing.TB, db *sqlx.DB, a asked) int64 {
	t.Helper()
	id, err := newAsker(db, a).acquire(t.Context(), 1<<22-1)
	require.NoError(t, err)
	return id
}

// tryID hands out a disposable ID.
func tryID(t testing.TB, db *sqlx.DB, a asked) error {
	t.Helper()
	_, err := newAsker(db, a).acquire(t.Context(), 1<<22-1)
	return err
}

// one returns the one value that a query asks for.
func one[V any](t testing.TB, db *sqlx.DB, query string) (v V) {
	t.Helper()
	require.NoError(t, db.Get(&v, query), query)
	return v
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
	all := columns("ID HOST_NAME PORT TYPE LAUNCH_DATE MODIFIED CREATED")
	require.NoError(t, db.Select(&rows, "SELECT "+all+" FROM WORKER_NODE ORDER BY ID"))
	return rows
}

// putNode makes a row as another program does.
func putNode(t testing.TB, db *sqlx.DB, id int64) {
	t.Helper()
	engines.Do(t, db, fmt.Sprintf("INSERT INTO WORKER_NODE (ID, HOST_NAME, PORT, TYPE, LAUNCH_DATE) "+
		"VALUES (%d, 'java', 'x', 2, '2026-01-01')", id))
}
