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
	"github.com/uidgen/uid/worker"
)

// eachJournal runs a test on a SQLite file with a rollback journal, and with a write-ahead
// log.
func eachJournal(t *testing.T, test func(t *testing.T, s store, mode string)) {
	for _, mode := range []string{"delete", "wal"} {
		t.Run(mode, func(t *testing.T) {
			s := newSQLite(t)
			setJournal(t, s, mode)
			test(t, s, mode)
		})
	}
}

func setJournal(t testing.TB, s store, mode string) {
	t.Helper()
	db := s.open(t)
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

// twice counts the ticks that two reservations share.
func twice(a, b uid.Reservation) int64 {
	if a.WorkerID != b.WorkerID {
		return 0
	}
	return max(0, min(a.Last, b.Last)-max(a.First, b.First)+1)
}

// An owner whose file is not in its place any more notices at its next renewal, and
// reserves nothing that those get who begin anew in its place as they are told to.
func TestSQLiteFileIsLost(t *testing.T) {
	const rest = ttl + reach
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
		for _, durable := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, durable %v", how, durable), func(t *testing.T) {
				eachJournal(t, func(t *testing.T, s store, mode string) {
					s.source = filepath.Join(filepath.Dir(s.source), "in", "uid.db")
					require.NoError(t, os.Mkdir(filepath.Dir(s.source), 0o700))
					setJournal(t, s, mode)
					cfg := worker.LeaseConfig{DurableStore: durable}
					h := newHouse(t, s)
					l := h.lease(cfg)
					mine := h.acquire(l)
					lose(t, s.source)

					other := newHouse(t, s)
					other.init("", worker.Namespace{Terms: millis(1023), Rest: rest})
					other.pass(rest + time.Second)
					theirs := other.acquire(other.leaseOf(cfg))
					require.Equal(t, mine.WorkerID, theirs.WorkerID)

					var failures []error
					for passed := time.Duration(0); passed < rest+reach; passed += window / 2 {
						if mode == "wal" {
							h.pass(window / 2)
						} else { // SQLite writes nothing to the file
							h.skip += window / 2
						}
						_, err := l.Extend(t.Context(), 0)
						failures = append(failures, err)
					}
					last := worker.ReservationOf(l)
					require.Zero(t, twice(last, theirs))
					require.Equal(t, mine, last)
					for _, err := range failures {
						require.ErrorIs(t, err, worker.ErrState)
						require.ErrorContains(t, err, "no longer in its place")
						require.NotContains(t, texts(err), s.source)
					}
					require.Error(t, l.Release(t.Context(), mine.First))
				})
			})
		}
	}
}

// A copy in the file's place is not taken for it, though it has the owner's row.
func TestSQLiteFileIsACopy(t *testing.T) {
	eachJournal(t, func(t *testing.T, s store, mode string) {
		h := newHouse(t, s)
		l := h.lease(worker.LeaseConfig{DurableStore: true})
		mine := h.acquire(l)
		do(t, h.db, "VACUUM INTO '"+s.source+".copy'")
		moveAll(t, s.source, s.source+".old")
		moveAll(t, s.source+".copy", s.source)
		h.skip += window / 2
		_, err := l.Extend(t.Context(), 0)
		require.ErrorIs(t, err, worker.ErrState)
		require.ErrorContains(t, err, "another file is now")
		require.Equal(t, mine, worker.ReservationOf(l))

		// Nor is it when the owner starts again: its connections are those to the other one.
		require.Error(t, l.Release(t.Context(), mine.First))
		_, err = l.Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, worker.ErrState)
		h = &house{t: t, db: s.open(t)}
		require.NotEqual(t, mine.WorkerID, h.acquire(h.leaseOf(worker.LeaseConfig{DurableStore: true})).WorkerID, "it is leased")
	})
}

// Of a file with a write-ahead log, parts are lost as well as the whole.
func TestSQLiteLogIsLost(t *testing.T) {
	for _, parts := range [][]string{{""}, {"-wal"}, {"-wal", "-shm"}} {
		t.Run(fmt.Sprintf("%q", parts), func(t *testing.T) {
			s := newSQLite(t)
			setJournal(t, s, "wal")
			h := newHouse(t, s)
			l := h.lease(worker.LeaseConfig{DurableStore: true})
			mine := h.acquire(l)
			for _, end := range parts {
				require.NoError(t, os.Remove(s.source+end))
			}
			h.skip += window / 2
			_, err := l.Extend(t.Context(), 0)
			require.ErrorIs(t, err, worker.ErrState)
			require.Equal(t, mine, worker.ReservationOf(l))
		})
	}
}

// Nobody gets an ID by either of two names, and nothing is written under them. An owner
// goes on when the second name is gone.
func TestSQLiteFileHasTwoNames(t *testing.T) {
	eachJournal(t, func(t *testing.T, s store, mode string) {
		h := newHouse(t, s)
		l := h.lease(worker.LeaseConfig{})
		mine := h.acquire(l)
		acquire(t, h.db, worker.DisposableConfig{})
		second := s.source + ".link"
		require.NoError(t, os.Link(s.source, second))

		before := content(t, h.db)
		for _, path := range []string{s.source, second} {
			file := fileContent(t, path)
			out, err := placeCommand(startChildEnv, path).Output()
			require.NoError(t, err, "%s", out)
			says := "unusable: it has 2 names (hard links)"
			require.Equal(t, strings.Repeat(says+"\n", 3)+"found by its name\n", string(out))
			require.True(t, file == fileContent(t, path), "nothing was written")
		}
		h.skip += window / 2
		_, err := l.Extend(t.Context(), 0)
		require.ErrorIs(t, err, worker.ErrState)
		require.Equal(t, mine, worker.ReservationOf(l))
		require.Equal(t, before, content(t, h.db))

		require.NoError(t, os.Remove(second))
		require.Equal(t, mine.WorkerID, h.extend(l, 0).WorkerID)
		require.NotEqual(t, before, content(t, h.db))
	})
}

// startChildEnv, with a path, makes the test binary a process that says what comes of
// each way to use the file.
const startChildEnv = "UID_WORKER_TEST_START_CHILD"

func startChild(path string) error {
	ctx := context.Background()
	db, err := openStore(ctx, "sqlite", path, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	quiet := slog.New(slog.DiscardHandler)
	d, err := worker.NewDisposable(db, worker.DisposableConfig{Logger: quiet})
	if err != nil {
		return err
	}
	l, err := worker.NewLease(db, worker.LeaseConfig{Logger: quiet, MaxClockSkew: skew})
	if err != nil {
		return err
	}
	r, err := worker.NewRegistry(db, worker.RegistryConfig{})
	if err != nil {
		return err
	}
	_, err = d.Acquire(ctx, terms(1023))
	fmt.Println(placeWords(err))
	_, err = l.Acquire(ctx, millis(1023))
	fmt.Println(placeWords(err))
	fmt.Println(placeWords(r.Init(ctx, worker.Namespace{Name: "new", Terms: millis(1023)})))
	findings, err := r.Check(ctx, worker.CheckConfig{})
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
		_, words, _ := strings.Cut(err.Error(), ": worker: unusable SQLite file: ")
		words, _, _ = strings.Cut(words, ",")
		return "unusable: " + words
	}
	return err
}

// placeCommand returns the test binary as one of placeChildren.
func placeCommand(env, text string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env+"="+text, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	return cmd
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

// What happens while a transaction runs is seen after it. Then it has happened, and the
// owner finds that out by the row.
func TestSQLiteFileIsLinkedMeanwhile(t *testing.T) {
	eachJournal(t, func(t *testing.T, s store, mode string) {
		h := newHouse(t, s)
		link := func() {}
		h.db = sqlx.NewDb(sql.OpenDB(&commitHook{h.db.Driver(), s.source + "?_txlock=immediate", func() { link() }}), "sqlite")
		defer h.db.Close()
		l := h.lease(worker.LeaseConfig{})
		mine := h.acquire(l)
		nonce := h.row(mine.WorkerID).Nonce
		acquire(t, h.db, worker.DisposableConfig{})

		h.skip += window / 2
		link = func() { _ = os.Link(s.source, s.source+".link") }
		_, err := l.Extend(t.Context(), 0)
		require.ErrorIs(t, err, worker.ErrState)
		require.ErrorContains(t, err, "2 names")
		require.NotEqual(t, nonce, h.row(mine.WorkerID).Nonce, "it was committed")
		require.Equal(t, mine, worker.ReservationOf(l))
		require.NoError(t, os.Remove(s.source+".link"))

		_, err = newDisposable(t, h.db, worker.DisposableConfig{}).Acquire(t.Context(), terms(1023))
		require.ErrorIs(t, err, worker.ErrState)
		require.ErrorContains(t, err, "2 names")
		require.Len(t, nodes(t, h.db), 2, "it was committed")
		require.NoError(t, os.Remove(s.source+".link"))

		link = func() {}
		require.Equal(t, mine.WorkerID, h.extend(l, 0).WorkerID)
		require.EqualValues(t, 3, acquire(t, h.db, worker.DisposableConfig{}))
	})
}

// Connections of the pool may have a file open that was there before. A start that gets
// one writes where nobody looks, notices that, and gets a new one the next time.
func TestSQLiteConnectionIsStale(t *testing.T) {
	eachJournal(t, func(t *testing.T, s store, mode string) {
		for name, start := range map[string]func(h *house) error{
			"lease": func(h *house) error {
				_, err := h.leaseOf(worker.LeaseConfig{DurableStore: true}).Acquire(t.Context(), millis(1023))
				return err
			},
			"disposable": func(h *house) error {
				_, err := newDisposable(t, h.db, worker.DisposableConfig{}).Acquire(t.Context(), terms(1023))
				return err
			},
		} {
			t.Run(name, func(t *testing.T) {
				s := store{s.driver, s.source + name}
				setJournal(t, s, mode)
				h := newHouse(t, s)
				h.init("", worker.Namespace{Terms: millis(1023)})
				acquire(t, h.db, worker.DisposableConfig{})
				moveAll(t, s.source, s.source+".old")
				setJournal(t, s, mode)
				other := newHouse(t, s)
				other.init("", worker.Namespace{Terms: millis(1023)})
				acquire(t, other.db, worker.DisposableConfig{})

				before := content(t, other.db)
				require.ErrorIs(t, start(h), worker.ErrState)
				require.Equal(t, before, content(t, other.db))
				require.NoError(t, start(h))
				require.NotEqual(t, before, content(t, other.db))
			})
		}
	})
}

// A row that was written and is another's by the time it is read back is not trusted.
func TestSQLiteRowIsAnothers(t *testing.T) {
	s := newSQLite(t)
	h := newHouse(t, s)
	change := func() {}
	other := h.db
	h.db = sqlx.NewDb(sql.OpenDB(&commitHook{h.db.Driver(), s.source + "?_txlock=immediate", func() { change() }}), "sqlite")
	defer h.db.Close()
	l := h.lease(worker.LeaseConfig{})
	mine := h.acquire(l)
	h.skip += window / 2
	change = func() { do(t, other, "UPDATE WORKER_LEASE SET NONCE = 'another' WHERE WORKER_ID = 0") }
	_, err := l.Extend(t.Context(), 0)
	require.ErrorIs(t, err, worker.ErrState)
	require.Equal(t, mine, worker.ReservationOf(l))
}

// A file that can be had by one name only is used, whatever that is.
func TestSQLiteFileNames(t *testing.T) {
	for _, name := range []string{"a b.db", "100%.db", "%41?x=y&mode=memory#z.db", "é.db", "it's.db"} {
		t.Run(name, func(t *testing.T) {
			s := store{"sqlite", filepath.Join(t.TempDir(), name)}
			h := newHouse(t, s)
			l := h.lease(worker.LeaseConfig{})
			h.acquire(l)
			h.skip += window / 2
			h.extend(l, 0)
			files, err := os.ReadDir(filepath.Dir(s.source))
			require.NoError(t, err)
			require.Len(t, files, 1)
		})
	}
	t.Run("symbolic link", func(t *testing.T) {
		eachJournal(t, func(t *testing.T, s store, mode string) {
			dir := t.TempDir()
			require.NoError(t, os.Symlink(s.source, filepath.Join(dir, "link.db")))
			h := newHouse(t, store{s.driver, filepath.Join(dir, "link.db")})
			l := h.lease(worker.LeaseConfig{})
			h.acquire(l)
			require.EqualValues(t, 1, (&house{t: t, db: s.open(t)}).acquire((&house{t: t, db: s.open(t)}).leaseOf(worker.LeaseConfig{})).WorkerID)
			h.skip += window / 2
			h.extend(l, 0)
			require.EqualValues(t, 1, acquire(t, h.db, worker.DisposableConfig{}))
		})
	})
}

// A database that no other process can see, or look at, is refused.
func TestSQLiteWithoutAPlace(t *testing.T) {
	for source, says := range map[string]string{
		":memory:":                           "in memory",
		"file:lost?mode=memory&cache=shared": "in memory",
		"":                                   "in memory",
		filepath.Join(t.TempDir(), "x.db") + "?_pragma=locking_mode(exclusive)": "locking_mode",
	} {
		db, err := sqlx.Open("sqlite", source)
		require.NoError(t, err)
		defer db.Close()
		_, err = newDisposable(t, db, worker.DisposableConfig{Timeout: time.Second}).Acquire(t.Context(), terms(1023))
		require.ErrorIs(t, err, uid.ErrConfig, source)
		require.ErrorContains(t, err, says)
		_, err = (&house{t: t, db: db}).leaseOf(worker.LeaseConfig{Timeout: time.Second}).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrConfig, source)
		require.ErrorContains(t, err, says)
	}
}

// hotChildEnv, with a path, makes the test binary a process that has written half of a
// transaction to the file when it says so, and waits to be killed.
const hotChildEnv = "UID_WORKER_TEST_HOT_CHILD"

func hotChild(path string) error {
	db, err := sqlx.Open("sqlite", path)
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
	s := newSQLite(t)
	h := newHouse(t, s)
	mine := h.acquire(h.lease(worker.LeaseConfig{Holder: "before"}))
	cmd := placeCommand(hotChildEnv, s.source)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "hot\n", line)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.FileExists(t, s.source+"-journal")

	second := store{s.driver, s.source + ".link"}
	require.NoError(t, os.Link(s.source, second.source))
	before := fileContent(t, second.source)
	says, err := placeCommand(startChildEnv, second.source).Output()
	require.NoError(t, err, "%s", says)
	require.Contains(t, string(says), "unusable: it has 2 names")
	require.True(t, before == fileContent(t, second.source), "nothing was written")
	require.NoError(t, os.Remove(second.source))

	h = &house{t: t, db: s.open(t)}
	require.Equal(t, "before", h.row(mine.WorkerID).Holder, "the journal was found")
	require.NotEqual(t, mine.WorkerID, h.acquire(h.leaseOf(worker.LeaseConfig{})).WorkerID)
}

func TestCheckOfASQLitePlace(t *testing.T) {
	eachJournal(t, func(t *testing.T, s store, mode string) {
		db := s.open(t)
		both(t, db)
		m := checked(t, db, worker.CheckConfig{})
		require.Equal(t, worker.LevelOK, m["names of the file"].Level)
		require.Equal(t, "1", m["names of the file"].Value)
		require.Equal(t, worker.LevelOK, m["place of the file"].Level)
		require.Equal(t, map[string]worker.Level{"delete": worker.LevelOK, "wal": worker.LevelNote}[mode], m["journal_mode"].Level)

		require.NoError(t, os.Link(s.source, s.source+".link"))
		m = checked(t, db, worker.CheckConfig{})
		require.Equal(t, worker.LevelError, m["names of the file"].Level)
		require.Equal(t, "2", m["names of the file"].Value)
		require.NoError(t, os.Remove(s.source+".link"))

		moveAll(t, s.source, s.source+".old")
		m = checked(t, db, worker.CheckConfig{})
		require.Equal(t, worker.LevelError, m["place of the file"].Level)
		require.Equal(t, "removed or moved", m["place of the file"].Value)

		for _, rows := range []func(db *sqlx.DB){
			func(*sqlx.DB) {},
			func(db *sqlx.DB) { putLeases(t, db, aLease{id: 5}); acquire(t, db, worker.DisposableConfig{}) },
		} {
			another := s.open(t)
			rows(another)
			m = checked(t, db, worker.CheckConfig{})
			require.Equal(t, worker.LevelError, m["place of the file"].Level)
			require.Equal(t, "another file is there", m["place of the file"].Value)
		}
		require.NotContains(t, fmt.Sprint(m), s.source)
	})
}
