package databases_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/sqlstore"
)

// startDisposable is a start of a process with a disposable ID.
func startDisposable(t *testing.T, db *sqlx.DB, unverified bool) error {
	t.Helper()
	d := must(disposable.New(tablesOf(db, sqlstore.Config{}).Numbers(),
		disposable.Config{Host: "h", DurableStoreUnverified: unverified, Logger: quiet()}))
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
		for _, unverified := range []bool{false, true} {
			logtest.Error(t, startDisposable(t, db, unverified), uid.ErrConfig,
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
	for _, unverified := range []bool{false, true} {
		require.ErrorContains(t, startDisposable(t, alone, unverified),
			"wsrep_on: OFF, at a node of a Galera cluster")
	}
	_, err := segmentsOf(alone).Inspect(t.Context())
	require.ErrorIs(t, err, uid.ErrConfig)
	_, err = strangerOf(alone, "").Inspect(t.Context())
	logtest.Error(t, err, uid.ErrConfig,
		"wsrep_on: OFF, at a node of a Galera cluster. What is written stays on this node")
	require.Equal(t, doctor.LevelError, checked(t, alone, doctor.Config{})["wsrep_on"].Level)
	require.NotContains(t, checked(t, together, doctor.Config{}), "wsrep_on")
}
