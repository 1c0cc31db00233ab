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
	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// historyOf returns the history that a store tells. A server that was started but now has none yet, or is not there.
func historyOf(t testing.TB, s lease.Store) (history string) {
	t.Helper()
	read := func(_ *leasestore.Namespace, _ *leasestore.Row, now leasestore.Clock) error {
		history = now.History
		return errLost
	}
	require.Eventually(t, func() bool {
		if err := s.Change(t.Context(), 0, read); history != "" || !retry.IsTransient(err) {
			require.ErrorIs(t, err, errLost)
		}
		return history != ""
	}, time.Minute, 10*time.Millisecond)
	require.LessOrEqual(t, len(history), leasestore.MostHistory)
	return history
}

// What a store remembers of its table is the same for all clients and at all times, and another thing
// once the table was renamed there and back, put back from a copy, or altered.
func TestHistoryOfATable(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, s store, db *sqlx.DB) {
		owner := tenantOf(t, db)
		untilOld(t, db)
		history := historyOf(t, owner)
		t.Log(history)
		stays := func() {
			t.Helper()
			require.Equal(t, history, historyOf(t, owner))
			require.Equal(t, history, historyOf(t, strangerOf(s.Open(t), "")))
			if s.Driver == "mysql" && isMariaDB(t, s) {
				for _, mode := range []string{
					"''", "'ORACLE'", "'PIPES_AS_CONCAT,ANSI_QUOTES'", "'NO_BACKSLASH_ESCAPES,EMPTY_STRING_IS_NULL'",
				} {
					in := s.With(t, func(c *mysql.Config) { c.Params = map[string]string{"sql_mode": mode} })
					require.Equal(t, history, historyOf(t, strangerOf(in.Open(t), "")), mode)
				}
			}
		}
		moves := func(statements ...string) {
			t.Helper()
			untilOld(t, db) // a table's time is in whole seconds
			engines.Do(t, db, statements...)
			now := historyOf(t, owner)
			require.NotEqual(t, history, now, statements)
			history = now
			stays()
		}
		stays()
		owner.take(t)
		require.NoError(t, owner.renew(t.Context()))
		engines.Do(t, db, "UPDATE WORKER_LEASE SET HIGH = HIGH + 1")
		stays()
		if !engines.Asked("mysql9") { // where a table is as old under another name
			moves("ALTER TABLE WORKER_LEASE RENAME TO AWAY", "ALTER TABLE AWAY RENAME TO WORKER_LEASE")
		}
		moves("ALTER TABLE WORKER_LEASE ADD COLUMN MORE INT")
		moves("CREATE TABLE BACKUP AS SELECT * FROM WORKER_LEASE", "DROP TABLE WORKER_LEASE",
			createTable(db, "WORKER_LEASE"), "INSERT INTO WORKER_LEASE SELECT "+leaseColumns+" FROM BACKUP")
	})
}

// untilOld waits until the clock shows another second than that in which a table was made.
func untilOld(t testing.TB, db *sqlx.DB) {
	t.Helper()
	if db.DriverName() == "mysql" {
		engines.Do(t, db, "DO SLEEP(1 - MICROSECOND(NOW(6)) / 1000000 + 0.01)")
	}
}

// What was decided under one history is not written under another, and neither is what goes with it.
func TestDecidedUnderAnotherHistory(t *testing.T) {
	t.Parallel()
	s := engines.NewMySQL(t) // a SQLite file is locked meanwhile
	db := s.Open(t)
	owner := ownerOf(t, db)
	untilOld(t, db)
	for _, changes := range []string{"row", "both", "take", "grow", "init"} {
		engines.Do(t, db, "UPDATE WORKER_LEASE SET LEASE_UNTIL = 0 WHERE WORKER_ID > 0")
		if changes == "grow" {
			engines.Do(t, db, "UPDATE WORKER_LEASE SET LEASE_UNTIL = 9999999999999999 WHERE WORKER_ID >= 0")
		}
		runs := 0
		decide := func(n *leasestore.Namespace, r *leasestore.Row, now leasestore.Clock) error {
			if runs++; runs == 1 {
				untilOld(t, db)
				engines.Do(t, db, "ALTER TABLE WORKER_LEASE FORCE") // which makes it anew
			}
			if changes == "both" || changes == "init" {
				n.Floor++
			}
			if r != nil {
				owner.write(r, now)
			}
			return nil
		}
		var err error
		switch changes {
		case "take", "grow":
			err = owner.Take(t.Context(), wanted, decide)
		case "init":
			found := func(n *leasestore.Namespace, now leasestore.Clock) error { return decide(n, nil, now) }
			err = owner.Init(t.Context(), found)
		default:
			err = owner.Change(t.Context(), 0, decide)
		}
		require.Equal(t, 2, runs, changes)
		if changes != "take" { // that may choose another row, and write it under the history that is there now
			require.ErrorContains(t, err, "was carried out by another server", changes)
		}
	}
}

// A namespace that a Change leaves alone others may write meanwhile.
func TestChangeOfTheNamespace(t *testing.T) {
	t.Parallel()
	db := engines.NewMySQL(t).Open(t) // a SQLite file is locked meanwhile
	owner := ownerOf(t, db)
	runs := 0
	once := func(_ *leasestore.Namespace, r *leasestore.Row, now leasestore.Clock) error {
		runs++
		engines.Do(t, db, "UPDATE WORKER_LEASE SET HIGH = HIGH + 1 WHERE WORKER_ID = -1")
		owner.write(r, now)
		return nil
	}
	require.NoError(t, owner.Change(t.Context(), 0, once))
	require.Equal(t, 1, runs)
	require.Zero(t, rowIn(t, db, -1).High, "it is not written back")
}

// A server that was started anew, in good order or not, may have lost what it had acknowledged. It is another one
// even if its clock shows the second of a start before.
func TestHistoryOfAServer(t *testing.T) {
	t.Parallel()
	server := mariaDB(t)
	db := server.Open(t, server.NewDatabase(t))
	owner := tenantOf(t, db)
	since := func(history string) string { // the server may listen elsewhere now, too
		_, text, _ := strings.Cut(history, " since ")
		text, _, _ = strings.Cut(text, ",")
		return text
	}
	history, drawn := historyOf(t, owner), map[string]bool{}
	draws := func() { // the last word, of 16,384
		_, text, _ := strings.Cut(since(history), " ")
		require.Len(t, text, 4)
		drawn[text] = true
	}
	draws()
	for name, end := range map[string]func() error{
		"stopped": server.Stop,
		"killed":  func() error { server.Kill(); return nil },
	} {
		require.NoError(t, end(), name)
		require.NoError(t, server.Restart(), name)
		now := historyOf(t, owner)
		require.NotEqual(t, since(history), since(now), name)
		require.Equal(t, now, historyOf(t, owner), name)
		history = now
		draws()
	}
	require.Greater(t, len(drawn), 1)
}

// A replica that clients reach before it has applied all that it has received starts nobody, until that is stopped.
func TestStartOnAServerThatFollows(t *testing.T) {
	t.Parallel()
	pair := mariaDBPair(t)
	name := pair.MySQL().NewDatabase(t)
	tenantOf(t, pair.MySQL().Open(t, name))
	require.NoError(t, pair.CatchUp())
	db := pair.MySQLReplica().Open(t, name)
	engines.Do(t, db, "SET GLOBAL read_only = 0")
	for _, s := range []inspector{strangerOf(db, ""), tablesOf(db, sqlstore.Config{}).Numbers()} {
		_, err := s.Inspect(t.Context())
		require.ErrorContains(t, err, "applies what another one has written")
		require.True(t, retry.IsTransient(err))
	}
	inspected(t, must(tablesOf(db, sqlstore.Config{Follows: true}).Leases("")))
	engines.Do(t, db, "STOP SLAVE")
	inspected(t, strangerOf(db, ""))
}

// A SQLite file: another one in its place is refused as long as the database is open, and has another
// history for who opens it. What does not move is a condition of package sqlstore: the file itself
// moved away and back, and one that is overwritten with an older copy.
func TestHistoryOfAFile(t *testing.T) {
	t.Parallel()
	s := engines.NewSQLite(t)
	history := func() string {
		db := s.Open(t)
		defer db.Close() // or the number of a file that is removed stays in use
		return historyOf(t, strangerOf(db, ""))
	}
	db := s.Open(t)
	owner := ownerOf(t, db)
	before := history()
	require.Equal(t, before, historyOf(t, owner))
	require.NoError(t, db.Close())
	copied := must(os.ReadFile(s.Source))

	require.NoError(t, os.Rename(s.Source, s.Source+".away"))
	require.NoError(t, os.Rename(s.Source+".away", s.Source))
	require.Equal(t, before, history(), "moved away and back")
	require.NoError(t, os.WriteFile(s.Source, copied, 0o600))
	require.Equal(t, before, history(), "overwritten")
	backup := filepath.Join(t.TempDir(), "backup")
	require.NoError(t, os.WriteFile(backup, copied, 0o600))
	require.NoError(t, os.Rename(s.Source, s.Source+".away")) // whose inode is in use
	require.NoError(t, os.Rename(backup, s.Source))
	now := history()
	require.NotEqual(t, before, now, "replaced")
	for range 2 { // which gives the new file the number of the old one, on most file systems
		require.NoError(t, os.Remove(s.Source))
		require.NoError(t, os.WriteFile(s.Source, copied, 0o600))
		require.NotEqual(t, now, history(), "removed and copied")
		now = history()
	}
}

// What is committed in a SQLite file outlasts a start of the machine, whatever the program's connections wait for,
// unless they keep no file whole.
func TestHistoryOfAMachine(t *testing.T) {
	t.Parallel()
	s := engines.NewSQLite(t)
	ownerOf(t, s.Open(t))
	seen := map[string]bool{}
	for set, names := range map[string]bool{
		"synchronous = EXTRA": false, "synchronous = FULL": false, "synchronous = NORMAL": false,
		"synchronous = OFF": true, "journal_mode = MEMORY": true, "journal_mode = OFF": true,
	} {
		db := s.Open(t)
		db.SetMaxOpenConns(1)
		engines.Do(t, db, "PRAGMA "+set)
		name, _, _ := strings.Cut(set, " ")
		before := one[string](t, db, "PRAGMA "+name)
		history := historyOf(t, strangerOf(db, ""))
		require.Equal(t, names, strings.Contains(history, "machine started as "), set)
		require.Equal(t, before, one[string](t, db, "PRAGMA "+name), "it is put back")
		seen[history] = true
	}
	require.Len(t, seen, 2)
}

// A table of the version before is refused, with what to do; that version refuses a new one, since it
// names a column that is not there.
func TestTableOfAnOlderVersion(t *testing.T) {
	eachStore(t, func(t *testing.T, _ store, db *sqlx.DB) {
		owner := tenantOf(t, db)
		_, err := db.Exec("SELECT REACH FROM WORKER_LEASE")
		require.Error(t, err)
		engines.Do(t, db, "ALTER TABLE WORKER_LEASE DROP COLUMN HISTORY",
			"ALTER TABLE WORKER_LEASE ADD COLUMN REACH BIGINT NOT NULL DEFAULT 0")
		_, err = owner.Inspect(t.Context())
		logtest.Error(t, err, uid.ErrConfig, "no column HISTORY",
			"ALTER TABLE WORKER_LEASE ADD COLUMN HISTORY VARCHAR(190) NOT NULL DEFAULT ''")
		require.ErrorContains(t, owner.renew(t.Context()), "a column is missing: HISTORY")
		require.NotErrorIs(t, owner.renew(t.Context()), worker.ErrNoNamespace)
		engines.Do(t, db, "ALTER TABLE WORKER_LEASE ADD COLUMN HISTORY VARCHAR(190) NOT NULL DEFAULT ''",
			"ALTER TABLE WORKER_LEASE DROP COLUMN REACH")
		inspected(t, owner)
		owner.take(t)
	})
}
