package engines_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/test/engines/cluster"
)

// What test/databases checks on MariaDB, and settings of sessions on both.
func TestCheckMySQL9(t *testing.T) {
	s, err := cluster.StartMySQL9("check", "--innodb-flush-log-at-trx-commit=1", "--sync-binlog=1")
	cluster.For(t, s, err)
	source := s.Source(s.Addr(0))
	admin := openSQL(t, "mysql", source)
	as := func(user string, rights ...string) findings {
		t.Helper()
		do(t, admin, "CREATE USER '"+user+"'@'%' IDENTIFIED BY 'hunter2'")
		for _, r := range rights {
			do(t, admin, "GRANT "+r+" TO '"+user+"'@'%'")
		}
		db := openSQL(t, "mysql", strings.Replace(source, "root@", user+":hunter2@", 1))
		return checked(t, examinedSQL(t, db), doctor.Config{MaxWorkerID: 1000})
	}

	m := checked(t, examinedSQL(t, admin), doctor.Config{})
	require.Equal(t, badness{"disposable IDs": doctor.LevelNote, "leased IDs": doctor.LevelNote, "grants": doctor.LevelWarn}, m.levels(), "%+v", m)
	require.Contains(t, m["server"].Value, "MySQL")
	used(t, examinedSQL(t, admin))

	exact := []string{"SELECT, INSERT ON uid.WORKER_NODE", "SELECT, INSERT, UPDATE ON uid.WORKER_LEASE"}
	m = as("all", append(exact, "REPLICATION CLIENT, REPLICATION SLAVE ON *.*")...)
	require.Equal(t, badness{"spaces of worker IDs": doctor.LevelNote}, m.levels(), "%+v", m)
	require.Equal(t, "1 rows, largest ID 1, next ID 2, of 1000", m["disposable IDs"].Value)
	require.Equal(t, "no", m["replica"].Value)

	// An account that may see nothing of the server is told what it does not see.
	m = as("few", exact...)
	for what, level := range m.levels() {
		require.Equal(t, doctor.LevelNote, level, "%+v", m[what])
	}
	require.Equal(t, "could not be told", m["replica"].Value)

	m = as("none", exact[0])
	require.Equal(t, doctor.LevelError, m["leased IDs"].Level)
	require.Equal(t, doctor.LevelOK, m["grants"].Level, "it knows of one table only: %+v", m["grants"])

	do(t, admin, "SET GLOBAL innodb_flush_log_at_trx_commit = 2", "SET GLOBAL sync_binlog = 0")
	m = checked(t, examinedSQL(t, admin), doctor.Config{})
	require.Equal(t, doctor.LevelError, m["innodb_flush_log_at_trx_commit"].Level)
	require.Equal(t, doctor.LevelError, m["sync_binlog"].Level)
}

func TestCheckMySQLPair(t *testing.T) {
	for kind, start := range map[string]func(string, ...string) (*cluster.Pair, error){
		"MariaDB": cluster.StartMariaDBPair, "MySQL 9": cluster.StartMySQL9Pair,
	} {
		t.Run(kind, func(t *testing.T) {
			p, err := start("check")
			cluster.For(t, p, err)
			open := func(addr string) *sqlx.DB { return openSQL(t, "mysql", (*cluster.MySQL)(nil).Source(addr)) }
			of := func(addr string) findings { return checked(t, examinedSQL(t, open(addr)), doctor.Config{}) }
			primary := p.Addr()
			used(t, examinedSQL(t, open(primary)))
			require.NoError(t, p.CatchUp())
			var m findings
			require.Eventually(t, func() bool {
				m = of(primary)
				return m["replication"].Value == "1 connected, asynchronous"
			}, time.Minute, 50*time.Millisecond)
			require.Equal(t, doctor.LevelWarn, m["replication"].Level)
			require.Equal(t, "no", m["replica"].Value)
			require.NoError(t, p.Failover())
			m = of(p.Addr())
			require.Equal(t, "no", m["replica"].Value)
			require.Equal(t, "yes", m["writable"].Value)
			require.NoError(t, p.Rejoin())
			require.NoError(t, p.CatchUp())
		})
	}
}
