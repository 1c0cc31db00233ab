// Package sqlstore_test runs the tables of leases on PostgreSQL, MariaDB, MySQL 9 and Galera.
package sqlstore_test

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/numberstore"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

func TestMain(m *testing.M) { cluster.Main(m) }

// full reports whether the tests run in their long form.
func full() bool { return os.Getenv("FULL") != "" }

func init() { _ = mysql.SetLogger(&mysql.NopLogger{}) }

// An opener opens a pool of a client's own.
type opener func(t testing.TB) *sqlx.DB

func opening(driver string, sources ...string) opener {
	source := inTurns(sources)
	return func(t testing.TB) *sqlx.DB {
		t.Helper()
		db, err := sqlx.Open(driver, source())
		require.NoError(t, err)
		t.Cleanup(func() { db.Close() })
		return db
	}
}

// inTurns returns a function that returns one text after another, again and again.
func inTurns(texts []string) func() string {
	var next atomic.Int64
	return func() string { return texts[int(next.Add(1))%len(texts)] }
}

func postgres(t testing.TB, options ...string) *cluster.Postgres {
	t.Helper()
	s, err := cluster.StartPostgres("postgres", options...)
	cluster.For(t, s, err)
	return s
}

// galera returns the sources of a cluster's nodes.
func galera(t testing.TB) (sources []string) {
	t.Helper()
	g, err := cluster.StartGalera("galera")
	cluster.For(t, g, err)
	for _, n := range g.Nodes {
		sources = append(sources, n.Source(n.Addr(0)))
	}
	return sources
}

func leasesOf(t testing.TB, db *sqlx.DB, namespace string) lease.Store {
	t.Helper()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	require.NoError(t, err)
	l, err := tables.Leases(namespace)
	require.NoError(t, err)
	return l
}

var milliseconds, _ = bits.ParseLayout("41/10/12 unit=1ms epoch=2026-01-01T00:00:00Z")

func found(t testing.TB, l lease.Store) error {
	return lease.Found(t.Context(), l, lease.Founding{Layout: milliseconds})
}

func take(ctx context.Context, l lease.Store) (row leasestore.Row, err error) {
	w := leasestore.Wanted{IDs: lease.Range{First: 0, Last: 1023}, Highest: func(time.Time) int64 { return 1 << 40 }}
	err = l.Take(ctx, w, func(_ *leasestore.Namespace, r *leasestore.Row, now leasestore.Clock) error {
		r.Nonce, r.Until, r.Renewed = rand.Text(), now.Now.Add(time.Hour), now.Now
		row = *r
		return nil
	})
	return row, err
}

func renew(ctx context.Context, l lease.Store, id int64, change func(*leasestore.Row)) error {
	return l.Change(ctx, id, func(_ *leasestore.Namespace, r *leasestore.Row, now leasestore.Clock) error {
		r.Nonce, r.Renewed = rand.Text(), now.Now
		r.High++
		change(r)
		return nil
	})
}

// A renewal writes no index.
func TestRenewalsAreHOT(t *testing.T) {
	source := cluster.SharedPostgres(t).NewDatabase(t)
	db := opening("pgx", source+"&default_query_exec_mode=exec")(t)
	l := leasesOf(t, db, "")
	require.NoError(t, found(t, l))
	const owners, times = 50, 40
	for range owners {
		_, err := take(t.Context(), l)
		require.NoError(t, err)
	}
	for range times {
		for id := range int64(owners) {
			require.NoError(t, renew(t.Context(), l, id, func(r *leasestore.Row) { r.Until = r.Until.Add(time.Minute) }))
		}
	}
	var all, hot int
	require.Eventually(t, func() bool {
		require.NoError(t, db.QueryRow("SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'worker_lease'").Scan(&all, &hot))
		return all >= owners*times
	}, time.Minute, 50*time.Millisecond)
	t.Logf("%d of %d updates were HOT", hot, all)
	require.Greater(t, hot, all*9/10)
}

// A protocol's life on PostgreSQL, with the registry's.
func TestLifeOnPostgres(t *testing.T) {
	s := postgres(t)
	db := opening("pgx", s.URL(s.Addr(0)))(t)
	tables, err := sqlstore.New(db, sqlstore.Config{})
	require.NoError(t, err)
	l := leasesOf(t, db, "orders")
	require.NoError(t, found(t, l))

	for want := int64(1); want < 4; want++ {
		id, err := tables.Numbers().Next(t.Context(), numberstore.Host{Name: "h", Port: "80"}, 1000)
		require.NoError(t, err)
		require.Equal(t, want, id)
	}
	// A floor is the same in every session's time zone.
	elsewhere, err := sqlstore.New(opening("pgx", s.URL(s.Addr(0))+"&timezone=Asia/Shanghai")(t), sqlstore.Config{})
	require.NoError(t, err)
	floor := time.Now().Add(5 * time.Minute).Truncate(time.Second)
	for _, begin := range []struct {
		in       disposable.Numbers
		id       int64
		at, kept time.Time
	}{{elsewhere.Numbers(), 1, time.Time{}, time.Time{}}, {tables.Numbers(), 2, floor, floor}, {elsewhere.Numbers(), 3, floor.Add(-time.Minute), floor}} {
		kept, err := begin.in.(numberstore.Beginner).Begin(t.Context(), begin.id, begin.at)
		require.NoError(t, err)
		require.True(t, begin.kept.Equal(kept), "%v, not %v", kept, begin.kept)
	}
	n, there, err := tables.Nodes(t.Context())
	require.NoError(t, err)
	require.True(t, there)
	require.Equal(t, registry.NodeInfo{Rows: 3, Last: 3, Next: 4}, n)

	kit.Do(t, db, "ALTER TABLE worker_lease ALTER COLUMN high TYPE INT")
	_, err = l.Inspect(t.Context())
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, "column HIGH is of type integer")
	kit.Do(t, db, "ALTER TABLE worker_lease ALTER COLUMN high TYPE BIGINT", "ALTER SYSTEM SET synchronous_commit = off", "SELECT pg_reload_conf()")
	require.Eventually(t, func() bool {
		lossy, err := l.Inspect(t.Context())
		return err == nil && strings.Contains(strings.Join(lossy, ";"), "synchronous_commit is off")
	}, time.Minute, 50*time.Millisecond)

	kit.Do(t, db, "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
	require.Eventually(t, func() bool {
		_, err = take(t.Context(), l)
		return err != nil
	}, time.Minute, 50*time.Millisecond)
	require.ErrorContains(t, err, "25006")
	require.False(t, retry.IsTransient(err))
}

// canary is a password that turns up wherever one may stand by mistake.
const canary = "hunter2"

// Whatever part of a URL fails, no text tells any of it.
func TestNoSecretsOnPostgres(t *testing.T) {
	source := cluster.SharedPostgres(t).NewDatabase(t)
	addr := cluster.SharedPostgres(t).Addr(0)
	admin := opening("pgx", source)(t)
	kit.Do(t, admin, "CREATE ROLE "+canary+"_reader LOGIN PASSWORD '"+canary+"'")
	for name, source := range map[string]string{
		"user":     "postgres://" + canary + ":" + canary + "@" + addr + "/uid?sslmode=disable",
		"database": "postgres://uid:" + canary + "@" + addr + "/" + canary + "?sslmode=disable",
		"host":     "postgres://uid:" + canary + "@" + canary + ".invalid/uid",
		"refused":  "postgres://uid:" + canary + "@127.0.0.1:1/" + canary,
		"TLS":      "postgres://uid:" + canary + "@" + addr + "/uid?sslmode=require",
		"rights":   "postgres://" + canary + "_reader:" + canary + "@" + addr + "/uid?sslmode=disable",
		"setting":  "postgres://uid:" + canary + "@" + addr + "/uid?sslmode=disable&" + canary + "=1",
	} {
		t.Run(name, func(t *testing.T) {
			db := opening("pgx", source)(t)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			l := leasesOf(t, db, "")
			err := found(t, l)
			require.Error(t, err)
			require.NotContains(t, strings.ToLower(logtest.Texts(err)), canary)
			_, err = take(ctx, l)
			require.Error(t, err)
			require.NotContains(t, strings.ToLower(logtest.Texts(err)), canary)
			t.Log(err)
		})
	}
}

// The rights of the documentation suffice.
func TestRightsOnPostgres(t *testing.T) {
	source := cluster.SharedPostgres(t).NewDatabase(t)
	admin := opening("pgx", source)(t)
	require.NoError(t, found(t, leasesOf(t, admin, "")))
	tables, err := sqlstore.New(admin, sqlstore.Config{})
	require.NoError(t, err)
	_, err = tables.Numbers().Next(t.Context(), numberstore.Host{Name: "h"}, 1000)
	require.NoError(t, err)
	kit.Do(t, admin, "CREATE ROLE worker LOGIN", "CREATE ROLE keeper LOGIN", "GRANT USAGE ON SCHEMA public TO worker, keeper",
		"GRANT SELECT, INSERT, UPDATE ON worker_lease TO worker", "GRANT SELECT, UPDATE ON worker_lease TO keeper",
		"GRANT SELECT, INSERT ON worker_node TO worker", "GRANT UPDATE (port, type, modified) ON worker_node TO worker")
	as := func(role string) *sqlstore.DB {
		db := opening("pgx", strings.Replace(source, "//uid@", "//"+role+"@", 1))(t)
		tables, err := sqlstore.New(db, sqlstore.Config{})
		require.NoError(t, err)
		return tables
	}
	l, err := as("worker").Leases("")
	require.NoError(t, err)
	_, err = l.Inspect(t.Context())
	require.NoError(t, err)
	require.NoError(t, found(t, l))
	row, err := take(t.Context(), l)
	require.NoError(t, err)
	require.NoError(t, renew(t.Context(), l, row.WorkerID, func(r *leasestore.Row) { r.Until = time.Unix(0, 0) }))
	_, err = take(t.Context(), l)
	require.NoError(t, err)
	id, err := as("worker").Numbers().Next(t.Context(), numberstore.Host{Name: "h", Port: "80"}, 1000)
	require.NoError(t, err)
	require.EqualValues(t, 2, id)
	require.NoError(t, renew(t.Context(), l, row.WorkerID, func(r *leasestore.Row) { r.Until = time.Unix(0, 0) }))
	kept, err := as("keeper").Leases("")
	require.NoError(t, err)
	require.NoError(t, renew(t.Context(), kept, row.WorkerID, func(r *leasestore.Row) { r.Nonce = "" }))
}
