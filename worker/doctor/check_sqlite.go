package worker

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
)

// sqliteFile looks at the settings of this process's connections, and at the file
// and where it lies.
func (c *check) sqliteFile(ctx context.Context) error {
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
		if err := c.conn.GetContext(ctx, ask.to, ask.query); err != nil {
			return failed(ask.query, err)
		}
	}
	c.add(Finding{Level: LevelOK, What: "server", Value: "SQLite " + version})
	c.add(judgeJournal(journal))
	c.add(judgeSynchronous(synchronous, journal))
	if err := c.conn.GetContext(ctx, &quick, "PRAGMA quick_check(1)"); err != nil {
		if err = failed("check the file", err); kindOf(err) == transient {
			return err
		}
		quick = err.Error()
	}
	f := Finding{Level: LevelOK, What: "file", Value: quick}
	if quick != "ok" {
		f = Finding{LevelError, "file", "damaged", "SQLite's quick_check finds faults: IDs may be lost, and come again.",
			"Keep a copy, and start with a new file under a new layout or epoch, or above every ID that was given."}
	}
	c.add(f)
	return c.sqlitePlace(ctx)
}

func judgeJournal(mode string) Finding {
	f := Finding{Level: LevelOK, What: "journal_mode", Value: mode}
	switch strings.ToLower(mode) {
	case "delete", "truncate", "persist":
	case "wal":
		f.Level = LevelNote
		f.Why = "The newest commits are not in the file, but in the one beside it whose name ends with -wal: a copy without that one lacks them, and hands their IDs out again."
		f.Do = "Never move, remove or restore one of the file, its -wal and its -shm without the others, nor while any process has it open; copy it with VACUUM INTO."
	default:
		f.Level, f.Do = LevelError, "PRAGMA journal_mode = DELETE"
		f.Why = "Without a journal on disk a crash in the middle of a write damages the file, or loses IDs, which then come again."
	}
	return f
}

func judgeSynchronous(level int, journal string) Finding {
	names := []string{"OFF", "NORMAL", "FULL", "EXTRA"}
	f := Finding{Level: LevelOK, What: "synchronous", Value: fmt.Sprint(level)}
	if level >= 0 && level < len(names) {
		f.Value = names[level]
	}
	f.Value += " (of this connection)"
	const open = "Open the file with package worker/sqlite, or set _pragma or _synchronous in the data source name to EXTRA."
	switch {
	case level < 2:
		f.Level, f.Do = LevelError, open
		f.Why = "A crash of the machine loses the newest commits, whose IDs then come again."
	case level == 2 && strings.EqualFold(journal, "delete"):
		f.Level, f.Do = LevelWarn, open
		f.Why = "The folder is not synced after a commit: a power failure can bring the journal back, which undoes it."
	}
	return f
}

// sqlitePlace looks at the file system.
func (c *check) sqlitePlace(ctx context.Context) error {
	var file string
	if err := c.conn.GetContext(ctx, &file, "SELECT file FROM pragma_database_list WHERE name = 'main'"); err != nil {
		return failed("ask for the file", err)
	}
	if file == "" {
		c.add(Finding{LevelError, "file system", "in memory", "All is forgotten when the last connection closes, and IDs come again.", "Use a file."})
		return nil
	}
	kind, known := fileSystem(file)
	c.add(judgeFileSystem(kind, known))
	info, err := os.Stat(file)
	if err != nil {
		c.add(judgePlace(placeGone))
		return nil
	}
	c.add(judgeLinks(linkCount(info)))
	if isMountPoint(file) {
		c.add(judgePlace(placeMounted))
		return nil
	}
	same, err := c.sqliteSame(ctx, file)
	if err != nil {
		return err
	}
	if !same {
		c.add(judgePlace(placeTaken))
		return nil
	}
	c.add(judgePlace(placeFound))
	return nil
}

// sqliteSame reports whether the file that is found by the path holds the same rows as
// the one that the connection has open.
func (c *check) sqliteSame(ctx context.Context, file string) (same bool, err error) {
	rows := func(schema string) string {
		all := []string{"''"}
		if c.hasLease {
			all = append(all, "(SELECT COALESCE(group_concat(WORKER_ID || NONCE || HIGH || LEASE_UNTIL), '') FROM "+schema+".`"+c.leases+"`)")
		}
		if c.hasNodes {
			all = append(all, "(SELECT COUNT(*) || ' ' || COALESCE(MAX(ID), 0) FROM "+schema+".`"+c.nodes+"`)")
		}
		return strings.Join(all, " || ' ' || ")
	}
	// With a write-ahead log somebody may write between the two looks of the query.
	for range 3 {
		err = byPath(ctx, c.conn, file, func() error {
			return c.conn.GetContext(ctx, &same, "SELECT "+rows("main")+" = "+rows(placeSchema))
		})
		if err != nil {
			if err = failed("read the file by its path", err); kindOf(err) == transient {
				return false, err
			}
			return false, nil // it has no such table, say
		}
		if same {
			return true, nil
		}
	}
	return false, nil
}

// judgeLinks judges how many names the file has.
func judgeLinks(links uint64, known bool) Finding {
	f := Finding{Level: LevelOK, What: "names of the file", Value: fmt.Sprint(links)}
	switch {
	case !known:
		f.Level, f.Value, f.Do = LevelNote, "could not be told", "Make sure that it has no hard links."
		f.Why = "Processes that open the file by different names do not find each other's journals: two get one ID, or the file is damaged."
	case links != 1:
		f.Level, f.Do = LevelError, "Stop all who use it, then remove the other names (find -samefile tells them)."
		f.Why = "The file has hard links, by which processes do not find each other's journals: workers refuse it, since two would get one ID, or the file be damaged."
	}
	return f
}

// A filePlacing is where the file is that the connection has open.
type filePlacing int

const (
	placeFound filePlacing = iota
	placeMounted
	placeGone
	placeTaken
)

func judgePlace(at filePlacing) Finding {
	const what = "place of the file"
	const moved = "Workers that have the file open stop, and those that start get IDs from the one that is found by its name."
	const stop = "Stop all who use it; put the file back that was written last, with its -wal or -journal if there is one, or make the namespaces anew with a rest."
	switch at {
	case placeMounted:
		return Finding{LevelError, what, "mounted by itself", "By its other path processes do not find the journal: workers refuse it, since two would get one ID, or the file be damaged.",
			"Mount the folder that it is in, not the file alone."}
	case placeGone:
		return Finding{LevelError, what, "removed or moved", moved, stop}
	case placeTaken:
		return Finding{LevelError, what, "another file is there", moved, stop}
	}
	return Finding{Level: LevelOK, What: what, Value: "found by its name"}
}

// fileSystemKind is what matters of a file system.
type fileSystemKind int

const (
	localDisk fileSystemKind = iota
	networkDisk
	memoryDisk
)

func judgeFileSystem(kind fileSystemKind, known bool) Finding {
	const what = "file system"
	switch {
	case !known:
		return Finding{LevelNote, what, "could not be told", "On a network file system locks may not hold, so that two processes get one ID.", "Make sure that it is a disk of this machine."}
	case kind == networkDisk:
		return Finding{LevelError, what, "network", "Locks may not hold, so that two processes get one ID.", "Use a disk of this machine, or a server for processes on several machines."}
	case kind == memoryDisk:
		return Finding{LevelWarn, what, "in memory", "The file is gone after a restart of the machine, and IDs come again.", "Use a disk."}
	}
	return Finding{Level: LevelOK, What: what, Value: "local"}
}

func sqliteShape(ctx context.Context, from reader, name string) (tableShape, error) {
	var s tableShape
	var err error
	s.columns, err = selectRows(ctx, from, (*tableColumn).fields, "SELECT UPPER(name), LOWER(type), NULL, 0, NULL,"+
		" pk > 0, \"notnull\" = 0 OR dflt_value IS NOT NULL, 0 FROM pragma_table_info(?)", name)
	if err != nil {
		return s, failed("read the columns of table "+name, err)
	}
	var create sql.NullString
	if err := from.GetContext(ctx, &create, "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", name); err != nil && err != sql.ErrNoRows {
		return s, failed("read the definition of table "+name, err)
	}
	for i := range s.columns {
		if s.columns[i].Name == generated {
			s.columns[i].Generated = strings.Contains(strings.ToUpper(create.String), "AUTOINCREMENT")
		}
	}
	return s, nil
}
