package databases_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A job is what the test binary does as a process of its own, with a store.
type job struct {
	Do    string // a key of jobs
	Store store
	To    string // where it is mounted
}

var jobs = map[string]func(job) error{"hot": writeHalf, "start": tryAll}

func TestMain(m *testing.M) {
	harness.Ordered(func(j job, _ *os.File) error { return jobs[j.Do](j) })
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait more than they work
		panic(err)
	}
	cluster.Main(m)
}

// A store is an empty database of its own for one test.
type store = engines.Database

// must returns a value that cannot fail to be there.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// Drivers of the databases that a test is for.
const (
	anywhere    = "mysql pgx sqlite"
	notPostgres = "mysql sqlite"
	servers     = "mysql pgx" // where others can write while a call decides: a SQLite file is locked then
)

// each runs a test, beside others, on an empty store of each kind that is asked for and that it is for.
func each(t *testing.T, drivers string, test func(t *testing.T, s store, db *sqlx.DB)) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, s store, db *sqlx.DB) {
		if strings.Contains(drivers, s.Driver) {
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

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

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
		id, err = d.Next(ctx, storage.Host{Name: d.Host, Port: d.Port}, most)
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

// milliseconds is a layout of short ticks.
var milliseconds, _ = bits.ParseLayout("41/10/12 unit=1ms epoch=2026-01-01T00:00:00Z")

// millis are its terms.
func millis(maxID int64) uid.Terms {
	t := milliseconds.Terms()
	t.MaxWorkerID, t.Revoke = maxID, func() {}
	return t
}

// wanted is any ID of ten bits that has been over for a minute.
var wanted = storage.Wanted{
	IDs: lease.Range{First: 0, Last: 1023}, Rest: time.Minute,
	Highest: func(now time.Time) int64 { return millis(0).TickAt(now) + 1e6 },
}

// A tenant uses a store of leases as simply as can be: it takes an ID, and raises its ticks
// at each renewal. Package lease does more.
type tenant struct {
	lease.Store
	segments segment.Store // of the same database
	// row is what was acknowledged last.
	row storage.Lease
	// nonces are those that the row may bear.
	nonces []string
}

// tenantOf returns one in a namespace that is there.
func tenantOf(t testing.TB, db *sqlx.DB) *tenant {
	t.Helper()
	n := strangerOf(db, "")
	require.NoError(t, lease.Found(t.Context(), n, lease.Founding{Layout: milliseconds}))
	return n
}

// ownerOf returns one that has an ID.
func ownerOf(t testing.TB, db *sqlx.DB) *tenant {
	t.Helper()
	n := tenantOf(t, db)
	n.take(t)
	return n
}

// strangerOf returns one in a namespace that may not be there.
func strangerOf(db *sqlx.DB, namespace string) *tenant {
	tables := tablesOf(db, sqlstore.Config{})
	return &tenant{Store: must(tables.Leases(namespace)), segments: tables.Segments()}
}

// take leases an ID.
func (n *tenant) take(t testing.TB) storage.Lease {
	t.Helper()
	row, err := n.tryTake(t.Context())
	require.NoError(t, err)
	return row
}

func (n *tenant) tryTake(ctx context.Context) (storage.Lease, error) {
	var taken storage.Lease
	err := n.Take(ctx, wanted, func(_ *storage.Namespace, r *storage.Lease, now storage.Clock) error {
		r.Acquired = now.Now
		n.write(r, now)
		taken = *r
		return nil
	})
	if err == nil {
		n.row = taken
	}
	return n.row, err
}

var errLost = errors.New("the row is another's")

// renew raises the ticks. It returns errLost when the row is not the tenant's any more.
func (n *tenant) renew(ctx context.Context) error {
	var renewed storage.Lease
	err := n.Change(ctx, n.row.WorkerID, func(_ *storage.Namespace, r *storage.Lease, now storage.Clock) error {
		if r == nil || !slices.Contains(n.nonces, r.Nonce) {
			return errLost
		}
		n.write(r, now)
		renewed = *r
		return nil
	})
	if err == nil {
		n.row = renewed
	}
	return err
}

// release ends the lease.
func (n *tenant) release(t testing.TB) {
	t.Helper()
	end := func(_ *storage.Namespace, r *storage.Lease, now storage.Clock) error {
		r.Nonce, r.Until, r.Renewed = "", now.Now, now.Now
		return nil
	}
	require.NoError(t, n.Change(t.Context(), n.row.WorkerID, end))
}

func (n *tenant) write(r *storage.Lease, now storage.Clock) {
	r.Nonce, r.High = rand.Text(), max(r.High+1, millis(0).TickAt(now.Now))
	r.Until, r.Renewed = now.Now.Add(time.Minute), now.Now
	r.Layout, r.Holder = millis(0).Layout, "tenant"
	n.nonces = append(n.nonces, r.Nonce)
}

// leaseRow is what tests look at of a row of the table.
type leaseRow struct {
	Nonce string `db:"NONCE"`
	High  int64  `db:"HIGH"`
}

func rowIn(t testing.TB, db *sqlx.DB, id int64) (r leaseRow) {
	t.Helper()
	query := "SELECT " + columns("NONCE HIGH") + " FROM WORKER_LEASE WHERE NAMESPACE = 'default' AND WORKER_ID = ?"
	require.NoError(t, db.Get(&r, db.Rebind(query), id))
	return r
}

// columns selects columns by names in capitals, which PostgreSQL makes others of.
func columns(names string) string {
	all := strings.Fields(names)
	for i, name := range all {
		all[i] = name + ` AS "` + name + `"`
	}
	return strings.Join(all, ", ")
}

// seconds is a layout with ticks of a second, as it stands in rows.
var seconds = bits.Default()

func layoutTerms(text string) (uid.Terms, error) {
	l, err := bits.ParseLayout(text)
	return l.Terms(), err
}

func newRegistry(db *sqlx.DB) *registry.Registry {
	return must(registry.New(examined(db), registry.Config{Logger: quiet()}))
}

// createTable returns the statement that creates a table of a default name.
func createTable(db *sqlx.DB, name string) string {
	d := must(database.Resolve("", db))
	file := "../../internal/database/schema/" + strings.ToLower(name) + "." + string(d) + ".sql"
	return d.SQL(string(must(os.ReadFile(file))))
}

// leaseColumns are all columns of the table of leases.
const leaseColumns = "NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, HISTORY"

// putLease makes the table, a namespace's row, and one of a worker ID whose lease is over.
func putLease(t testing.TB, db *sqlx.DB, namespace string, id int64, since time.Duration) {
	t.Helper()
	engines.Do(t, db, createTable(db, "WORKER_LEASE"))
	over := time.Now().Add(-since)
	renewed, layout := over.Add(-since).UnixMicro(), seconds.String()
	insert := db.Rebind("INSERT INTO WORKER_LEASE (" + leaseColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '')")
	db.MustExec(insert, namespace, -1, "", -1, 0, layout, "", 0, 0)
	db.MustExec(insert, namespace, id, "nonce", seconds.TickAt(over), over.UnixMicro(), layout, "host/1",
		renewed, renewed)
}
