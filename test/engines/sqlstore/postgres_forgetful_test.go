package sqlstore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/doctor/sqldoctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/sqlstore"
)

// inspections are what looks at a database before it is used.
func inspections(t *testing.T, db *sqlx.DB) map[string]func(context.Context) ([]string, error) {
	t.Helper()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	require.NoError(t, err)
	return map[string]func(context.Context) ([]string, error){
		"worker_lease": leasesOf(t, db, "").Inspect,
		"worker_node":  tables.Numbers().Inspect,
		"leaf_alloc":   tables.Segments().Inspect,
	}
}

// usedTables makes all tables.
func usedTables(t *testing.T, db *sqlx.DB) {
	t.Helper()
	require.NoError(t, found(t, leasesOf(t, db, "")))
	require.NoError(t, startDisposable(t, db, false))
	require.NoError(t, segmentsOf(t, db).Change(t.Context(), "orders", func(r *segmentstore.Row) error {
		r.Next, r.Step = 1, 1
		return nil
	}))
}

// startDisposable is a start of a process with a disposable ID.
func startDisposable(t *testing.T, db *sqlx.DB, unverified bool) error {
	t.Helper()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	require.NoError(t, err)
	d, err := disposable.New(tables.Numbers(),
		disposable.Config{Host: "h", DurableStoreUnverified: unverified, Logger: (&logtest.Records{}).Logger()})
	require.NoError(t, err)
	terms := bits.Default().Terms()
	terms.Revoke = func() {}
	_, err = d.Acquire(t.Context(), terms)
	return err
}

// levels are the levels of what a check finds.
func levels(t *testing.T, db *sqlx.DB, cfg doctor.Config) map[string]doctor.Level {
	t.Helper()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	require.NoError(t, err)
	examined, err := sqldoctor.New(tables)
	require.NoError(t, err)
	all, err := examined.Examine(t.Context(), cfg)
	require.NoError(t, err)
	m := map[string]doctor.Level{}
	for _, f := range all {
		m[f.What] = f.Level
	}
	return m
}

// A crash of the server empties an UNLOGGED table, and sets an UNLOGGED counter back.
func TestUnloggedTables(t *testing.T) {
	source := cluster.SharedPostgres(t).NewDatabase(t)
	db := opening("pgx", source)(t)
	usedTables(t, db)
	lossy := func(name string) []string {
		why, err := inspections(t, db)[name](t.Context())
		require.NoError(t, err)
		return why
	}
	for _, c := range []struct {
		table, inspected, finding string
		level                     doctor.Level
	}{
		{"worker_lease", "worker_lease", "table of leased IDs", doctor.LevelWarn},
		{"worker_node", "worker_node", "table of disposable IDs", doctor.LevelError},
		{"leaf_alloc", "leaf_alloc", "table of segments", doctor.LevelError},
		{"leaf_alloc_takers", "leaf_alloc", "table of segments' takers", doctor.LevelError},
	} {
		t.Run(c.table, func(t *testing.T) {
			require.Empty(t, lossy(c.inspected))
			require.Equal(t, doctor.LevelOK, levels(t, db, doctor.Config{})[c.finding])
			kit.Do(t, db, "ALTER TABLE "+c.table+" SET UNLOGGED")
			require.Equal(t, []string{"table " + c.table + " is UNLOGGED (ALTER TABLE " + c.table + " SET LOGGED)"},
				lossy(c.inspected))
			require.Equal(t, c.level, levels(t, db, doctor.Config{})[c.finding])
			require.Equal(t, doctor.LevelError, levels(t, db, doctor.Config{Never: true})[c.finding])
			if c.table == "worker_node" {
				require.ErrorIs(t, startDisposable(t, db, false), uid.ErrLossy)
				require.NoError(t, startDisposable(t, db, true))
			}
			kit.Do(t, db, "ALTER TABLE "+c.table+" SET LOGGED")
			require.Empty(t, lossy(c.inspected))
		})
	}
	kit.Do(t, db, "ALTER SEQUENCE worker_node_id_seq SET UNLOGGED")
	require.Len(t, lossy("worker_node"), 1, "the counter of a table that is logged")
	// Of another table with the same name the search path knows nothing.
	kit.Do(t, db, "ALTER SEQUENCE worker_node_id_seq SET LOGGED",
		"CREATE SCHEMA other", "CREATE UNLOGGED TABLE other.worker_node (LIKE worker_node)")
	require.Empty(t, lossy("worker_node"))
}

// Each session has a TEMPORARY table of its own.
func TestTemporaryTables(t *testing.T) {
	source := cluster.SharedPostgres(t).NewDatabase(t)
	db := opening("pgx", source)(t)
	db.SetMaxOpenConns(1)
	usedTables(t, db)
	for table, finding := range map[string]string{
		"worker_lease": "table of leased IDs",
		"worker_node":  "table of disposable IDs",
		"leaf_alloc":   "table of segments",
	} {
		kit.Do(t, db, "CREATE TEMPORARY TABLE "+table+" (LIKE public."+table+" INCLUDING ALL)")
		_, err := inspections(t, db)[table](t.Context())
		require.ErrorIs(t, err, uid.ErrConfig)
		require.ErrorContains(t, err, "table "+table+": a TEMPORARY table. Each session has its own")
		require.Equal(t, doctor.LevelError, levels(t, db, doctor.Config{})[finding])
	}
	for _, unverified := range []bool{false, true} {
		require.ErrorContains(t, startDisposable(t, db, unverified), "a TEMPORARY table")
	}
}

// A standby that need not have a commit lacks it when it takes over.
func TestStandbysThatNeedNotConfirm(t *testing.T) {
	p, err := cluster.StartPostgresPair("postgres")
	cluster.For(t, p, err)
	admin := opening("pgx", p.URL(p.Addr()))(t)
	kit.Do(t, admin, "CREATE ROLE me LOGIN", "GRANT CREATE ON SCHEMA public TO me")
	me := opening("pgx", p.URL(p.Addr())+"&user=me")(t)
	leases := leasesOf(t, me, "")
	for _, c := range []struct{ setting, says string }{
		{"", "1 standbys are connected asynchronously: one of them lacks the newest commits when it takes over"},
		{"walreceiver", ""},
		{"FIRST 1 (other, walreceiver)", "synchronous_standby_names lists 2 standbys, " +
			"and 1 of them must have a commit: another one lacks the newest commits when it takes over"},
		{"ANY 1 (walreceiver,other)", "synchronous_standby_names lists 2 standbys, " +
			"and 1 of them must have a commit: another one lacks the newest commits when it takes over"},
		{"*", "synchronous_standby_names names no standby but * (any), " +
			"and 1 of them must have a commit: another one lacks the newest commits when it takes over"},
	} {
		kit.Do(t, admin, "ALTER SYSTEM SET synchronous_standby_names = '"+c.setting+"'", "SELECT pg_reload_conf()")
		require.Eventually(t, func() bool {
			lossy, err := leases.Inspect(t.Context())
			return err == nil && strings.Join(lossy, "; ") == c.says
		}, time.Minute, 10*time.Millisecond, c.setting)
		want := doctor.LevelError
		if c.says == "" {
			want = doctor.LevelNote
		}
		require.Equal(t, want, levels(t, me, doctor.Config{Never: true})["replication"], c.setting)
	}
	var names []string
	require.NoError(t, me.Select(&names, "SELECT COALESCE(application_name, '') FROM pg_stat_replication"))
	require.Equal(t, []string{"walreceiver"}, names, "to any account")
	require.NoError(t, startDisposable(t, me, false), "a failover is for people to mend")
}
