package databases_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// What a server can lose it says.
func TestInspectTellsWhatCanBeLost(t *testing.T) {
	t.Parallel()
	loses := func(t *testing.T, db *sqlx.DB, why ...string) {
		t.Helper()
		owner := tenantOf(t, db)
		for _, lossy := range [][]string{inspected(t, owner), inspected(t, owner.segments)} {
			for _, text := range why {
				require.Contains(t, strings.Join(lossy, "; "), text)
			}
			require.Equal(t, len(why) == 0, len(lossy) == 0, lossy)
		}
	}
	t.Run("pair", func(t *testing.T) {
		pair := mariaDBPair(t, "--sync-binlog=1")
		first := pair.MySQLReplica()
		follow := func() {
			for _, r := range []*cluster.MySQL{first, pair.MySQLReplica()} {
				engines.Do(t, r.Open(t, "mysql"),
					"SET GLOBAL rpl_semi_sync_slave_enabled = 1", "STOP SLAVE", "START SLAVE")
			}
		}
		db := pair.MySQL().Open(t, pair.MySQL().NewDatabase(t))
		require.NoError(t, startDisposable(t, db, false), "a failover to an asynchronous replica is for people to mend")
		for setting, says := range map[string]string{
			"sync_binlog = 0":                    "sync_binlog is 0, not 1, and there is a binary log",
			"innodb_flush_log_at_trx_commit = 2": "innodb_flush_log_at_trx_commit is 2, not 1",
		} {
			engines.Do(t, db, "SET GLOBAL "+setting)
			loses(t, db, says)
			refusesDisposable(t, db, says)
			engines.Do(t, db, "SET GLOBAL sync_binlog = 1", "SET GLOBAL innodb_flush_log_at_trx_commit = 1")
		}
		loses(t, db, "1 replicas are connected without semi-synchronous replication")

		engines.Do(t, db, "SET GLOBAL rpl_semi_sync_master_enabled = 1")
		follow()
		owner := tenantOf(t, db)
		require.Eventually(t, saysJust(t, owner, ""), time.Minute, 10*time.Millisecond,
			"the only replica has what was acknowledged")
		t.Cleanup(first.Close)
		require.NoError(t, pair.Rejoin()) // one more
		follow()
		require.Eventually(t, saysJust(t, owner, "2 replicas are connected, "+
			"and a commit waits for one replica's confirmation, as MariaDB does: "+
			"another one lacks the newest commits when it takes over"),
			time.Minute, 10*time.Millisecond)
		// On a busy machine the server was seen to count one of the two for a minute, after the cut: then both come
		// anew.
		require.EventuallyWithT(t, func(t2 *assert.CollectT) {
			all, err := doctor.Check(t.Context(), examined(db), doctor.Config{Never: true, Terms: layoutTerms})
			require.NoError(t2, err)
			if !assert.True(t2, slices.ContainsFunc(all, func(f doctor.Finding) bool {
				return f.What == "replication" && f.Level == doctor.LevelError &&
					strings.Contains(f.Why, "a commit waits for one replica's confirmation")
			}), "%+v", all) {
				follow()
			}
		}, time.Minute, 2*time.Second)
		require.NoError(t, startDisposable(t, db, false), "a failover is for people to mend")
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		s := engines.NewPostgres(t)
		loses(t, s.Open(t))
		loses(t, opening(t, "pgx", s.Source+"&synchronous_commit=off"), "synchronous_commit is off")
	})
	t.Run("SQLite", func(t *testing.T) {
		engines.Needs(t, "sqlite")
		path := filepath.Join(t.TempDir(), "uid.db")
		good := store{Driver: "sqlite", Source: path}.Open(t)
		loses(t, good)
		lax := must(sqlx.Open("sqlite", "file:"+path+"?_synchronous=OFF&_txlock=immediate&_busy_timeout=10000"))
		defer lax.Close()
		loses(t, lax, "synchronous is OFF")
	})
}

// A name, a tag and a description are stored and found alike under every charset that a connection
// can have.
func TestUnderEveryCharset(t *testing.T) {
	t.Parallel()
	s := engines.NewMySQL(t)
	db := s.Open(t)
	plain := tablesOf(db, sqlstore.Config{})
	all := func(good func(string) bool) string {
		var text strings.Builder
		for c := '!'; c <= '~'; c++ {
			if good(string(c)) {
				text.WriteRune(c)
			}
		}
		return text.String()
	}
	name := all(func(c string) bool { _, err := plain.Leases(c); return err == nil })
	require.Greater(t, len(name), 80)
	names := []string{name[:64], name[20:]}
	for _, n := range names {
		require.NoError(t, lease.Found(t.Context(), strangerOf(db, n), lease.Founding{Layout: milliseconds}))
	}
	tag := all(func(c string) bool { return storage.CheckTag(c) == nil })
	const description = "\u8ba2\u5355 f\u00fcr \U0001F984 '\"\\"
	require.NoError(t, plain.Segments().Change(t.Context(), tag, func(r *storage.Segment) error {
		r.Next, r.Step, r.Description = 1, 1, description
		return nil
	}))
	var sets []string
	require.NoError(t, db.Select(&sets, "SELECT CHARACTER_SET_NAME FROM information_schema.CHARACTER_SETS ORDER BY 1"))
	require.Contains(t, sets, "gbk")
	tried := 0
	for _, charset := range sets {
		if _, err := db.Exec("SET NAMES " + charset); err != nil {
			continue // no client can have it
		}
		if charset == "swe7" && !isMariaDB(t, s) {
			continue // MySQL itself makes a broken query of SHOW VARIABLES then
		}
		db := s.With(t, func(c *mysql.Config) { c.Params = map[string]string{"charset": charset} }).Open(t)
		for _, n := range names {
			_, err := strangerOf(db, n).tryTake(t.Context())
			require.NoError(t, err, charset)
		}
		segments, first := segmentsOf(db), int64(1+10*tried)
		require.Equal(t, description, looked(t, segments, tag).Description, charset)
		require.Equal(t, storage.Numbers{First: first, Last: first + 9}, draw(t, segments, tag), charset)
		rows := rowsOf(t, segments)
		require.Len(t, rows, 1)
		require.Equal(t, tag, rows[0].Tag)
		tried++
	}
	require.Greater(t, tried, 30)
	var namespaces, ids int
	require.NoError(t, db.QueryRow("SELECT COUNT(DISTINCT NAMESPACE), COUNT(*) "+
		"FROM WORKER_LEASE WHERE WORKER_ID >= 0 AND NONCE <> ''").Scan(&namespaces, &ids))
	require.Equal(t, 2, namespaces)
	require.Equal(t, 2*tried, ids)
}

// startDisposable is a start of a process with a disposable ID.
func startDisposable(t *testing.T, db *sqlx.DB, accepted bool) error {
	t.Helper()
	d := must(disposable.New(tablesOf(db, sqlstore.Config{}).Numbers(),
		disposable.Config{Host: "h", LossyStore: accepted, Logger: quiet()}))
	_, err := d.Acquire(t.Context(), millis(1023))
	return err
}

// refusesDisposable says that a start is refused for a setting unless somebody vouches for the store.
func refusesDisposable(t *testing.T, db *sqlx.DB, setting string) {
	t.Helper()
	err := startDisposable(t, db, false)
	require.ErrorIs(t, err, uid.ErrLossy)
	logtest.Error(t, err, uid.ErrConfig, setting)
	require.NoError(t, startDisposable(t, db, true))
}

// A table that a restart of the server empties would hand out all IDs again: no word makes it good.
func TestDisposableOnATableThatForgets(t *testing.T) {
	t.Parallel()
	s := engines.NewMySQL(t)
	db := s.Open(t)
	require.NoError(t, startDisposable(t, db, false))
	rows := nodes(t, db)
	for _, engine := range []string{"MEMORY", "MyISAM"} {
		engines.Do(t, db, "ALTER TABLE WORKER_NODE ENGINE = "+engine)
		for _, accepted := range []bool{false, true} {
			logtest.Error(t, startDisposable(t, db, accepted), uid.ErrConfig,
				"table WORKER_NODE: engine "+engine, "ALTER TABLE WORKER_NODE ENGINE = InnoDB")
		}
		require.Equal(t, rows, nodes(t, db), "nothing was inserted")
	}
	engines.Do(t, db, "ALTER TABLE WORKER_NODE ENGINE = InnoDB")
	require.NoError(t, startDisposable(t, db, false))
}

func TestDisposableOnAFileThatForgets(t *testing.T) {
	t.Parallel()
	for source, says := range map[string]string{
		"":                           "",
		"?_journal_mode=WAL":         "",
		"?_synchronous=NORMAL":       "", // a start syncs its own commits
		"?_journal_mode=MEMORY":      "journal_mode is memory",
		"?_pragma=synchronous(OFF)":  "synchronous is OFF",
		"?_pragma=journal_mode(OFF)": "journal_mode is off",
	} {
		db := must(sqlx.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "uid.db")+source))
		defer db.Close()
		if says == "" {
			require.NoError(t, startDisposable(t, db, false), source)
		} else {
			refusesDisposable(t, db, says)
		}
	}
}

// What a session of a Galera node writes with wsrep_on off stays on that node. A node can lose what it has
// acknowledged.
func TestNodeThatWritesAlone(t *testing.T) {
	t.Parallel()
	const provider = "/usr/lib/galera/libgalera_smm.so" // which mariadb-server of Debian depends on
	if _, err := os.Stat(provider); err != nil {
		t.Skip("no Galera on this machine: ", err)
	}
	server := mariaDB(t,
		"--loose-wsrep-on=ON", "--loose-wsrep-provider="+provider, "--loose-wsrep-cluster-address=gcomm://",
		"--loose-wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:0",
		"--loose-wsrep-node-address=127.0.0.1", "--binlog-format=ROW",
	)
	var name string
	require.Eventually(t, func() bool { // a node answers before it is ready
		var err error
		name, err = server.CreateDatabase()
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	together := server.Open(t, name)
	require.NoError(t, startDisposable(t, together, false), "as far as a crash goes")
	require.Contains(t, strings.Join(inspected(t, tenantOf(t, together)), "; "), "a node of a Galera cluster")
	used := engines.Database{Driver: "mysql", Source: server.DSN(name)}
	alone := used.With(t, func(c *mysql.Config) { c.Params = map[string]string{"wsrep_on": "0"} }).Open(t)
	for _, accepted := range []bool{false, true} {
		require.ErrorContains(t, startDisposable(t, alone, accepted),
			"wsrep_on: OFF, at a node of a Galera cluster")
	}
	_, err := segmentsOf(alone).Inspect(t.Context())
	require.ErrorIs(t, err, uid.ErrConfig)
	_, err = strangerOf(alone, "").Inspect(t.Context())
	logtest.Error(t, err, uid.ErrConfig,
		"wsrep_on: OFF, at a node of a Galera cluster. Writes stay on this node")
	require.Equal(t, doctor.LevelError, checked(t, alone, doctor.Config{})["wsrep_on"].Level)
	require.NotContains(t, checked(t, together, doctor.Config{}), "wsrep_on")
}

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
	for _, accepted := range []bool{false, true} {
		require.ErrorContains(t, startDisposable(t, db, accepted), "a TEMPORARY table")
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
