package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker"
)

// SQLite protects a file by files with names of their own beside it: the journal, with which the next process undoes
// a dead process's half-done write, and the write-ahead log with its index. Under a second name of the file, such as a
// hard link or a mount of the file alone, SQLite does not find these. And a process that has the file open continues
// in it after its name was removed or given to another file. So an ID or a renewal counts only after a look at the
// file by its path.
//
// Only SQLite may open the file for that: a process that closes a file loses all its locks on it.

// A FilePlace is the path at which the first Look found a SQLite file; the zero value has not looked yet. It never
// changes then: a pool whose file was replaced may still have connections to both files. Any number of goroutines may
// call all methods at once.
type FilePlace struct {
	mu   sync.Mutex
	path string // without symbolic links, as SQLite has resolved them
	file fs.FileInfo
}

// Look returns an error when the connection's file has several names, is mounted by itself, or is
// not the one that the first Look found. It takes some 20 to 60 µs.
//
// It asks by PRAGMA, not by a SELECT from pragma_database_list. The SELECT reads the file; and to read a file that was
// moved away, SQLite first rolls back the journal at the old path, which by now belongs to another file in use.
func (p *FilePlace) Look(ctx context.Context, conn sqlx.QueryerContext) error {
	var number int
	var name, locking string
	var file sql.NullString
	// main comes first
	if err := conn.QueryRowxContext(ctx, "PRAGMA database_list").Scan(&number, &name, &file); err != nil {
		return Failed("ask for the file", err)
	}
	if err := conn.QueryRowxContext(ctx, "PRAGMA locking_mode").Scan(&locking); err != nil {
		return Failed("ask for the locking mode", err)
	}
	return p.judge(file.String, locking)
}

// judge is Look with what SQLite has returned.
func (p *FilePlace) judge(path, locking string) error {
	if path == "" {
		return fmt.Errorf("%w: the SQLite database is in memory, "+
			"where no other process, nor the next one, sees the IDs in use", uid.ErrConfig)
	}
	if locking != "normal" {
		return fmt.Errorf("%w: SQLite's locking_mode is %.20q, under which it cannot be "+
			"checked that the file is in its place: it has to be normal", uid.ErrConfig, locking)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	file, err := os.Stat(path)
	switch {
	case err != nil:
		return gone(err)
	case p.file != nil && (path != p.path || !os.SameFile(file, p.file)):
		return misplaced("it is no longer in its place, where another file is now: " +
			"to use that one, close the database and open it anew")
	}
	if err := soundFile(path, file); err != nil {
		return err
	}
	p.path, p.file = path, file
	return nil
}

// soundFile returns an error when a file has a second name, as far as the system tells.
func soundFile(path string, file fs.FileInfo) error {
	if !file.Mode().IsRegular() {
		return misplaced("it is not a regular file")
	}
	if links, known := linkCount(file); known && links != 1 {
		return misplaced("it has %d names (hard links), and its journal is found by one of them only: "+
			"remove the others while nobody uses it", links)
	}
	if isMountPoint(path) {
		return misplaced("it is mounted by itself, and its journal is not found by its other path: " +
			"mount the folder that it is in")
	}
	return nil
}

// History identifies the history of the file that Look has found: it changes when another file, or another table, takes
// its place. It is empty where the system does not tell.
//
// A transaction's commits survive a reboot of the machine (see syncing), unless the program has set synchronous OFF, or
// has no journal on disk. Only then does the text contain the boot. Processes that differ in this overwrite each
// other's text, and each such start burns; and a start that syncs does not see that another one has lost commits.
func (p *FilePlace) History(ctx context.Context, conn sqlx.QueryerContext) (string, error) {
	var schema, level int64
	var journal, boot string
	for name, value := range map[string]any{
		"schema_version": &schema, "synchronous": &level, "journal_mode": &journal,
	} {
		if err := conn.QueryRowxContext(ctx, "PRAGMA "+name).Scan(value); err != nil {
			return "", Failed("ask for "+name, err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// On macOS a sync does not reach the disk, but with PRAGMA fullfsync.
	if level != syncExtra || journal == "off" || journal == "memory" || runtime.GOOS == "darwin" {
		if boot = bootID(); boot == "" {
			return "", nil
		}
		boot = fmt.Sprintf(", machine started as %.64s", boot)
	}
	file := fileID(p.path, p.file)
	if file == "" {
		return "", nil
	}
	return fmt.Sprintf("file %s, schema %d%s", file, schema, boot), nil
}

// Confirm reads a text back by the file's path, where other processes find it: the expression text, from a table with a
// WHERE clause. It returns an error when that is not the text that was committed: the commit then went into another
// file, such as one that was moved away under the connection, and the connection is closed. SQLite notices that when it
// writes a journal, but not when it writes to the write-ahead log. Confirm takes some 50 to 300 µs.
//
// Another process may have written the row again by then; in the same file the connection sees that, too.
func (p *FilePlace) Confirm(ctx context.Context, conn *sqlx.Conn, wrote, text, from string, args ...any) error {
	p.mu.Lock()
	path := p.path
	p.mu.Unlock()
	var found string
	var same bool
	err := ByPath(ctx, conn, path, func(schema string) error {
		there := "(SELECT " + text + " FROM " + schema + "." + from + ")"
		err := conn.GetContext(ctx, &found, "SELECT COALESCE("+there+", '')", args...)
		if err != nil || found == wrote {
			return err
		}
		here := "(SELECT " + text + " FROM main." + from + ")"
		twice := append(args[:len(args):len(args)], args...)
		// With a write-ahead log another process may write between the two reads of the query.
		for range 10 {
			err = conn.GetContext(ctx, &same, "SELECT COALESCE("+there+" = "+here+", 0)", twice...)
			if err != nil || same {
				break
			}
		}
		return err
	})
	switch {
	case err == nil && (found == wrote || same):
		return nil
	case err == nil:
		err = misplaced("what was just written is not in the file that is in its place now")
	default:
		if err = Failed("read the new row back", err); !retry.IsTransient(err) {
			err = misplaced("what was just written cannot be read by its path: %v", err)
		}
	}
	discard(conn)
	return err
}

// ByPath attaches the file at a path to the connection, which may have the same file open, and calls do with the schema
// name of the attached one. It creates no file, and shares no cache with the connection.
func ByPath(ctx context.Context, conn *sqlx.Conn, path string, do func(schema string) error) error {
	const schema = "uid_place"
	if _, err := conn.ExecContext(ctx, "ATTACH ? AS "+schema, FileURI(path, "mode=rw&cache=private")); err != nil {
		return err
	}
	err := do(schema)
	if _, detached := conn.ExecContext(context.WithoutCancel(ctx), "DETACH "+schema); err == nil {
		err = detached
	}
	return err
}

// FileURI returns the absolute path of a SQLite file as a URI, with every special character escaped.
func FileURI(path, settings string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a drive letter
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: settings}).String()
}

// A placeError is a [worker.ErrState] about the database's file. It does not name the file, which
// is part of the DSN.
type placeError struct{ why string }

func misplaced(format string, args ...any) error {
	return &placeError{fmt.Sprintf(format, args...)}
}

// gone returns the error of a file that cannot be found, without its path.
func gone(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return misplaced("it is no longer in its place: %v", err)
}

func (e *placeError) Error() string { return "unusable SQLite file: " + e.why }
func (e *placeError) Unwrap() error { return worker.ErrState }
