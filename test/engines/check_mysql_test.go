package engines_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/doctor"
)

// mysqlKinds start a server of each kind that speaks MySQL.
var mysqlKinds = map[string]struct {
	start func(name string, options ...string) (*cluster.MySQL, error)
	pair  func(name string, options ...string) (*cluster.Pair, error)
	// report is the right that lets an account see the replication.
	report string
}{
	"MariaDB": {cluster.StartMariaDB, cluster.StartMariaDBPair, "REPLICA MONITOR"},
	"MySQL 9": {cluster.StartMySQL9, cluster.StartMySQL9Pair, "REPLICATION CLIENT, REPLICATION SLAVE"},
}

func openMySQL(t *testing.T, source string, change func(*mysql.Config)) *sqlx.DB {
	t.Helper()
	cfg, err := mysql.ParseDSN(source)
	require.NoError(t, err)
	change(cfg)
	return openSQL(t, "mysql", cfg.FormatDSN())
}

func TestCheckMySQL(t *testing.T) {
	for kind, k := range mysqlKinds {
		t.Run(kind, func(t *testing.T) {
			s, err := k.start("check", "--innodb-flush-log-at-trx-commit=1", "--sync-binlog=1")
			cluster.For(t, s, err)
			version, err := s.Version()
			require.NoError(t, err)
			t.Log(kind, version)
			source := s.Source(s.Addr(0))
			admin := openSQL(t, "mysql", source)
			as := func(user string, rights ...string) *sqlx.DB {
				t.Helper()
				do(t, admin, "CREATE USER '"+user+"'@'%' IDENTIFIED BY 'hunter2'")
				for _, r := range rights {
					do(t, admin, "GRANT "+r+" TO '"+user+"'@'%'")
				}
				return openMySQL(t, source, func(c *mysql.Config) { c.User, c.Passwd = user, "hunter2" })
			}

			m := checked(t, examinedSQL(t, admin), doctor.Config{})
			require.Equal(t, badness{"disposable IDs": doctor.LevelNote, "leased IDs": doctor.LevelNote, "grants": doctor.LevelWarn}, m.levels(), "%+v", m)
			require.Contains(t, m["server"].Value, strings.Fields(kind)[0])
			used(t, examinedSQL(t, admin))

			exact := []string{"SELECT, INSERT ON uid.WORKER_NODE", "SELECT, INSERT, UPDATE ON uid.WORKER_LEASE"}
			m = checked(t, examinedSQL(t, as("all", append(exact, k.report+" ON *.*")...)), doctor.Config{MaxWorkerID: 1000})
			require.Equal(t, badness{"spaces of worker IDs": doctor.LevelNote}, m.levels(), "%+v", m)
			require.Equal(t, "1 rows, largest ID 1, next ID 2, of 1000", m["disposable IDs"].Value)
			require.Equal(t, "no", m["replica"].Value)

			// An account that may see nothing of the server is told what it does not see.
			m = checked(t, examinedSQL(t, as("few", exact...)), doctor.Config{})
			for what, level := range m.levels() {
				require.Equal(t, doctor.LevelNote, level, "%+v", m[what])
			}
			require.Equal(t, "could not be told", m["replica"].Value)

			m = checked(t, examinedSQL(t, as("none", exact[0])), doctor.Config{})
			require.Equal(t, doctor.LevelError, m["leased IDs"].Level)
			require.Equal(t, doctor.LevelOK, m["grants"].Level, "it knows of one table only: %+v", m["grants"])

			isolation, readOnly := "tx_isolation", "tx_read_only"
			if kind != "MariaDB" {
				isolation, readOnly = "transaction_isolation", "transaction_read_only"
			}
			for _, tt := range []struct {
				params map[string]string
				what   string
				want   doctor.Level
				value  string
			}{
				{map[string]string{isolation: "'SERIALIZABLE'"}, "isolation", doctor.LevelNote, "SERIALIZABLE"},
				{map[string]string{"auto_increment_increment": "7"}, "auto_increment_increment", doctor.LevelWarn, "7, offset 1"},
				{map[string]string{readOnly: "1"}, "writable", doctor.LevelError, readOnly + " is on"},
				{map[string]string{"timestamp": "1000000000"}, "clocks", doctor.LevelError, "the store's is -"},
			} {
				db := openMySQL(t, source, func(c *mysql.Config) { c.Params = tt.params })
				f := checked(t, examinedSQL(t, db), doctor.Config{})[tt.what]
				require.Equal(t, tt.want, f.Level, "%+v", f)
				require.Contains(t, f.Value, tt.value)
			}

			do(t, admin, "SET GLOBAL innodb_flush_log_at_trx_commit = 2", "SET GLOBAL sync_binlog = 0")
			m = checked(t, examinedSQL(t, admin), doctor.Config{})
			require.Equal(t, doctor.LevelError, m["innodb_flush_log_at_trx_commit"].Level)
			if kind != "MariaDB" { // which has no binary log unless told
				require.Equal(t, doctor.LevelError, m["sync_binlog"].Level)
			}
		})
	}
}

func TestCheckMySQLPair(t *testing.T) {
	for kind, k := range mysqlKinds {
		t.Run(kind, func(t *testing.T) {
			p, err := k.pair("check")
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
