package fitness

import (
	"context"
	"fmt"
	"os"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
)

func (e *exam) sqlite(ctx context.Context) error {
	const query = "SELECT sqlite_version()"
	var version string
	if err := e.conn.GetContext(ctx, &version, query); err != nil {
		return database.Failed(query, err)
	}
	e.add(doctor.Fine("server", "SQLite "+version))
	return e.sqliteLosses(ctx)
}

// A diskKind is what matters about a file system.
type diskKind int

const (
	unknownDisk diskKind = iota
	localDisk
	networkDisk // whose locks another machine keeps
	memoryDisk
)

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
	e.add(f.findings()...)
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

func (f file) findings() []doctor.Finding {
	all := []doctor.Finding{
		doctor.Fine("file", "ok").
			But(f.damaged, bad, "damaged", "SQLite's quick_check finds faults: IDs may be lost, and come again.",
				"Keep a copy, and start with a new file under a new layout or epoch, or above every ID that was "+
					"given."),
		doctor.Fine("file system", "local").
			But(f.inMemory, bad, "in memory", "All is forgotten when the last connection closes, and IDs come again.",
				"Use a file.").
			But(f.disk == unknownDisk, note, "could not be told",
				"On a network file system locks may not hold, so that two processes get one ID.",
				"Make sure that it is a disk of this machine.").
			But(f.disk == networkDisk, bad, "network", "Locks may not hold, so that two processes get one ID.",
				"Use a disk of this machine, or a server for processes on several machines.").
			But(f.disk == memoryDisk, warn, "in memory",
				"The file is gone after a restart of the machine, and IDs come again.", "Use a disk."),
	}
	if f.inMemory {
		return all
	}
	if !f.gone {
		all = append(all, doctor.Fine("names of the file", fmt.Sprint(f.links)).
			But(!f.linksKnown, note, "could not be told", "Processes that open the file by "+
				"different names do not find each other's journals: two get one ID, or the file is damaged.",
				"Make sure that it has no hard links.").
			But(f.links != 1, bad, "", "The file has hard links, by which processes do not "+
				"find each other's journals: workers refuse it, since two would get one ID, or the file be damaged.",
				"Stop all who use it, then remove the other names (find -samefile tells them)."))
	}
	const moved = "Workers that have the file open stop, and those that start get IDs from the one " +
		"that is found by its name."
	const stop = "Stop all who use it; put the file back that was written last, with its -wal or -journal " +
		"if there is one, or make the namespaces anew with a rest."
	return append(all, doctor.Fine("place of the file", "found by its name").
		But(f.gone, bad, "removed or moved", moved, stop).
		But(f.mounted, bad, "mounted by itself", "By its other path processes do not find the journal: "+
			"workers refuse it, since two would get one ID, or the file be damaged.",
			"Mount the folder that it is in, not the file alone.").
		But(f.moved, bad, "another file is there", moved, stop))
}
