package databases_test

import (
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
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A column that cannot hold what is written is refused before the first lease, and one that
// becomes so later fails the renewal, whatever the mode of the session: a server without a
// strict one would store another number.
func TestLeaseColumns(t *testing.T) {
	t.Parallel()
	noModes := func(c *mysql.Config) { c.Params = map[string]string{"sql_mode": "''"} }
	loose := func(t *testing.T) *sqlx.DB { return engines.NewMySQL(t).With(t, noModes).Open(t) }
	for _, kind := range []string{"MEDIUMINT", "BIGINT UNSIGNED", "VARCHAR(30)", "DOUBLE"} {
		t.Run(kind, func(t *testing.T) {
			db := loose(t)
			owner := tenantOf(t, db)
			inspected(t, owner)
			engines.Do(t, db, "UPDATE WORKER_LEASE SET HIGH = 0",
				"ALTER TABLE WORKER_LEASE MODIFY HIGH "+kind+" NOT NULL")
			_, err := owner.Inspect(t.Context())
			says := "column HIGH is of type " + strings.ToLower(strings.TrimSuffix(kind, "(30)"))
			logtest.Error(t, err, uid.ErrConfig, says)
		})
	}

	db := loose(t)
	owner := ownerOf(t, db)
	// A number that it holds, and a column that can hold no more than a little beyond.
	engines.Do(t, db, "UPDATE WORKER_LEASE SET HIGH = 2147483000", "ALTER TABLE WORKER_LEASE MODIFY HIGH INT NOT NULL")
	require.ErrorContains(t, owner.renew(t.Context()), "1264")
	require.EqualValues(t, 2147483000, rowIn(t, db, 0).High)
	db.SetMaxOpenConns(1)
	require.Empty(t, one[string](t, db, "SELECT @@SESSION.sql_mode"), "it is set back")
}

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
	t.Run("MySQL", func(t *testing.T) {
		server := mariaDB(t)
		db := server.Open(t, server.NewDatabase(t))
		loses(t, db)
		engines.Do(t, db, "SET GLOBAL innodb_flush_log_at_trx_commit = 2")
		loses(t, db, "innodb_flush_log_at_trx_commit is 2, not 1")
	})
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
	t.Run("SQLite", func(t *testing.T) {
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
	tag := all(func(c string) bool { return segmentstore.CheckTag(c) == nil })
	const description = "\u8ba2\u5355 f\u00fcr \U0001F984 '\"\\"
	require.NoError(t, plain.Segments().Change(t.Context(), tag, func(r *segmentstore.Row) error {
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
		require.Equal(t, segmentstore.Range{First: first, Last: first + 9}, draw(t, segments, tag), charset)
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
