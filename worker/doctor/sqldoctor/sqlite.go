package sqldoctor

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/doctor"
)

// sqliteFile examines the settings of this process's connections, the file, and its place.
func (e *exam) sqliteFile(ctx context.Context) error {
	var version, journal, quick string
	var synchronous int
	for _, ask := range []struct {
		query string
		to    any
	}{
		{"SELECT sqlite_version()", &version},
		{"PRAGMA journal_mode", &journal},
		{"PRAGMA synchronous", &synchronous},
	} {
		if err := e.conn.GetContext(ctx, ask.to, ask.query); err != nil {
			return database.Failed(ask.query, err)
		}
	}
	e.add(doctor.Finding{Level: doctor.LevelOK, What: "server", Value: "SQLite " + version})
	e.add(judged(database.JudgeJournal(journal)))
	e.add(judged(database.JudgeSynchronous(synchronous, journal)))
	if err := e.conn.GetContext(ctx, &quick, "PRAGMA quick_check(1)"); err != nil {
		if err = database.Failed("check the file", err); database.KindOf(err) == database.Transient {
			return err
		}
		quick = err.Error()
	}
	f := doctor.Finding{Level: doctor.LevelOK, What: "file", Value: quick}
	if quick != "ok" {
		f = finding(doctor.LevelError, "file", "damaged", "SQLite's quick_check finds faults: IDs may be lost, and come again.",
			"Keep a copy, and start with a new file under a new layout or epoch, or above every ID that was given.")
	}
	e.add(f)
	return e.sqlitePlace(ctx)
}

// sqlitePlace examines the file system and the place of the file.
func (e *exam) sqlitePlace(ctx context.Context) error {
	var file string
	if err := e.conn.GetContext(ctx, &file, "SELECT file FROM pragma_database_list WHERE name = 'main'"); err != nil {
		return database.Failed("ask for the file", err)
	}
	if file == "" {
		e.add(finding(doctor.LevelError, "file system", "in memory", "All is forgotten when the last connection closes, and IDs come again.", "Use a file."))
		return nil
	}
	kind, known := fileSystem(file)
	e.add(judgeFileSystem(kind, known))
	info, err := os.Stat(file)
	if err != nil {
		e.add(judgePlace(placeGone))
		return nil
	}
	e.add(judgeLinks(database.LinkCount(info)))
	if database.IsMountPoint(file) {
		e.add(judgePlace(placeMounted))
		return nil
	}
	same, err := e.sqliteSame(ctx, file)
	if err != nil {
		return err
	}
	if !same {
		e.add(judgePlace(placeTaken))
		return nil
	}
	e.add(judgePlace(placeFound))
	return nil
}

// sqliteSame reports whether the file at the path holds the same rows as the one that the
// connection has open.
func (e *exam) sqliteSame(ctx context.Context, file string) (same bool, err error) {
	rows := func(schema string) string {
		all := []string{"''"}
		if e.hasLease {
			all = append(all, "(SELECT COALESCE(group_concat(WORKER_ID || NONCE || HIGH || LEASE_UNTIL), '') FROM "+schema+".`"+e.leases+"`)")
		}
		if e.hasNodes {
			all = append(all, "(SELECT COUNT(*) || ' ' || COALESCE(MAX(ID), 0) FROM "+schema+".`"+e.nodes+"`)")
		}
		return strings.Join(all, " || ' ' || ")
	}
	// With a write-ahead log somebody may write between the two reads of the query.
	for range 3 {
		err = database.ByPath(ctx, e.conn, file, func() error {
			return e.conn.GetContext(ctx, &same, "SELECT "+rows("main")+" = "+rows(database.PlaceSchema))
		})
		if err != nil {
			if err = database.Failed("read the file by its path", err); database.KindOf(err) == database.Transient {
				return false, err
			}
			return false, nil // it has no such table, for example
		}
		if same {
			return true, nil
		}
	}
	return false, nil
}

// judgeLinks judges how many names the file has.
func judgeLinks(links uint64, known bool) doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: "names of the file", Value: fmt.Sprint(links)}
	switch {
	case !known:
		f.Level, f.Value, f.Do = doctor.LevelNote, "could not be told", "Make sure that it has no hard links."
		f.Why = "Processes that open the file by different names do not find each other's journals: two get one ID, or the file is damaged."
	case links != 1:
		f.Level, f.Do = doctor.LevelError, "Stop all who use it, then remove the other names (find -samefile tells them)."
		f.Why = "The file has hard links, by which processes do not find each other's journals: workers refuse it, since two would get one ID, or the file be damaged."
	}
	return f
}

// A filePlacing says what is at the path of the file that the connection has open.
type filePlacing int

const (
	placeFound filePlacing = iota
	placeMounted
	placeGone
	placeTaken
)

func judgePlace(at filePlacing) doctor.Finding {
	const what = "place of the file"
	const moved = "Workers that have the file open stop, and those that start get IDs from the one that is found by its name."
	const stop = "Stop all who use it; put the file back that was written last, with its -wal or -journal if there is one, or make the namespaces anew with a rest."
	switch at {
	case placeMounted:
		return finding(doctor.LevelError, what, "mounted by itself", "By its other path processes do not find the journal: workers refuse it, since two would get one ID, or the file be damaged.",
			"Mount the folder that it is in, not the file alone.")
	case placeGone:
		return finding(doctor.LevelError, what, "removed or moved", moved, stop)
	case placeTaken:
		return finding(doctor.LevelError, what, "another file is there", moved, stop)
	}
	return doctor.Finding{Level: doctor.LevelOK, What: what, Value: "found by its name"}
}

// A fileSystemKind is what matters about a file system.
type fileSystemKind int

const (
	localDisk fileSystemKind = iota
	networkDisk
	memoryDisk
)

func judgeFileSystem(kind fileSystemKind, known bool) doctor.Finding {
	const what = "file system"
	switch {
	case !known:
		return finding(doctor.LevelNote, what, "could not be told", "On a network file system locks may not hold, so that two processes get one ID.", "Make sure that it is a disk of this machine.")
	case kind == networkDisk:
		return finding(doctor.LevelError, what, "network", "Locks may not hold, so that two processes get one ID.", "Use a disk of this machine, or a server for processes on several machines.")
	case kind == memoryDisk:
		return finding(doctor.LevelWarn, what, "in memory", "The file is gone after a restart of the machine, and IDs come again.", "Use a disk.")
	}
	return doctor.Finding{Level: doctor.LevelOK, What: what, Value: "local"}
}
