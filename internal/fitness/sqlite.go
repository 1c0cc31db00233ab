package fitness

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/uidgen/uid/internal/database"
)

// sqlite judges the settings of this connection.
func (e *exam) sqlite(ctx context.Context) error {
	vars := settings{}
	for name, query := range map[string]string{
		"version": "SELECT sqlite_version()", "journal": "PRAGMA journal_mode", "synchronous": "PRAGMA synchronous",
	} {
		var value string
		if err := e.conn.GetContext(ctx, &value, query); err != nil {
			return database.Failed(query, err)
		}
		vars[name] = value
	}
	e.judge(sqliteRows(vars)...)
	return nil
}

func sqliteRows(vars settings) []row {
	const journals, syncs = "journal_mode", "synchronous"
	journal, level := strings.ToLower(vars["journal"]), vars[syncs]
	names := map[string]string{"0": "OFF", "1": "NORMAL", "2": "FULL", "3": "EXTRA"}
	name := cmp.Or(names[level], level) + " (of this connection)"
	const open = "Open the file with package worker/sqlite, or set _pragma or _synchronous in the data source " +
		"name to EXTRA."
	return []row{
		fine("server", "SQLite "+vars["version"]),
		{journal == "wal", note, journals, journal, "The newest commits are not in the file, " +
			"but in the one beside it whose name ends with -wal: " +
			"a copy without that one lacks them, and hands their IDs out again.",
			"Never move, remove or restore one of the file, its -wal and its -shm without the others, " +
				"nor while any process has it open; copy it with VACUUM INTO."},
		{journal == "delete" || journal == "truncate" || journal == "persist", ok, journals, journal, "", ""},
		{true, damage, journals, journal, "Without a journal on disk a crash in the middle of a write damages the " +
			"file, or loses IDs, which then come again.", "PRAGMA journal_mode = DELETE"},
		{level == "0" || level == "1", damage, syncs, name,
			"A crash of the machine loses the newest commits, whose IDs then come again.", open},
		{level == "2" && journal == "delete", warn, syncs, name, "The folder is not synced after a commit: a power " +
			"failure can bring the journal back, which undoes it.", open},
		fine(syncs, name),
	}
}

// A file is what is known of one.
type file struct {
	inMemory            bool
	disk                diskKind
	gone, moved         bool // nothing, or another file, is found by its path
	mounted             bool // by itself
	links               uint64
	linksKnown, damaged bool
}

// sqliteFile judges the file, its file system and its place.
func (e *exam) sqliteFile(ctx context.Context) error {
	var f file
	var path, quick string
	if err := e.conn.GetContext(ctx, &path, "SELECT file FROM pragma_database_list WHERE name = 'main'"); err != nil {
		return database.Failed("ask for the file", err)
	}
	err := e.conn.GetContext(ctx, &quick, "PRAGMA quick_check(1)")
	if err = database.Failed("check the file", err); database.KindOf(err) == database.Transient {
		return err
	}
	f.damaged, f.inMemory = quick != "ok", path == ""
	if !f.inMemory {
		f.disk = diskOf(path)
		info, err := os.Stat(path)
		if f.gone = err != nil; !f.gone {
			f.links, f.linksKnown = database.LinkCount(info)
			f.mounted = database.IsMountPoint(path)
		}
		if !f.gone && !f.mounted {
			same, err := e.sqliteSame(ctx, path)
			if err != nil {
				return err
			}
			f.moved = !same
		}
	}
	e.judge(f.rows()...)
	return nil
}

// sqliteSame reports whether the file at the path holds the same rows as the one that the
// connection has open.
func (e *exam) sqliteSame(ctx context.Context, path string) (same bool, err error) {
	rows := func(schema string) string {
		all := "''"
		if e.hasLease {
			all += " || (SELECT COALESCE(group_concat(WORKER_ID || NONCE || HIGH || LEASE_UNTIL), '')" +
				" FROM " + schema + ".`" + e.Leases + "`)"
		}
		if e.hasNodes {
			all += " || ' ' || (SELECT COUNT(*) || ' ' || COALESCE(MAX(ID), 0) FROM " + schema + ".`" + e.Nodes + "`)"
		}
		return all
	}
	// With a write-ahead log somebody may write between the two reads of the query.
	for range 3 {
		err = database.ByPath(ctx, e.conn, path, func() error {
			return e.conn.GetContext(ctx, &same, "SELECT "+rows("main")+" = "+rows(database.PlaceSchema))
		})
		if err = database.Failed("read the file by its path", err); err != nil || same {
			break
		}
	}
	if database.KindOf(err) == database.Transient {
		return false, err
	}
	return same && err == nil, nil // an error is that it has no such table, for example
}

func (f file) rows() []row {
	const whole, system, names, place = "file", "file system", "names of the file", "place of the file"
	const moved = "Workers that have the file open stop, and those that start get IDs from the one " +
		"that is found by its name."
	const stop = "Stop all who use it; put the file back that was written last, with its -wal or -journal " +
		"if there is one, or make the namespaces anew with a rest."
	return []row{
		{f.damaged, bad, whole, "damaged", "SQLite's quick_check finds faults: IDs may be lost, and come again.",
			"Keep a copy, and start with a new file under a new layout or epoch, or above every ID that was given."},
		fine(whole, "ok"),
		{f.inMemory, bad, system, "in memory", "All is forgotten when the last connection closes, and IDs come again.",
			"Use a file."},
		{f.disk == unknownDisk, note, system, "could not be told",
			"On a network file system locks may not hold, so that two processes get one ID.",
			"Make sure that it is a disk of this machine."},
		{f.disk == networkDisk, bad, system, "network", "Locks may not hold, so that two processes get one ID.",
			"Use a disk of this machine, or a server for processes on several machines."},
		{f.disk == memoryDisk, warn, system, "in memory",
			"The file is gone after a restart of the machine, and IDs come again.", "Use a disk."},
		fine(system, "local"),
		{f.inMemory || f.gone, "", names, "", "", ""},
		{!f.linksKnown, note, names, "could not be told", "Processes that open the file by " +
			"different names do not find each other's journals: two get one ID, or the file is damaged.",
			"Make sure that it has no hard links."},
		{f.links != 1, bad, names, fmt.Sprint(f.links), "The file has hard links, by which processes do not " +
			"find each other's journals: workers refuse it, since two would get one ID, or the file be damaged.",
			"Stop all who use it, then remove the other names (find -samefile tells them)."},
		fine(names, fmt.Sprint(f.links)),
		{f.inMemory, "", place, "", "", ""},
		{f.gone, bad, place, "removed or moved", moved, stop},
		{f.mounted, bad, place, "mounted by itself", "By its other path processes do not find the journal: " +
			"workers refuse it, since two would get one ID, or the file be damaged.",
			"Mount the folder that it is in, not the file alone."},
		{f.moved, bad, place, "another file is there", moved, stop},
		fine(place, "found by its name"),
	}
}
