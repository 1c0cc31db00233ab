package databases_test

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/doctor/sqldoctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/numberstore"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// eachJournal runs a test on a SQLite file with a rollback journal, and with a write-ahead
// log.
func eachJournal(t *testing.T, test func(t *testing.T, s store, mode string)) {
	for _, mode := range []string{"delete", "wal"} {
		t.Run(mode, func(t *testing.T) {
			s := kit.NewSQLite(t)
			setJournal(t, s, mode)
			test(t, s, mode)
		})
	}
}

func setJournal(t testing.TB, s store, mode string) {
	t.Helper()
	db := s.Open(t)
	var got string
	require.NoError(t, db.Get(&got, "PRAGMA journal_mode = "+mode))
	require.Equal(t, mode, got)
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

// An owner whose file is not in its place any more notices at its next renewal, and
// renews nothing in the one that is there.
func TestSQLiteFileIsLost(t *testing.T) {
	t.Parallel()
	for how, lose := range map[string]func(t *testing.T, path string){
		"removed": func(t *testing.T, path string) { removeAll(t, path) },
		"moved":   func(t *testing.T, path string) { moveAll(t, path, path+".old") },
		"folder moved": func(t *testing.T, path string) {
			dir := filepath.Dir(path)
			require.NoError(t, os.Rename(dir, dir+".old"))
			require.NoError(t, os.Mkdir(dir, 0o700))
		},
		"empty one in its place": func(t *testing.T, path string) {
			removeAll(t, path)
			require.NoError(t, os.WriteFile(path, nil, 0o600))
		},
	} {
		t.Run(how, func(t *testing.T) {
			eachJournal(t, func(t *testing.T, s store, mode string) {
				s.Source = filepath.Join(filepath.Dir(s.Source), "in", "uid.db")
				require.NoError(t, os.Mkdir(filepath.Dir(s.Source), 0o700))
				setJournal(t, s, mode)
				owner := tenantOf(t, s.Open(t))
				mine := owner.take(t)
				lose(t, s.Source)

				other := s.Open(t)
				theirs := tenantOf(t, other).take(t)
				require.Equal(t, mine.WorkerID, theirs.WorkerID)
				before := rowIn(t, other, mine.WorkerID)
				for range 10 {
					err := owner.renew(t.Context())
					require.ErrorIs(t, err, worker.ErrState)
					require.ErrorContains(t, err, "no longer in its place")
					require.NotContains(t, logtest.Texts(err), s.Source)
				}
				require.Equal(t, mine, owner.row)
				require.Equal(t, before, rowIn(t, other, mine.WorkerID))
			})
		})
	}
}

// A copy in the file's place is not taken for it, though it has the owner's row.
func TestSQLiteFileIsACopy(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, s store, mode string) {
		db := s.Open(t)
		owner := tenantOf(t, db)
		mine := owner.take(t)
		kit.Do(t, db, "VACUUM INTO '"+s.Source+".copy'")
		moveAll(t, s.Source, s.Source+".old")
		moveAll(t, s.Source+".copy", s.Source)
		err := owner.renew(t.Context())
		require.ErrorIs(t, err, worker.ErrState)
		require.ErrorContains(t, err, "another file is now")
		require.Equal(t, mine, owner.row)

		// Nor is it when the owner starts again: its connections are those to the other one.
		_, err = owner.tryTake(t.Context())
		require.ErrorIs(t, err, worker.ErrState)
		require.NotEqual(t, mine.WorkerID, strangerOf(t, s.Open(t), "").take(t).WorkerID, "it is leased")
	})
}

// Of a file with a write-ahead log, parts are lost as well as the whole.
func TestSQLiteLogIsLost(t *testing.T) {
	t.Parallel()
	for _, parts := range [][]string{{""}, {"-wal"}, {"-wal", "-shm"}} {
		t.Run(fmt.Sprintf("%q", parts), func(t *testing.T) {
			s := kit.NewSQLite(t)
			setJournal(t, s, "wal")
			owner := tenantOf(t, s.Open(t))
			mine := owner.take(t)
			for _, end := range parts {
				require.NoError(t, os.Remove(s.Source+end))
			}
			require.ErrorIs(t, owner.renew(t.Context()), worker.ErrState)
			require.Equal(t, mine, owner.row)
		})
	}
}

// Nobody gets an ID by either of two names, and nothing is written under them. An owner
// goes on when the second name is gone.
func TestSQLiteFileHasTwoNames(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, s store, mode string) {
		db := s.Open(t)
		owner := tenantOf(t, db)
		mine := owner.take(t)
		acquire(t, db, asked{})
		second := s.Source + ".link"
		require.NoError(t, os.Link(s.Source, second))

		before := content(t, db)
		for _, path := range []string{s.Source, second} {
			file := fileContent(t, path)
			out, err := crew.Command(job{Do: "start", Store: store{Driver: "sqlite", Source: path}}).Output()
			require.NoError(t, err, "%s", out)
			require.Equal(t, strings.Repeat("unusable: it has 2 names (hard links)\n", 3)+"found by its name\n", string(out))
			require.True(t, file == fileContent(t, path), "nothing was written")
		}
		require.ErrorIs(t, owner.renew(t.Context()), worker.ErrState)
		require.Equal(t, mine, owner.row)
		require.Equal(t, before, content(t, db))

		require.NoError(t, os.Remove(second))
		require.NoError(t, owner.renew(t.Context()))
		require.NotEqual(t, before, content(t, db))
	})
}

// tryAll says what comes of each way to use the file.
func tryAll(j job) error {
	ctx := context.Background()
	db, err := j.Store.Connect(ctx, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	tables, err := sqlstore.New(db, sqlstore.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	_, err = tables.Numbers().Next(ctx, numberstore.Host{Name: "h"}, 1023)
	fmt.Println(placeWords(err))
	l, err := tables.Leases("")
	if err != nil {
		return err
	}
	_, err = (&tenant{Store: l}).tryTake(ctx)
	fmt.Println(placeWords(err))
	if l, err = tables.Leases("new"); err != nil {
		return err
	}
	fmt.Println(placeWords(lease.Found(ctx, l, lease.Founding{Layout: milliseconds})))
	e, err := sqldoctor.New(tables)
	if err != nil {
		return err
	}
	findings, err := doctor.Check(ctx, e, doctor.Config{})
	for _, f := range findings {
		if f.What == "place of the file" {
			fmt.Println(f.Value)
		}
	}
	return err
}

// placeWords is what an error says of the file's place, or all if that is nothing.
func placeWords(err error) any {
	if errors.Is(err, worker.ErrState) {
		_, words, _ := strings.Cut(err.Error(), "unusable SQLite file: ")
		words, _, _ = strings.Cut(words, ",")
		return "unusable: " + words
	}
	return err
}

// fileContent reads a file in another process: to close it here would drop the locks that
// this one has on it.
func fileContent(t testing.TB, path string) string {
	t.Helper()
	out, err := exec.Command("cat", path).Output()
	require.NoError(t, err)
	return string(out)
}

// content is all that the tables of worker IDs hold.
func content(t testing.TB, db *sqlx.DB) (all string) {
	t.Helper()
	require.NoError(t, db.Get(&all, "SELECT (SELECT group_concat(NAMESPACE || WORKER_ID || NONCE || HIGH) FROM WORKER_LEASE)"+
		" || (SELECT group_concat(ID || PORT) FROM WORKER_NODE)"))
	if countTables(t, db, "leaf_alloc") > 0 {
		all += fmt.Sprint(contentOfSegments(t, db))
	}
	return all
}

// A commitHook is a driver of SQLite that calls after when a transaction is committed.
type commitHook struct {
	driver driver.Driver
	source string
	after  func()
}

func (h *commitHook) Connect(context.Context) (driver.Conn, error) {
	c, err := h.driver.Open(h.source)
	if err != nil {
		return nil, err
	}
	return &hookedConn{c, c.(driver.ExecerContext), c.(driver.QueryerContext), h}, nil
}

func (h *commitHook) Driver() driver.Driver { return h.driver }

type hookedConn struct {
	driver.Conn
	driver.ExecerContext
	driver.QueryerContext
	hook *commitHook
}

func (c *hookedConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	tx, err := c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
	return &hookedTx{tx, c.hook}, err
}

type hookedTx struct {
	driver.Tx
	hook *commitHook
}

func (tx *hookedTx) Commit() error {
	err := tx.Tx.Commit()
	tx.hook.after()
	return err
}

// hooked opens a store so that after is called when a transaction is committed.
func hooked(t testing.TB, s store, after *func()) *sqlx.DB {
	plain := s.Open(t)
	hook := &commitHook{plain.Driver(), s.Source + "?_txlock=immediate", func() { (*after)() }}
	db := sqlx.NewDb(sql.OpenDB(hook), "sqlite")
	t.Cleanup(func() { db.Close() })
	return db
}

// What happens while a transaction runs is seen after it. Then it has happened, and the
// owner finds that out by the row.
func TestSQLiteFileIsLinkedMeanwhile(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, s store, mode string) {
		link := func() {}
		db := hooked(t, s, &link)
		owner := tenantOf(t, db)
		mine := owner.take(t)
		acquire(t, db, asked{})

		link = func() { _ = os.Link(s.Source, s.Source+".link") }
		err := owner.renew(t.Context())
		require.ErrorIs(t, err, worker.ErrState)
		require.ErrorContains(t, err, "2 names")
		require.NotEqual(t, mine.Nonce, rowIn(t, db, mine.WorkerID).Nonce, "it was committed")
		require.Equal(t, mine, owner.row)
		require.NoError(t, os.Remove(s.Source+".link"))

		_, err = newAsker(t, db, asked{}).acquire(t.Context(), 1023)
		require.ErrorIs(t, err, worker.ErrState)
		require.ErrorContains(t, err, "2 names")
		require.Len(t, nodes(t, db), 2, "it was committed")
		require.NoError(t, os.Remove(s.Source+".link"))

		link = func() {}
		require.NoError(t, owner.renew(t.Context()))
		require.EqualValues(t, 3, acquire(t, db, asked{}))
	})
}

// Connections of the pool may have a file open that was there before. A start that gets
// one writes where nobody looks, notices that, and gets a new one the next time.
func TestSQLiteConnectionIsStale(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, s store, mode string) {
		for name, start := range map[string]func(t *testing.T, db *sqlx.DB) error{
			"lease": func(t *testing.T, db *sqlx.DB) error {
				_, err := strangerOf(t, db, "").tryTake(t.Context())
				return err
			},
			"disposable": func(t *testing.T, db *sqlx.DB) error {
				_, err := newAsker(t, db, asked{}).acquire(t.Context(), 1023)
				return err
			},
			"segment": func(t *testing.T, db *sqlx.DB) error {
				_, err := drawn(t.Context(), segmentsOf(t, db), "orders", "drawer", 10)
				return err
			},
		} {
			t.Run(name, func(t *testing.T) {
				s := store{Driver: s.Driver, Source: s.Source + name}
				setJournal(t, s, mode)
				db := s.Open(t)
				draw(t, tenantOf(t, db).segments, "orders")
				acquire(t, db, asked{})
				moveAll(t, s.Source, s.Source+".old")
				setJournal(t, s, mode)
				other := s.Open(t)
				draw(t, tenantOf(t, other).segments, "orders")
				acquire(t, other, asked{})

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
			kit.Do(t, other, "UPDATE WORKER_LEASE SET NONCE = 'another' WHERE WORKER_ID = 0", "UPDATE leaf_alloc_takers SET nonce = 'another'")
		}
		require.NoError(t, owner.renew(t.Context()))
		require.Greater(t, owner.row.High, mine.High)
		require.ErrorIs(t, owner.renew(t.Context()), errLost)
		require.Equal(t, segmentstore.Range{First: 11, Last: 20}, draw(t, owner.segments, "orders"))
	})
}

// A file that can be had by one name only is used, whatever that is.
func TestSQLiteFileNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b.db", "100%.db", "%41?x=y&mode=memory#z.db", "é.db", "it's.db"} {
		t.Run(name, func(t *testing.T) {
			s := store{Driver: "sqlite", Source: filepath.Join(t.TempDir(), name)}
			owner := tenantOf(t, s.Open(t))
			owner.take(t)
			require.NoError(t, owner.renew(t.Context()))
			files, err := os.ReadDir(filepath.Dir(s.Source))
			require.NoError(t, err)
			require.Len(t, files, 1)
		})
	}
	t.Run("symbolic link", func(t *testing.T) {
		eachJournal(t, func(t *testing.T, s store, mode string) {
			dir := t.TempDir()
			require.NoError(t, os.Symlink(s.Source, filepath.Join(dir, "link.db")))
			linked := store{Driver: s.Driver, Source: filepath.Join(dir, "link.db")}.Open(t)
			owner := tenantOf(t, linked)
			owner.take(t)
			require.EqualValues(t, 1, strangerOf(t, s.Open(t), "").take(t).WorkerID)
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
		db, err := sqlx.Open("sqlite", source)
		require.NoError(t, err)
		defer db.Close()
		owner := strangerOf(t, db, "")
		for _, call := range []func() error{
			func() error {
				_, err := newAsker(t, db, asked{Timeout: time.Second}).acquire(t.Context(), 1023)
				return err
			},
			func() error { _, err := owner.tryTake(t.Context()); return err },
			func() error { _, err := drawn(t.Context(), owner.segments, "orders", "drawer", 10); return err },
			func() error { return lease.Found(t.Context(), owner, lease.Founding{Layout: milliseconds}) },
		} {
			err := call()
			require.ErrorIs(t, err, uid.ErrConfig, source)
			require.ErrorContains(t, err, says)
		}
	}
}

// writeHalf has written half of a transaction to the file when it says so, and waits to be killed.
func writeHalf(j job) error {
	db, err := sqlx.Open("sqlite", j.Store.Source)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	for _, s := range []string{"PRAGMA cache_size = 1", "BEGIN IMMEDIATE", "DELETE FROM WORKER_LEASE",
		"CREATE TABLE FILLER (X)", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO FILLER SELECT randomblob(4000) FROM n"} {
		if _, err := db.Exec(s); err != nil {
			return err
		}
	}
	fmt.Println("hot")
	select {}
}

// By a second name the journal of a process that was killed is not found, so that its
// half transaction would stand.
func TestSQLiteKilledBeforeASecondName(t *testing.T) {
	t.Parallel()
	s := kit.NewSQLite(t)
	mine := tenantOf(t, s.Open(t)).take(t)
	cmd := crew.Command(job{Do: "hot", Store: s})
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "hot\n", line)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.FileExists(t, s.Source+"-journal")

	second := store{Driver: s.Driver, Source: s.Source + ".link"}
	require.NoError(t, os.Link(s.Source, second.Source))
	before := fileContent(t, second.Source)
	says, err := crew.Command(job{Do: "start", Store: second}).Output()
	require.NoError(t, err, "%s", says)
	require.Contains(t, string(says), "unusable: it has 2 names")
	require.True(t, before == fileContent(t, second.Source), "nothing was written")
	require.NoError(t, os.Remove(second.Source))

	db := s.Open(t)
	require.Equal(t, mine.Nonce, rowIn(t, db, mine.WorkerID).Nonce, "the journal was found")
	require.NotEqual(t, mine.WorkerID, strangerOf(t, db, "").take(t).WorkerID)
}
