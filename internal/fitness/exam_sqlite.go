package fitness

import (
	"context"
	"fmt"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/retry"
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

// A diskKind is a kind of file system.
type diskKind int

const (
	unknownDisk diskKind = iota
	localDisk
	networkDisk // another machine keeps its locks
	memoryDisk
)

// A file is the state of a database's file.
type file struct {
	inMemory, damaged bool
	disk              diskKind
	unusable          error // why workers refuse it, such as a second name
	moved             bool  // another file is found by its path
}

// sqliteFile judges the file, its file system and its place.
func (e *exam) sqliteFile(ctx context.Context) error {
	var f file
	var path, quick string
	if err := e.conn.GetContext(ctx, &path, "SELECT file FROM pragma_database_list WHERE name = 'main'"); err != nil {
		return database.Failed("ask for the file", err)
	}
	err := e.conn.GetContext(ctx, &quick, "PRAGMA quick_check(1)")
	if err = database.Failed("check the file", err); retry.IsTransient(err) {
		return err
	}
	f.damaged, f.inMemory = quick != "ok", path == ""
	if !f.inMemory {
		f.disk = diskOf(path)
		var place database.FilePlace
		if f.unusable = place.Look(ctx, e.conn); f.unusable == nil {
			if f.moved, err = e.sqliteMoved(ctx, path); err != nil {
				return err
			}
		}
	}
	e.add(f.findings()...)
	return nil
}

// sqliteMoved reports whether the file at the path has other rows than the file that the connection has open.
func (e *exam) sqliteMoved(ctx context.Context, path string) (moved bool, err error) {
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
	// With a write-ahead log another process may write between the two reads of the query.
	var same bool
	for range 3 {
		err = database.ByPath(ctx, e.conn, path, func(schema string) error {
			return e.conn.GetContext(ctx, &same, "SELECT "+rows("main")+" = "+rows(schema))
		})
		if err = database.Failed("read the file by its path", err); err != nil || same {
			break
		}
	}
	if retry.IsTransient(err) {
		return false, err
	}
	return !same || err != nil, nil // an error is that it has no such table, for example
}

func (f file) findings() []doctor.Finding {
	all := []doctor.Finding{
		doctor.Fine("file", "ok").
			But(f.damaged, bad, "damaged", "SQLite's quick_check finds faults: IDs may be lost, and come again.",
				"Keep a copy, and start with a new file under a new layout or epoch, or above every ID that was "+
					"given."),
		doctor.Fine("file system", "local").
			But(f.inMemory, bad, "in memory", "All is lost when the last connection closes, and IDs come again.",
				"Use a file.").
			But(f.disk == unknownDisk, note, "could not be told", "On a network file system locks may not hold, so "+
				"that two processes get one ID.", "Make sure that it is a disk of this machine.").
			But(f.disk == networkDisk, bad, "network", "Locks may not hold, so that two processes get one ID.",
				"Use a disk of this machine, or a server for processes on several machines.").
			But(f.disk == memoryDisk, warn, "in memory",
				"The file is gone after a restart of the machine, and IDs come again.", "Use a disk."),
	}
	if f.inMemory {
		return all
	}
	const stop = "Stop all processes that use it first. If it was moved, put the file back that was written last, " +
		"with its -wal or -journal if there is one, or make the namespaces anew with uid worker init --lost."
	return append(all, doctor.Fine("place of the file", "found by its name").
		But(f.unusable != nil, bad, "unusable", fmt.Sprintf("Workers refuse it: %v.", f.unusable), stop).
		But(f.moved, bad, "another file is there", "Workers that have the file open stop, and those that start get "+
			"IDs from the file that is found by its name.", stop))
}
