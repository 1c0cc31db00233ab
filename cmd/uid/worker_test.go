package main

import (
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlite"
	"github.com/uidgen/uid/worker/sqlstore"
)

// holder is what rows say of this process.
var holder = fmt.Sprintf("%s/%d", must(os.Hostname()), os.Getpid())

// newLease acquires a lease in the namespace shop.
func newLease(t *testing.T, db *sqlx.DB) {
	t.Helper()
	tables := must(sqlstore.New(db, sqlstore.Config{}))
	leases := must(tables.Leases("shop"))
	l := must(lease.New(leases, lease.Config{Losses: lease.NeverUnchecked, Logger: slog.New(slog.DiscardHandler)}))
	terms := bits.Default().Terms()
	terms.Revoke = func() {}
	require.NoError(t, lease.Found(t.Context(), leases, lease.Founding{}))
	_, err := l.Acquire(t.Context(), terms)
	require.NoError(t, err)
}

func openStore(t *testing.T, file string) *sqlx.DB {
	t.Helper()
	db := must(sqlite.Open(t.Context(), file))
	t.Cleanup(func() { db.Close() })
	return db
}

// storeWithLease returns a store with a disposable ID, and a lease that is live.
func storeWithLease(t *testing.T) string {
	t.Helper()
	file := newStore(t)
	ok(t, "gen", "-n", "1", "--store", file)
	newLease(t, openStore(t, file))
	return file
}

// What the commands print of what is known.
func TestWorkerGolden(t *testing.T) {
	layout := bits.Default()
	at := func(d time.Duration) time.Time { return today.Add(d) }
	row := func(space string, id int64, state registry.State, released bool, until time.Duration) registry.LeaseInfo {
		return registry.LeaseInfo{
			Namespace: space, WorkerID: id, Holder: fmt.Sprintf("host-%d/4711", id), State: state, Released: released,
			Acquired: at(until - 3*time.Hour), Renewed: at(until - 5*time.Minute), Until: at(until),
			High: layout.TickAt(at(until - 3*time.Minute)), Layout: layout.String(),
		}
	}
	overview := registry.Overview{
		Now: today, HasLeases: true, Nodes: &registry.NodeInfo{Rows: 17, Last: 17, Next: 18},
		Leases: []registry.LeaseInfo{
			row("default", 0, registry.Live, false, 270*time.Second),
			row("default", 1, registry.Quarantined, true, -time.Minute),
			row("default", 2, registry.Quarantined, false, -2*time.Minute),
			row("default", 3, registry.Free, true, -time.Hour),
			row("default", 4, registry.Free, false, -72*time.Hour),
			row("shop", 0, registry.Live, false, 299*time.Second),
			row("strange", 900, registry.Live, false, time.Minute),
		},
		Namespaces: []registry.NamespaceInfo{
			{Namespace: "default", Layout: layout.String(), Live: 1, Quarantined: 2, Free: 2},
			{Namespace: "shop", Layout: layout.String(), IDs: lease.Range{Last: 1023}, Live: 1,
				Missing: []lease.Range{{First: 3, Last: 3}, {First: 7, Last: 9}}},
			{Namespace: "strange", Layout: "unheard of", Live: 1},
		},
	}
	overview.Leases[6].Layout = "unheard of"
	overview.Leases[6].Holder = "\x1b[2Jrude\tholder\n"
	findings := []doctor.Finding{
		{Level: doctor.LevelOK, What: "server", Value: "MariaDB 10.11.19"},
		{Level: doctor.LevelNote, What: "replica", Value: "could not be told", Do: "Make sure.",
			Why: "A replica that accepts writes diverges from its primary, and both hand out the same IDs."},
		{Level: doctor.LevelWarn, What: "auto_increment_increment", Value: "7, offset 1", Do: "Set it to 1.",
			Why: "Each start uses up 7."},
		{Level: doctor.LevelError, What: "sync_binlog", Value: "0", Why: "Commits are lost.", Do: "Set it to 1."},
	}
	ls := func(change func(*workerLs)) func(tables) error {
		return func(r tables) error {
			c := &workerLs{tables: r, ids: maxID{layout: newLayoutFlag()}}
			c.nodes, c.leases = nodeTable, leaseTable
			if change != nil {
				change(c)
			}
			return c.show(overview)
		}
	}
	check := func(findings []doctor.Finding) func(tables) error {
		return func(r tables) error { return (&workerCheck{tables: r}).show(findings) }
	}
	released := func(i int) func(tables) error {
		return func(r tables) error { (&workerFree{tables: r}).show(overview.Leases[i]); return nil }
	}
	golden(t, "worker_ls", table, ls(nil))
	golden(t, "worker_ls_wide", table, ls(func(c *workerLs) { c.wide = true }))
	golden(t, "worker_ls_json", asJSON, ls(nil))
	golden(t, "worker_ls_plain", plain, ls(nil))
	golden(t, "worker_ls_namespace", table, ls(func(c *workerLs) { c.namespace = "default"; c.ids.max = 3 }))
	golden(t, "worker_ls_layout", table, ls(func(c *workerLs) { require.NoError(t, c.ids.layout.Set("js")) }))
	golden(t, "worker_ls_unknown", table, ls(func(c *workerLs) { c.namespace = "nope" }))
	golden(t, "worker_ls_unknown_dsn", asJSON, ls(func(c *workerLs) { c.namespace = "me:hunter2@tcp(h)" }))
	golden(t, "worker_ls_nothing", table, func(r tables) error {
		r.nodes, r.leases, r.inTables = nodeTable, leaseTable, true
		return (&workerLs{tables: r}).show(registry.Overview{})
	})
	golden(t, "worker_check", table, check(findings))
	golden(t, "worker_check_json", asJSON, check(findings))
	golden(t, "worker_check_plain", plain, check(findings[:3]))
	golden(t, "worker_release", table, released(0))
	golden(t, "worker_release_again", table, released(1))
	golden(t, "worker_release_json", asJSON, released(0))
}
