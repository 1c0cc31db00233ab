package databases_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
)

// What the other tests check on MariaDB.
func TestCheckMySQL9(t *testing.T) {
	engines.Needs(t, "mysql9")
	s, err := cluster.StartMySQL9("check", "--innodb-flush-log-at-trx-commit=1", "--sync-binlog=1")
	cluster.For(t, s, err)
	all := store{Driver: "mysql", Source: s.Source(s.Addr(0))}
	admin := all.Open(t)
	with := func(grants ...string) findings {
		t.Helper()
		return checked(t, granted(t, all, grants...), doctor.Config{MaxWorkerID: 1000})
	}

	m := checked(t, admin, doctor.Config{})
	require.Equal(t, carefulServer, m.levels(), "%+v", m)
	require.Contains(t, m["server"].Value, "MySQL")
	both(t, admin)

	m = with(append(needed, "GRANT REPLICATION CLIENT, REPLICATION SLAVE ON *.* TO @")...)
	require.Equal(t, badness{"spaces of worker IDs": doctor.LevelNote}, m.levels(), "%+v", m)
	require.Equal(t, "1 rows, largest ID 1, next ID 2, of 1000", m["disposable IDs"].Value)
	require.Equal(t, "no", m["replica"].Value)

	// An account that may see nothing of the server is told what it does not see.
	m = with(needed...)
	for what, level := range m.levels() {
		require.Equal(t, doctor.LevelNote, level, "%+v", m[what])
	}
	require.Equal(t, "could not be told", m["replica"].Value)

	m = with(needed[0])
	require.Equal(t, doctor.LevelError, m["leased IDs"].Level)
	require.Equal(t, doctor.LevelOK, m["grants"].Level, "it knows of one table only: %+v", m["grants"])

	engines.Do(t, admin, "SET GLOBAL innodb_flush_log_at_trx_commit = 2", "SET GLOBAL sync_binlog = 0")
	m = checked(t, admin, doctor.Config{})
	require.Equal(t, doctor.LevelError, m["innodb_flush_log_at_trx_commit"].Level)
	require.Equal(t, doctor.LevelError, m["sync_binlog"].Level)
}

func TestCheckMySQL9Pair(t *testing.T) {
	engines.Needs(t, "mysql9")
	p, err := cluster.StartMySQL9Pair("check")
	cluster.For(t, p, err)
	of := func() findings { return checked(t, opening(t, "mysql", p.MySQL().Source(p.Addr())), doctor.Config{}) }
	both(t, opening(t, "mysql", p.MySQL().Source(p.Addr())))
	require.NoError(t, p.CatchUp())
	m := comes(t, of, "replication", doctor.LevelWarn, "1 connected, asynchronous")
	require.Equal(t, "no", m["replica"].Value)
	require.NoError(t, p.Failover())
	m = of()
	require.Equal(t, "no", m["replica"].Value)
	require.Equal(t, "yes", m["writable"].Value)
}
