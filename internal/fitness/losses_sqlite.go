package fitness

import (
	"cmp"
	"context"
	"strings"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
)

// sqliteLosses judges the settings of this connection.
func (e *exam) sqliteLosses(ctx context.Context) error {
	var journal, level string
	for query, value := range map[string]*string{"PRAGMA journal_mode": &journal, "PRAGMA synchronous": &level} {
		if err := e.conn.GetContext(ctx, value, query); err != nil {
			return database.Failed(query, err)
		}
	}
	journal = strings.ToLower(journal)
	e.add(journalMode(journal), synchronous(level))
	return nil
}

func journalMode(journal string) doctor.Finding {
	const what = "journal_mode"
	switch journal {
	case "delete", "truncate", "persist":
		return doctor.Fine(what, journal)
	case "wal":
		return doctor.Finding{Level: note, What: what, Value: journal, Why: "The newest commits are not in the file, " +
			"but in the one beside it whose name ends with -wal: " +
			"a copy without that one lacks them, and hands their IDs out again.",
			Do: "Never move, remove or restore one of the file, its -wal and its -shm without the others, " +
				"nor while any process has it open; copy it with VACUUM INTO."}
	}
	return doctor.Finding{Level: damage, What: what, Value: journal, Why: "Without a journal on disk a crash in the " +
		"middle of a write damages the file, or loses IDs, which then come again.", Do: "PRAGMA journal_mode = DELETE"}
}

// synchronous judges the setting of a connection. Workers commit with EXTRA on all but OFF.
func synchronous(level string) doctor.Finding {
	const what = "synchronous"
	if level == "0" {
		return doctor.Finding{Level: damage, What: what, Value: "OFF (of this connection)",
			Why: "A crash of the machine loses the newest commits, whose IDs then come again.",
			Do: "Open the file with package worker/sqlite, or set _pragma or _synchronous in the data source name to " +
				"EXTRA."}
	}
	names := map[string]string{"1": "NORMAL", "2": "FULL", "3": "EXTRA"}
	return doctor.Fine(what, cmp.Or(names[level], level)+" (of this connection); workers commit with EXTRA")
}
