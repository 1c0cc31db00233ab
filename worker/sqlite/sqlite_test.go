package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/worker/sqlite"
)

// childEnv, with a path, makes the test binary a process that tries to lock the
// database there, and says whether it is locked.
const childEnv = "UID_SQLITE_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		fmt.Print(tryLock(path))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func tryLock(path string) error {
	db, err := sqlx.Open("sqlite", path)
	if err != nil {
		return err
	}
	_, err = db.Exec("BEGIN IMMEDIATE")
	return errors.Join(err, db.Close())
}

// locked asks another process, since locks hold between processes.
func locked(t *testing.T, path string) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+path, "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	if string(out) == "<nil>" {
		return false
	}
	require.Contains(t, string(out), "database is locked")
	return true
}

// open opens a file until the end of the test.
func open(t *testing.T, path string) *sqlx.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func TestOpenCreates(t *testing.T) {
	for _, name := range []string{
		"uid.db", "with space.db", "100%.db", "a?b=c&d.db", "a#b.db", "é:memory:.db", "%3f.db",
		"file.db?mode=memory",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			open(t, path).MustExec("CREATE TABLE x (id INTEGER)")

			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
			require.Positive(t, info.Size(), "the table is in this file")
			files, err := os.ReadDir(filepath.Dir(path))
			require.NoError(t, err)
			require.Len(t, files, 1, "and in no other")
		})
	}
}

// A folder that is missing may be a volume that is not mounted.
func TestOpenMakesNoFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "volume")
	_, err := sqlite.Open(t.Context(), filepath.Join(folder, "uid.db"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "its folder is missing")
	require.NoDirExists(t, folder)
}

func TestOpenExisting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "uid.db")
	require.NoError(t, os.WriteFile(path, nil, 0o640))
	require.NoError(t, os.Chmod(path, 0o640))
	open(t, path).MustExec("CREATE TABLE x (id INTEGER); INSERT INTO x VALUES (7)")
	var id int
	require.NoError(t, open(t, path).Get(&id, "SELECT id FROM x"))
	require.Equal(t, 7, id)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o640), info.Mode().Perm(), "the mode is left alone")
}

func TestRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	open(t, "uid.db")
	require.FileExists(t, "uid.db")
}

func TestSettings(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "uid.db"))
	require.Equal(t, "sqlite", db.DriverName())
	// On every connection, not only on the first.
	for range 3 {
		conn, err := db.Connx(t.Context())
		require.NoError(t, err)
		defer conn.Close()
		for key, is := range map[string]string{"synchronous": "3", "busy_timeout": "10000", "journal_mode": "delete"} {
			var got string
			require.NoError(t, conn.GetContext(t.Context(), &got, "PRAGMA "+key))
			require.Equal(t, is, got, key)
		}
	}
}

// A transaction has the lock from its start, so that a second one waits instead of
// failing when it comes to write.
func TestTransactionsLockAtOnce(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "uid.db"))
	tx, err := db.Beginx()
	require.NoError(t, err)
	defer tx.Rollback()

	conn, err := db.Connx(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.ExecContext(t.Context(), "PRAGMA busy_timeout = 0")
	require.NoError(t, err)
	_, err = conn.BeginTxx(t.Context(), nil)
	require.ErrorContains(t, err, "database is locked")
}

func TestRefusals(t *testing.T) {
	for _, path := range []string{"", ":memory:", ":memory:?cache=shared", "file:x.db", "file::memory:", "a\x00b"} {
		_, err := sqlite.Open(t.Context(), path)
		logtest.Error(t, err, fs.ErrInvalid, fmt.Sprintf("%q", path))
	}

	dir := t.TempDir()
	_, err := sqlite.Open(t.Context(), dir)
	require.ErrorContains(t, err, dir, "a folder")

	text := filepath.Join(dir, "text")
	require.NoError(t, os.WriteFile(text, bytes.Repeat([]byte("no header of 100 bytes "), 5), 0o600))
	_, err = sqlite.Open(t.Context(), text)
	require.ErrorContains(t, err, "not a database")

	_, err = sqlite.Open(t.Context(), filepath.Join(text, "uid.db"))
	require.Error(t, err, "below a file")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = sqlite.Open(ctx, filepath.Join(dir, "uid.db"))
	require.ErrorIs(t, err, context.Canceled)
}

// Opening a file drops no lock that this process holds on it, as closing it would
// that had been opened besides SQLite.
func TestOpenKeepsLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "uid.db")
	db := open(t, path)
	require.False(t, locked(t, path))
	tx, err := db.Beginx()
	require.NoError(t, err)
	defer tx.Rollback()
	require.True(t, locked(t, path))
	open(t, path)
	require.True(t, locked(t, path), "still")
}

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "uid-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, err := sqlite.Open(context.Background(), filepath.Join(dir, "uid.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	fmt.Println(db.DriverName(), db.Ping())
	// Output: sqlite <nil>
}
