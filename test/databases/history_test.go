package databases_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
	"github.com/uidgen/uid/worker/statefile"
)

// historyOf returns the history that a store tells. A server that was started but now has none yet, or is not there.
func historyOf(t testing.TB, s lease.Store) (history string) {
	t.Helper()
	read := func(_ *storage.Namespace, _ *storage.Lease, now storage.Clock) error {
		history = now.History
		return errLost
	}
	require.Eventually(t, func() bool {
		if err := s.Change(t.Context(), 0, read); history != "" || !retry.IsTransient(err) {
			require.ErrorIs(t, err, errLost)
		}
		return history != ""
	}, time.Minute, 10*time.Millisecond)
	require.LessOrEqual(t, len(history), storage.MostHistory)
	return history
}

// What a store remembers of its table is the same for all clients and at all times, and another thing
// once the table was renamed there and back, put back from a copy, or altered.
func TestHistoryOfATable(t *testing.T) {
	each(t, anywhere, func(t *testing.T, s store, db *sqlx.DB) {
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
		decide := func(n *storage.Namespace, r *storage.Lease, now storage.Clock) error {
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
			found := func(n *storage.Namespace, now storage.Clock) error { return decide(n, nil, now) }
			err = owner.Init(t.Context(), found)
		default:
			err = owner.Change(t.Context(), 0, decide)
		}
		require.Equal(t, 2, runs, changes)
		if changes != "take" { // that may choose another row, and write it under the history that is there now
			require.ErrorContains(t, err, "ran on another server", changes)
		}
	}
}

// A namespace that a Change leaves alone others may write meanwhile.
func TestChangeOfTheNamespace(t *testing.T) {
	t.Parallel()
	db := engines.NewMySQL(t).Open(t) // a SQLite file is locked meanwhile
	owner := ownerOf(t, db)
	runs := 0
	once := func(_ *storage.Namespace, r *storage.Lease, now storage.Clock) error {
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
	each(t, notPostgres, func(t *testing.T, _ store, db *sqlx.DB) {
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

// A session that cannot learn when its server was started knows no history, nor does one in the server's first two
// seconds.
func TestHistoryOfASession(t *testing.T) {
	t.Parallel()
	if !engines.Asked("mysql") {
		t.Skip("no MariaDB")
	}
	db := engines.NewMySQL(t).Open(t)
	tenantOf(t, db)
	conn := must(db.Connx(t.Context()))
	defer conn.Close()
	history := func(set string) string {
		must(conn.ExecContext(t.Context(), set))
		var o database.Origin
		query := "SELECT " + database.MySQL.OriginColumns("WORKER_LEASE")
		require.NoError(t, conn.QueryRowContext(t.Context(), query).Scan(o.Fields()...))
		return o.History()
	}
	const since = ", @uid_since = ' since some time'"
	require.NotEmpty(t, history("SET TIMESTAMP = 1800000000, @uid_started = 1799999998"+since))
	require.Empty(t, history("SET @uid_started = 1799999999"+since))
	require.Empty(t, history("SET @uid_started = 0"+since))
}

// What PostgreSQL remembers of the table besides: it is another thing after each start, after a process was
// killed, which starts all others anew and loses what was not flushed yet, and once the table was
// emptied, or another schema has taken the place of its own. (For a copy of the database see test/promise.) What
// VACUUM, ANALYZE and an index do does not change it.
func TestHistoryOnPostgres(t *testing.T) {
	s := postgres(t)
	db := opening(t, "pgx", s.URL(s.Addr(0)))
	owner := ownerOf(t, db)
	history := historyOf(t, owner)
	t.Log(history)
	for what, c := range map[string]struct {
		moves bool
		do    func()
	}{
		"upkeep": {false, func() {
			engines.Do(t, db, "VACUUM ANALYZE worker_lease", "CREATE INDEX i ON worker_lease (high)",
				"VACUUM (FREEZE)", "CREATE TABLE other (n INT)", "DROP TABLE other")
		}},
		"a schema renamed there and back": {true, func() {
			engines.Do(t, db, "ALTER SCHEMA public RENAME TO away", "ALTER SCHEMA away RENAME TO public")
		}},
		"emptied and filled": {true, func() {
			engines.Do(t, db, "CREATE TABLE kept AS SELECT * FROM worker_lease", "TRUNCATE worker_lease",
				"INSERT INTO worker_lease SELECT * FROM kept", "DROP TABLE kept")
		}},
		"stopped": {true, func() { require.NoError(t, s.Stop()); require.NoError(t, s.Restart()) }},
		"killed":  {true, func() { s.Kill(); require.NoError(t, s.Restart()) }},
		"a process killed": {true, func() {
			conn, err := db.Connx(t.Context())
			require.NoError(t, err)
			defer conn.Close()
			other, err := db.Connx(t.Context())
			require.NoError(t, err)
			defer other.Close()
			var pid int
			require.NoError(t, conn.GetContext(t.Context(), &pid, "SELECT pg_backend_pid()"))
			began := func() string { return one[string](t, db, "SELECT pg_postmaster_start_time()::text") }
			before := began()
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			for err == nil { // until the server has ended the others, too
				_, err = other.ExecContext(t.Context(), "SELECT 1")
			}
			historyOf(t, owner)
			require.Equal(t, before, began(), "the server itself goes on")
		}},
	} {
		c.do()
		now := historyOf(t, owner)
		require.Equal(t, c.moves, now != history, "%s: %s", what, now)
		require.Equal(t, now, historyOf(t, owner))
		history = now
	}
	// A program with no other right than on the table sees all of it.
	engines.Do(t, db, "CREATE ROLE app LOGIN", "GRANT SELECT, INSERT, UPDATE ON worker_lease TO app")
	history = historyOf(t, owner) // for nothing: a GRANT is a change of the table
	app := opening(t, "pgx", s.URL(s.Addr(0))+"&user=app")
	require.Equal(t, "app", one[string](t, app, "SELECT current_user"))
	other := strangerOf(app, "")
	other.row, other.nonces = owner.row, owner.nonces
	require.Equal(t, history, historyOf(t, other))
	require.NoError(t, other.renew(t.Context()))
}

// elsewhere makes copies of the tables in a schema that comes earlier in the search path: the account's.
func elsewhere(t *testing.T, db *sqlx.DB, tables ...string) {
	t.Helper()
	engines.Do(t, db, "CREATE SCHEMA uid")
	for _, table := range tables {
		engines.Do(t, db, "CREATE TABLE uid."+table+" (LIKE public."+table+" INCLUDING ALL)",
			"INSERT INTO uid."+table+" SELECT * FROM public."+table)
	}
}

// A table of the same name in a schema that comes earlier is another place. Who has used the first one
// does not go on in it: not in this process, and not with its state file.
func TestTableInAnEarlierSchema(t *testing.T) {
	db := engines.NewPostgres(t).Open(t)
	tenantOf(t, db)
	t.Run("a state file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "state")
		start := func() (uid.Reservation, uid.Worker, error) {
			cfg := lease.Config{Losses: lease.NeverUnchecked, Logger: quiet()}
			leased := must(lease.New(strangerOf(db, "").Store, cfg))
			l := must(statefile.OnLease(leased, path, statefile.Config{Host: "h", Logger: quiet()}))
			r, err := l.Acquire(t.Context(), millis(1023))
			return r, l, err
		}
		first, l, err := start()
		require.NoError(t, err)
		require.NoError(t, l.Release(t.Context(), first.First))
		stored := func() string {
			return one[string](t, db, "SELECT string_agg(CAST(w AS TEXT), ' ' ORDER BY worker_id) FROM worker_lease w")
		}
		elsewhere(t, db, "worker_lease")
		before := stored()
		_, _, err = start()
		logtest.Error(t, err, worker.ErrState,
			"finds table worker_lease in the schema uid now, and has found it in public before")
		require.Equal(t, before, stored())
		engines.Do(t, db, "DROP SCHEMA uid CASCADE")
		again, l, err := start()
		require.NoError(t, err)
		require.Equal(t, first.WorkerID, again.WorkerID)
		require.NoError(t, l.Release(t.Context(), again.First))
	})
	t.Run("of a process that runs", func(t *testing.T) {
		owner := strangerOf(db, "")
		owner.take(t)
		draw(t, owner.segments, "orders")
		elsewhere(t, db, "worker_lease", "leaf_alloc", "leaf_alloc_takers")
		for name, write := range owner.writes(t.Context()) {
			require.ErrorIs(t, write(nil), worker.ErrState, name)
		}
		err := tryDraw(t.Context(), owner.segments, "orders")
		require.ErrorContains(t, err, "finds table leaf_alloc in the schema uid now")
		strangerOf(db, "").take(t) // who has not used the other one begins here
		engines.Do(t, db, "DROP SCHEMA uid CASCADE")
		require.NoError(t, owner.renew(t.Context()))
	})
}

// A copy of a SQLite file is copied over it, under running owners.
func TestFileCopiedBack(t *testing.T) {
	t.Parallel()
	engines.Needs(t, "sqlite")
	s := engines.NewSQLite(t)
	engines.PutBack{
		Store: func() lease.Store { return must(tablesOf(s.Open(t), sqlstore.Config{}).Leases("")) },
		Keep: func() (back func()) {
			kept := must(os.ReadFile(s.Source))
			return func() { require.NoError(t, os.WriteFile(s.Source, kept, 0o600)) }
		},
	}.Play(t)
}

// All rows of a table are deleted, the namespace's too, and put back.
func TestRowsPutBack(t *testing.T) {
	t.Parallel()
	engines.Needs(t, "mysql")
	s := engines.NewMySQL(t)
	db := s.Open(t)
	engines.PutBack{
		Store: func() lease.Store { return must(tablesOf(s.Open(t), sqlstore.Config{}).Leases("")) },
		Keep: func() (back func()) {
			engines.Do(t, db, "CREATE TABLE KEPT AS SELECT * FROM WORKER_LEASE")
			return func() { engines.Do(t, db, "REPLACE INTO WORKER_LEASE SELECT * FROM KEPT") }
		},
		Empty: func() { engines.Do(t, db, "DELETE FROM WORKER_LEASE") },
	}.Play(t)
}
