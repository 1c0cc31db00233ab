package databases_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// eachJournal runs a test on a SQLite file with a rollback journal, and with a write-ahead
// log.
func eachJournal(t *testing.T, test func(t *testing.T, s store, mode string)) {
	for _, mode := range []string{"delete", "wal"} {
		t.Run(mode, func(t *testing.T) {
			s := engines.NewSQLite(t)
			setJournal(t, s, mode)
			test(t, s, mode)
		})
	}
}

func setJournal(t testing.TB, s store, mode string) {
	t.Helper()
	db := s.Open(t)
	require.Equal(t, mode, one[string](t, db, "PRAGMA journal_mode = "+mode))
	require.NoError(t, db.Close())
}

// sidecars are what SQLite keeps beside a file.
var sidecars = []string{"", "-journal", "-wal", "-shm"}

// moveAll renames a file and what is kept beside it.
func moveAll(t testing.TB, from, to string) {
	t.Helper()
	for _, end := range sidecars {
		if err := os.Rename(from+end, to+end); end == "" || !os.IsNotExist(err) {
			require.NoError(t, err)
		}
	}
}

func removeAll(t testing.TB, path string) {
	t.Helper()
	for _, end := range sidecars {
		if err := os.Remove(path + end); end == "" || !os.IsNotExist(err) {
			require.NoError(t, err)
		}
	}
}

// uses are the ways to use a file: as the owner, who renews, and as who takes numbers.
func (n *tenant) uses(t *testing.T) map[string]func() error {
	return map[string]func() error{
		"lease":    func() error { return n.renew(t.Context()) },
		"segments": func() error { return tryDraw(t.Context(), n.segments, "orders") },
	}
}

// usedFile is a file of which a tenant has an ID, a disposable one and numbers. A function is called when a transaction
// is committed.
func usedFile(t *testing.T, s store, committed *func()) (*sqlx.DB, *tenant) {
	t.Helper()
	db := hooked(t, s, committed)
	owner := ownerOf(t, db)
	acquire(t, db, asked{})
	draw(t, owner.segments, "orders")
	return db, owner
}

// Who uses a file that is not in its place any more, or not by one name, notices at the next use, and changes nothing
// in the file that is there. The owner of one that is right again goes on.
func TestSQLitePlace(t *testing.T) {
	t.Parallel()
	const gone = "no longer in its place"
	const place, unusable, another = "place of the file", "unusable", "another file is there"
	for how, c := range map[string]struct {
		harm func(t *testing.T, db *sqlx.DB, path string)
		undo func(t *testing.T, path string)
		says string
		what string // is found to be, if that is told
		is   string
		wal  bool // only with a write-ahead log
	}{
		"removed": {harm: func(t *testing.T, _ *sqlx.DB, path string) { removeAll(t, path) },
			says: gone, what: place, is: unusable},
		"moved": {harm: func(t *testing.T, _ *sqlx.DB, path string) { moveAll(t, path, path+".old") },
			says: gone, what: place, is: unusable},
		"folder moved": {harm: func(t *testing.T, _ *sqlx.DB, path string) {
			dir := filepath.Dir(path)
			require.NoError(t, os.Rename(dir, dir+".old"))
			require.NoError(t, os.Mkdir(dir, 0o700))
		}, says: gone, what: place, is: unusable},
		"empty one in its place": {harm: func(t *testing.T, _ *sqlx.DB, path string) {
			removeAll(t, path)
			require.NoError(t, os.WriteFile(path, nil, 0o600))
		}, says: gone, what: place, is: another},
		"copy in its place": {harm: func(t *testing.T, db *sqlx.DB, path string) { // which has the owner's row
			engines.Do(t, db, "VACUUM INTO '"+path+".copy'")
			moveAll(t, path, path+".old")
			moveAll(t, path+".copy", path)
		}, says: "another file is now"},
		"without its log":         {harm: remove("-wal"), wal: true},
		"without log and index":   {harm: remove("-wal", "-shm"), wal: true},
		"with a log, but removed": {harm: remove(""), wal: true},
		"two names": {
			harm: func(t *testing.T, _ *sqlx.DB, path string) { require.NoError(t, os.Link(path, path+".link")) },
			undo: func(t *testing.T, path string) { require.NoError(t, os.Remove(path+".link")) },
			says: "2 names", what: place, is: unusable,
		},
	} {
		t.Run(how, func(t *testing.T) {
			eachJournal(t, func(t *testing.T, s store, mode string) {
				if c.wal && mode != "wal" {
					return
				}
				s.Source = filepath.Join(filepath.Dir(s.Source), "in", "uid.db")
				require.NoError(t, os.Mkdir(filepath.Dir(s.Source), 0o700))
				setJournal(t, s, mode)
				db, owner := usedFile(t, s, &nothing)
				mine := owner.row
				m := checked(t, db, doctor.Config{})
				m.is(t, place, doctor.LevelOK, "found by its name")
				require.Equal(t, mode == "wal", m["journal_mode"].Level == doctor.LevelNote)
				c.harm(t, db, s.Source)
				if c.what != "" {
					m = checked(t, db, doctor.Config{})
					m.is(t, c.what, doctor.LevelError, c.is)
					require.NotContains(t, fmt.Sprint(m), s.Source)
				}
				there, before := db, ""
				if c.says == gone { // another one with its own rows is made there
					var theirs *tenant
					there, theirs = usedFile(t, s, &nothing)
					require.Equal(t, mine.WorkerID, theirs.row.WorkerID)
				}
				if !c.wal {
					before = content(t, there)
				}
				uses, rounds := owner.uses(t), 3
				if c.wal { // what comes next of a log that is gone is SQLite's
					delete(uses, "segments")
					rounds = 1
				}
				for range rounds {
					for use, call := range uses {
						err := call()
						require.ErrorIs(t, err, worker.ErrState, use)
						require.ErrorContains(t, err, c.says, use)
						require.NotContains(t, logtest.Texts(err), s.Source)
					}
				}
				require.Equal(t, mine, owner.row)
				if !c.wal {
					require.Equal(t, before, content(t, there), "nothing was written")
				}
				if c.undo != nil {
					c.undo(t, s.Source)
					for use, call := range uses {
						require.NoError(t, call(), use)
					}
				}
			})
		})
	}
}

var nothing = func() {}

// remove removes parts of a file.
func remove(ends ...string) func(*testing.T, *sqlx.DB, string) {
	return func(t *testing.T, _ *sqlx.DB, path string) {
		for _, end := range ends {
			require.NoError(t, os.Remove(path+end))
		}
	}
}

// What happens while a transaction runs is seen after it. Then it has happened, and the owner finds that out by the
// row.
func TestSQLiteFileIsLinkedMeanwhile(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, s store, mode string) {
		link := func() {}
		db, owner := usedFile(t, s, &link)
		mine := owner.row
		uses := owner.uses(t)
		uses["disposable"] = func() error { return tryID(t, db, asked{Timeout: time.Second}) }
		for use, call := range uses {
			before := content(t, db)
			link = func() { _ = os.Link(s.Source, s.Source+".link") }
			err := call()
			link = func() {}
			require.ErrorIs(t, err, worker.ErrState, use)
			require.ErrorContains(t, err, "2 names", use)
			require.NotEqual(t, before, content(t, db), "it was committed")
			require.NoError(t, os.Remove(s.Source+".link"))
		}
		require.Equal(t, mine, owner.row)
		for use, call := range uses {
			require.NoError(t, call(), use)
		}
	})
}

// A process that is started with a file of two names writes nothing, by either.
func TestSQLiteFileHasTwoNames(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, s store, mode string) {
		usedFile(t, s, &nothing)
		second := s.Source + ".link"
		require.NoError(t, os.Link(s.Source, second))
		for _, path := range []string{s.Source, second} {
			file := fileContent(path)
			out, err := harness.Command(job{Do: "start", Store: store{Driver: "sqlite", Source: path}}).Output()
			require.NoError(t, err, "%s", out)
			want := strings.Repeat("unusable: it has 2 names (hard links)\n", 4)
			require.Equal(t, want, string(out))
			require.True(t, file == fileContent(path), "nothing was written")
		}
	})
}

// tryAll says what comes of each way to use the file.
func tryAll(j job) error {
	ctx := context.Background()
	db := must(j.Store.Connect(ctx, nil))
	defer db.Close()
	tables := tablesOf(db, sqlstore.Config{Logger: quiet()})
	_, err := tables.Numbers().Next(ctx, storage.Host{Name: "h"}, 1023)
	fmt.Println(placeWords(err))
	_, err = (&tenant{Store: must(tables.Leases(""))}).tryTake(ctx)
	fmt.Println(placeWords(err))
	fmt.Println(placeWords(lease.Found(ctx, must(tables.Leases("new")), lease.Founding{Layout: milliseconds})))
	findings, err := doctor.Check(ctx, tables.Registry(), doctor.Config{})
	for _, f := range findings {
		if f.What == "place of the file" {
			fmt.Println(f.Value + strings.TrimPrefix(wordsOf(f.Why), "unusable"))
		}
	}
	return err
}

// placeWords is what an error says of the file's place, or all if that is nothing.
func placeWords(err error) any {
	if errors.Is(err, worker.ErrState) {
		return wordsOf(err.Error())
	}
	return err
}

// wordsOf is the first part of what a text says of the file's place.
func wordsOf(text string) string {
	_, words, found := strings.Cut(text, "unusable SQLite file: ")
	if words, _, _ = strings.Cut(words, ","); found {
		words = "unusable: " + words
	}
	return words
}

// fileContent reads a file in another process: to close it here would drop the locks that
// this one has on it.
func fileContent(path string) string {
	return string(must(exec.Command("cat", path).Output()))
}

// content is all that the tables of worker IDs hold.
func content(t testing.TB, db *sqlx.DB) string {
	t.Helper()
	all := one[string](t, db, `SELECT
		(SELECT group_concat(NAMESPACE || WORKER_ID || NONCE || HIGH) FROM WORKER_LEASE) ||
		(SELECT group_concat(ID || PORT) FROM WORKER_NODE)`)
	if countTables(t, db, "leaf_alloc") > 0 {
		all += fmt.Sprint(contentOfSegments(t, db))
	}
	return all
}

// hooked opens a store so that a function is called when a transaction is committed.
func hooked(t testing.TB, s store, committed *func()) *sqlx.DB {
	file := fileConnector{s.Open(t).Driver(), s.Source + "?_txlock=immediate"}
	f := &faults{Connector: file, pretence: &pretence{}, committed: committed}
	db := sqlx.NewDb(sql.OpenDB(f), "sqlite")
	t.Cleanup(func() { db.Close() })
	return db
}

// Connections of the pool may have a file open that was there before. A start that gets
// one writes where nobody looks, notices that, and gets a new one the next time.
func TestSQLiteConnectionIsStale(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, s store, mode string) {
		for name, start := range map[string]func(t *testing.T, db *sqlx.DB) error{
			"lease": func(t *testing.T, db *sqlx.DB) error {
				_, err := strangerOf(db, "").tryTake(t.Context())
				return err
			},
			"disposable": func(t *testing.T, db *sqlx.DB) error { return tryID(t, db, asked{}) },
			"segment": func(t *testing.T, db *sqlx.DB) error {
				return tryDraw(t.Context(), segmentsOf(db), "orders")
			},
		} {
			t.Run(name, func(t *testing.T) {
				s := store{Driver: s.Driver, Source: s.Source + name}
				setJournal(t, s, mode)
				db, _ := usedFile(t, s, &nothing)
				moveAll(t, s.Source, s.Source+".old")
				setJournal(t, s, mode)
				other, _ := usedFile(t, s, &nothing)

				before := content(t, other)
				require.ErrorIs(t, start(t, db), worker.ErrState)
				require.Equal(t, before, content(t, other))
				require.NoError(t, start(t, db))
				require.NotEqual(t, before, content(t, other))
			})
		}
	})
}

// A row that was written, and is another's by the time it is read back, was written.
func TestSQLiteRowIsAnothers(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, s store, mode string) {
		change := func() {}
		db, other := hooked(t, s, &change), s.Open(t)
		owner := tenantOf(t, db)
		mine := owner.take(t)
		draw(t, owner.segments, "orders")
		change = func() {
			engines.Do(t, other, "UPDATE WORKER_LEASE SET NONCE = 'another' WHERE WORKER_ID = 0",
				"UPDATE leaf_alloc_takers SET nonce = 'another'")
		}
		require.NoError(t, owner.renew(t.Context()))
		require.Greater(t, owner.row.High, mine.High)
		require.ErrorIs(t, owner.renew(t.Context()), errLost)
		require.Equal(t, storage.Numbers{First: 11, Last: 20}, draw(t, owner.segments, "orders"))
	})
}

// A file that can be had by one name only is used, whatever that is.
func TestSQLiteFileNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b.db", "100%.db", "%41?x=y&mode=memory#z.db", "é.db", "it's.db"} {
		t.Run(name, func(t *testing.T) {
			s := store{Driver: "sqlite", Source: filepath.Join(t.TempDir(), name)}
			owner := ownerOf(t, s.Open(t))
			require.NoError(t, owner.renew(t.Context()))
			require.Len(t, must(os.ReadDir(filepath.Dir(s.Source))), 1)
		})
	}
	t.Run("symbolic link", func(t *testing.T) {
		eachJournal(t, func(t *testing.T, s store, mode string) {
			dir := t.TempDir()
			require.NoError(t, os.Symlink(s.Source, filepath.Join(dir, "link.db")))
			linked := store{Driver: s.Driver, Source: filepath.Join(dir, "link.db")}.Open(t)
			owner := ownerOf(t, linked)
			require.EqualValues(t, 1, strangerOf(s.Open(t), "").take(t).WorkerID)
			require.NoError(t, owner.renew(t.Context()))
			require.EqualValues(t, 1, acquire(t, linked, asked{}))
		})
	})
}

// A database that no other process can see, or look at, is refused.
func TestSQLiteWithoutAPlace(t *testing.T) {
	t.Parallel()
	for source, says := range map[string]string{
		":memory:":                           "in memory",
		"file:lost?mode=memory&cache=shared": "in memory",
		"":                                   "in memory",
		filepath.Join(t.TempDir(), "x.db") + "?_pragma=locking_mode(exclusive)": "locking_mode",
	} {
		db := must(sqlx.Open("sqlite", source))
		defer db.Close()
		owner := strangerOf(db, "")
		for _, call := range []func() error{
			func() error { return tryID(t, db, asked{Timeout: time.Second}) },
			func() error { _, err := owner.tryTake(t.Context()); return err },
			func() error { return tryDraw(t.Context(), owner.segments, "orders") },
			func() error { return lease.Found(t.Context(), owner, lease.Founding{Layout: milliseconds}) },
		} {
			logtest.Error(t, call(), uid.ErrConfig, says)
		}
	}
}

// writeHalf has written half of a transaction to the file when it says so, and waits to be killed.
func writeHalf(j job) error {
	db := must(sqlx.Open("sqlite", j.Store.Source))
	db.SetMaxOpenConns(1)
	for _, s := range []string{"PRAGMA cache_size = 1", "BEGIN IMMEDIATE", "DELETE FROM WORKER_LEASE",
		"CREATE TABLE FILLER (X)", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) " +
			"INSERT INTO FILLER SELECT randomblob(4000) FROM n"} {
		db.MustExec(s)
	}
	fmt.Println("hot")
	select {}
}

// By a second name the journal of a process that was killed is not found, so that its
// half transaction would stand.
func TestSQLiteKilledBeforeASecondName(t *testing.T) {
	t.Parallel()
	s := engines.NewSQLite(t)
	mine := tenantOf(t, s.Open(t)).take(t)
	cmd := harness.Command(job{Do: "hot", Store: s})
	out := must(cmd.StdoutPipe())
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "hot\n", line)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.FileExists(t, s.Source+"-journal")

	second := store{Driver: s.Driver, Source: s.Source + ".link"}
	require.NoError(t, os.Link(s.Source, second.Source))
	before := fileContent(second.Source)
	says, err := harness.Command(job{Do: "start", Store: second}).Output()
	require.NoError(t, err, "%s", says)
	require.Contains(t, string(says), "unusable: it has 2 names")
	require.True(t, before == fileContent(second.Source), "nothing was written")
	require.NoError(t, os.Remove(second.Source))

	db := s.Open(t)
	require.Equal(t, mine.Nonce, rowIn(t, db, mine.WorkerID).Nonce, "the journal was found")
	require.NotEqual(t, mine.WorkerID, strangerOf(db, "").take(t).WorkerID)
}

// SQLite's time is the machine's, cut to milliseconds: a time that has not come yet would
// end leases early.
func TestSQLiteClock(t *testing.T) {
	t.Parallel()
	db := must(sqlx.Open("sqlite", filepath.Join(t.TempDir(), "uid.db")))
	defer db.Close()
	for range 2000 {
		before := time.Now().Truncate(time.Millisecond)
		now := time.UnixMicro(one[int64](t, db, database.SQLite.Clock()))
		require.WithinRange(t, now, before, time.Now())
	}
}

// An owner whose file was moved away looks at its place, and leaves the journal alone of
// the file that is there now, which somebody is writing to.
func TestMovedOwnerLeavesTheNewJournalAlone(t *testing.T) {
	t.Parallel()
	s := engines.NewSQLite(t)
	owner := ownerOf(t, s.Open(t))
	require.NoError(t, os.Rename(s.Source, s.Source+".moved"))

	conn := must(s.Open(t).Connx(t.Context()))
	defer conn.Close()
	for _, statement := range []string{
		"CREATE TABLE X (B BLOB)", "INSERT INTO X VALUES (1)",
		"PRAGMA cache_size = 1", "BEGIN IMMEDIATE", // whose pages spill into the file, with their journal
		"INSERT INTO X SELECT randomblob(4000) FROM (WITH RECURSIVE c(i) AS " +
			"(SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 200) SELECT i FROM c)",
	} {
		_, err := conn.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	require.FileExists(t, s.Source+"-journal")
	require.ErrorIs(t, owner.renew(t.Context()), worker.ErrState)
	require.FileExists(t, s.Source+"-journal")
	must(conn.ExecContext(t.Context(), "COMMIT"))
}
