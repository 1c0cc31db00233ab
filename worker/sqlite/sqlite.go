// Package sqlite opens a SQLite database in a file, for workers that need no server: several processes of one machine
// can share the file. It links a SQLite driver in pure Go.
//
// The file, and those beside it (-journal, or -wal and -shm), have to stay where they are, under one name, on a disk of
// this machine. Workers return worker.ErrState for
//
//   - A second name: a file with hard links and, on Linux, one that is mounted by itself; mount its folder. Symbolic
//     links are safe. On Windows links are not counted, and a short name (UID~1.DB) is a second name: use one path.
//   - A file that was removed, moved, or replaced. A leased ID's worker notices at its next renewal, half its Window
//     later at most, and fails until the database is closed and opened anew. It still issues what it has reserved;
//     a start that gets an ID in the new file begins beyond that.
//   - A write-ahead log that was removed.
//
// It does not cover these:
//
//   - A copy, a snapshot or a container's image hands the same IDs out again, and a restored backup has forgotten what
//     was reserved since. Stop all workers before a restore, and start none until the clock has passed all that they
//     had reserved, two minutes at most. To copy the file while it is in use, take VACUUM INTO.
//   - A file that is overwritten in its place, or moved away and back; a disk that is put back to a snapshot; on a file
//     system that tells no birth times, one that is removed and copied anew.
//   - A file renamed without its -journal or -wal after a process died, or whose -shm is removed while in use.
//   - Disposable IDs whose file is replaced after the start: a new file begins at 1.
//   - A network file system, whose locks may not hold.
//
// Workers refuse a database in memory, and one with locking_mode EXCLUSIVE, with uid.ErrConfig. All this holds for any
// SQLite database.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/uidgen/uid/internal/database"
)

// settings are set on each connection:
//   - EXTRA syncs the journal's folder, too, before a commit returns: an ID whose commit is lost
//     in a power failure would be given twice. The journal is the rollback journal, SQLite's
//     default. (The write-ahead log would be faster, and may fail with SQLITE_BUSY without
//     waiting when processes create it at once.)
//   - Transactions lock at their start, so that none fails half-way because another has written
//     since it read.
//   - Connections wait up to 10 s for other processes' locks.
const settings = "_synchronous=EXTRA&_txlock=immediate&_busy_timeout=10000"

// Open opens the database in the file named path, for any number of processes and goroutines at once. It makes a
// missing file, for its owner only, but no folder: one that is missing may be a volume that is not mounted, and a new
// file elsewhere would begin anew. The caller closes the database.
//
// It returns [fs.ErrInvalid] for an empty path and for one that SQLite would take for a database in memory, the file
// system's error when the file cannot be made or read, SQLite's when it is not a database, and ctx's.
func Open(ctx context.Context, path string) (*sqlx.DB, error) {
	db, err := open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("sqlite: open %q: %w", path, err)
	}
	return db, nil
}

func open(ctx context.Context, path string) (*sqlx.DB, error) {
	if path == "" || strings.HasPrefix(path, ":memory:") || strings.HasPrefix(path, "file:") ||
		strings.ContainsRune(path, 0) {
		return nil, fmt.Errorf("not the path of a file: %w", fs.ErrInvalid)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := create(path); err != nil {
		return nil, err
	}
	db, err := sqlx.Open("sqlite", database.FileURI(path, settings))
	if err != nil {
		return nil, err
	}
	// Opening reads nothing; this fails if the file is not a database.
	var tables int
	if err := db.GetContext(ctx, &tables, "SELECT COUNT(*) FROM sqlite_master"); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// create makes the file if it is missing. It does not open a file that exists: closing it would drop the locks that
// this very process may hold on it through SQLite.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("its folder is missing: %w", err)
	case err != nil:
		return err
	}
	return f.Close()
}
