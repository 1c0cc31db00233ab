package databases_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/testserver"
	"github.com/uidgen/uid/worker"
)

// A column that cannot hold what is written is refused before the first lease, and one that
// becomes so later fails the renewal, whatever the mode of the session: a server without a
// strict one would store another number.
func TestLeaseColumns(t *testing.T) {
	loose := newMySQL(t).with(t, func(c *mysql.Config) { c.Params = map[string]string{"sql_mode": "''"} })
	for _, kind := range []string{"INT", "MEDIUMINT", "BIGINT UNSIGNED", "VARCHAR(30)", "DOUBLE"} {
		t.Run(kind, func(t *testing.T) {
			s := newMySQL(t).with(t, func(c *mysql.Config) { c.Params = map[string]string{"sql_mode": "''"} })
			h := newHouse(t, s)
			h.init("", worker.Namespace{Terms: millis(1023)})
			do(t, h.db, "UPDATE WORKER_LEASE SET HIGH = 0", "ALTER TABLE WORKER_LEASE MODIFY HIGH "+kind+" NOT NULL")
			_, err := h.leaseOf(worker.LeaseConfig{DurableStore: true}).Acquire(t.Context(), millis(1023))
			require.ErrorIs(t, err, uid.ErrConfig)
			require.ErrorContains(t, err, "column HIGH is of type "+strings.ToLower(strings.TrimSuffix(kind, "(30)")))
		})
	}

	h := newHouse(t, loose)
	l := h.lease(worker.LeaseConfig{DurableStore: true})
	was := h.acquire(l)
	// A number that it holds, and a column that can hold no more than a little beyond.
	do(t, h.db, "UPDATE WORKER_LEASE SET HIGH = 2147483000")
	do(t, h.db, "ALTER TABLE WORKER_LEASE MODIFY HIGH INT NOT NULL")
	do(t, h.db, fmt.Sprintf("UPDATE WORKER_LEASE SET HIGH = %d WHERE WORKER_ID = 0", 2147483000))
	worker.SetLimit(l, 2147483000)
	h.pass(window / 2)
	_, err := l.Extend(t.Context(), was.Last)
	require.ErrorContains(t, err, "1264")
	require.EqualValues(t, 2147483000, h.row(0).High)
	var mode string
	h.db.SetMaxOpenConns(1)
	require.NoError(t, h.db.Get(&mode, "SELECT @@SESSION.sql_mode"))
	require.Empty(t, mode, "it is set back")
}

// DurableStore is not taken at its word where the server says otherwise.
func TestDurableStoreIsLookedAt(t *testing.T) {
	attempt := func(t *testing.T, db *sqlx.DB, unverified bool) error {
		l, err := worker.NewLease(db, worker.LeaseConfig{DurableStore: true, DurableStoreUnverified: unverified, Logger: (&records{}).logger()})
		require.NoError(t, err)
		if _, err = l.Acquire(t.Context(), millis(1023)); err == nil {
			err = l.Release(t.Context(), -1)
		}
		return err
	}
	refused := func(t *testing.T, db *sqlx.DB, why string) {
		t.Helper()
		err := attempt(t, db, false)
		require.ErrorIs(t, err, uid.ErrConfig)
		require.ErrorContains(t, err, why)
		require.NoError(t, attempt(t, db, true))
	}
	t.Run("MySQL", func(t *testing.T) {
		server := testserver.New(t, testserver.Config{Durable: true})
		db := server.Open(t, server.NewDatabase(t))
		require.NoError(t, newRegistry(t, db).Init(t.Context(), worker.Namespace{Terms: millis(1023)}))
		require.NoError(t, attempt(t, db, false))
		do(t, db, "SET GLOBAL innodb_flush_log_at_trx_commit = 2")
		refused(t, db, "innodb_flush_log_at_trx_commit is 2, not 1")
	})
	t.Run("binary log", func(t *testing.T) {
		pair := testserver.NewPair(t, testserver.Config{Durable: true})
		db := pair.Primary.Open(t, pair.Primary.NewDatabase(t))
		require.NoError(t, newRegistry(t, db).Init(t.Context(), worker.Namespace{Terms: millis(1023)}))
		do(t, db, "SET GLOBAL sync_binlog = 0")
		refused(t, db, "sync_binlog is 0, not 1")
		do(t, db, "SET GLOBAL sync_binlog = 1")
		refused(t, db, "1 replicas are connected without semi-synchronous replication")
	})
	t.Run("Galera", func(t *testing.T) {
		const provider = "/usr/lib/galera/libgalera_smm.so" // which mariadb-server of Debian depends on
		if _, err := os.Stat(provider); err != nil {
			t.Skip("no Galera on this machine: ", err)
		}
		server := testserver.New(t, testserver.Config{Durable: true, Args: []string{"--loose-wsrep-on=ON", "--loose-wsrep-provider=" + provider,
			"--loose-wsrep-cluster-address=gcomm://", "--loose-wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:0",
			"--loose-wsrep-node-address=127.0.0.1", "--binlog-format=ROW"}})
		db := server.Open(t, server.NewDatabase(t))
		require.NoError(t, newRegistry(t, db).Init(t.Context(), worker.Namespace{Terms: millis(1023)}))
		refused(t, db, "it is a node of a Galera cluster")
	})
	t.Run("SQLite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "uid.db")
		good := store{"sqlite", path}.open(t)
		require.NoError(t, newRegistry(t, good).Init(t.Context(), worker.Namespace{Terms: millis(1023)}))
		require.NoError(t, attempt(t, good, false))
		lax, err := sqlx.Open("sqlite", "file:"+path+"?_synchronous=NORMAL&_txlock=immediate&_busy_timeout=10000")
		require.NoError(t, err)
		defer lax.Close()
		refused(t, lax, "synchronous is NORMAL")
	})
}

// One way in which a server can lose commits each.
func TestLossySettings(t *testing.T) {
	durable := map[string]string{"innodb_flush_log_at_trx_commit": "1", "log_bin": "ON", "sync_binlog": "1", "wsrep_on": "OFF"}
	quiet := map[string]string{"slaves_connected": "0"}
	require.Empty(t, worker.LossySettings(durable, quiet))
	require.Empty(t, worker.LossySettings(nil, nil), "a server that tells nothing")
	for _, c := range []struct {
		vars, status map[string]string
		says         string
	}{
		{map[string]string{"innodb_flush_log_at_trx_commit": "0"}, nil, "innodb_flush_log_at_trx_commit is 0, not 1"},
		{map[string]string{"sync_binlog": "100"}, nil, "sync_binlog is 100, not 1, and there is a binary log"},
		{map[string]string{"sync_binlog": "0", "log_bin": "OFF"}, nil, ""},
		{map[string]string{"wsrep_on": "ON"}, nil, "Galera"},
		{nil, map[string]string{"slaves_connected": "2"}, "2 replicas"},
		{nil, map[string]string{"slaves_connected": "2", "rpl_semi_sync_master_status": "ON"}, ""},
		{nil, map[string]string{"replicas_connected": "1", "rpl_semi_sync_source_status": "OFF"}, "1 replicas"},
	} {
		vars, status := map[string]string{}, map[string]string{}
		for _, m := range []map[string]string{durable, c.vars} {
			for k, v := range m {
				vars[k] = v
			}
		}
		for k, v := range c.status {
			status[k] = v
		}
		why := worker.LossySettings(vars, status)
		if c.says == "" {
			require.Empty(t, why)
			continue
		}
		require.Len(t, why, 1)
		require.Contains(t, why[0], c.says)
	}
}

// A name is stored and found alike under every charset that a connection can have.
func TestNamespaceUnderEveryCharset(t *testing.T) {
	s := newMySQL(t)
	h := newHouse(t, s)
	var name strings.Builder
	for c := '!'; c <= '~'; c++ {
		if _, err := worker.NewLease(h.db, worker.LeaseConfig{Namespace: string(c)}); err == nil {
			name.WriteRune(c)
		}
	}
	require.Greater(t, name.Len(), 80)
	names := []string{name.String()[:64], name.String()[20:]}
	for _, n := range names {
		h.init("", worker.Namespace{Name: n, Terms: millis(1023)})
	}
	var charsets []string
	require.NoError(t, h.db.Select(&charsets, "SELECT CHARACTER_SET_NAME FROM information_schema.CHARACTER_SETS ORDER BY 1"))
	require.Contains(t, charsets, "gbk")
	tried := 0
	for _, charset := range charsets {
		if _, err := h.db.Exec("SET NAMES " + charset); err != nil {
			continue // no client can have it
		}
		tried++
		db := s.with(t, func(c *mysql.Config) { c.Params = map[string]string{"charset": charset} }).open(t)
		for _, n := range names {
			l, err := worker.NewLease(db, h.config(worker.LeaseConfig{Namespace: n, DurableStore: true}))
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			_, err = l.Acquire(ctx, millis(1023))
			cancel()
			require.NoError(t, err, charset)
		}
	}
	require.Greater(t, tried, 30)
	var namespaces, ids int
	require.NoError(t, h.db.QueryRow("SELECT COUNT(DISTINCT NAMESPACE), COUNT(*) FROM WORKER_LEASE WHERE WORKER_ID >= 0").Scan(&namespaces, &ids))
	require.Equal(t, 2, namespaces)
	require.Equal(t, 2*tried, ids)
}
