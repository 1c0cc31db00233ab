package databases_test

import (
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/sqlstore"
)

// usedTables makes all tables, and returns what looks at each before it is used.
func usedTables(t *testing.T, db *sqlx.DB) map[string]inspector {
	t.Helper()
	require.NoError(t, startDisposable(t, db, false))
	owner := tenantOf(t, db)
	draw(t, owner.segments, "orders")
	return map[string]inspector{
		"worker_lease": owner, "leaf_alloc": owner.segments,
		"worker_node": tablesOf(db, sqlstore.Config{}).Numbers(),
	}
}

// A crash of the server empties an UNLOGGED table, and sets an UNLOGGED counter back.
func TestUnloggedTables(t *testing.T) {
	db := engines.NewPostgres(t).Open(t)
	tables := usedTables(t, db)
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
			require.Empty(t, inspected(t, tables[c.inspected]))
			require.Equal(t, doctor.LevelOK, checked(t, db, doctor.Config{})[c.finding].Level)
			engines.Do(t, db, "ALTER TABLE "+c.table+" SET UNLOGGED")
			require.Equal(t, []string{"table " + c.table + " is UNLOGGED (ALTER TABLE " + c.table + " SET LOGGED)"},
				inspected(t, tables[c.inspected]))
			require.Equal(t, c.level, checked(t, db, doctor.Config{})[c.finding].Level)
			require.Equal(t, doctor.LevelError, checked(t, db, doctor.Config{Never: true})[c.finding].Level)
			if c.table == "worker_node" {
				require.ErrorIs(t, startDisposable(t, db, false), uid.ErrLossy)
				require.NoError(t, startDisposable(t, db, true))
			}
			engines.Do(t, db, "ALTER TABLE "+c.table+" SET LOGGED")
			require.Empty(t, inspected(t, tables[c.inspected]))
		})
	}
	engines.Do(t, db, "ALTER SEQUENCE worker_node_id_seq SET UNLOGGED")
	require.Len(t, inspected(t, tables["worker_node"]), 1, "the counter of a table that is logged")
	// Of another table with the same name the search path knows nothing.
	engines.Do(t, db, "ALTER SEQUENCE worker_node_id_seq SET LOGGED",
		"CREATE SCHEMA other", "CREATE UNLOGGED TABLE other.worker_node (LIKE worker_node)")
	require.Empty(t, inspected(t, tables["worker_node"]))
}

// Each session has a TEMPORARY table of its own.
func TestTemporaryTables(t *testing.T) {
	db := engines.NewPostgres(t).Open(t)
	db.SetMaxOpenConns(1)
	tables := usedTables(t, db)
	for table, finding := range map[string]string{
		"worker_lease": "table of leased IDs",
		"worker_node":  "table of disposable IDs",
		"leaf_alloc":   "table of segments",
	} {
		engines.Do(t, db, "CREATE TEMPORARY TABLE "+table+" (LIKE public."+table+" INCLUDING ALL)")
		_, err := tables[table].Inspect(t.Context())
		logtest.Error(t, err, uid.ErrConfig, "table "+table+": a TEMPORARY table. Each session has its own")
		require.Equal(t, doctor.LevelError, checked(t, db, doctor.Config{})[finding].Level)
	}
	for _, unverified := range []bool{false, true} {
		require.ErrorContains(t, startDisposable(t, db, unverified), "a TEMPORARY table")
	}
}

// A standby that need not have a commit lacks it when it takes over.
func TestStandbysThatNeedNotConfirm(t *testing.T) {
	p := postgresPair(t)
	admin := opening(t, "pgx", p.URL(p.Addr()))
	engines.Do(t, admin, "CREATE ROLE me LOGIN", "GRANT CREATE ON SCHEMA public TO me")
	me := opening(t, "pgx", p.URL(p.Addr())+"&user=me")
	leases := strangerOf(me, "")
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
		engines.Do(t, admin, "ALTER SYSTEM SET synchronous_standby_names = '"+c.setting+"'", "SELECT pg_reload_conf()")
		require.Eventually(t, saysJust(t, leases, c.says), time.Minute, 10*time.Millisecond, c.setting)
		want := doctor.LevelError
		if c.says == "" {
			want = doctor.LevelNote
		}
		require.Equal(t, want, checked(t, me, doctor.Config{Never: true})["replication"].Level, c.setting)
	}
	var names []string
	require.NoError(t, me.Select(&names, "SELECT COALESCE(application_name, '') FROM pg_stat_replication"))
	require.Equal(t, []string{"walreceiver"}, names, "to any account")
	require.NoError(t, startDisposable(t, me, false), "a failover is for people to mend")
}
