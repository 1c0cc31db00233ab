package fitness

import (
	"cmp"
	"context"
	"slices"
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
	e.add(sqliteLosses(strings.ToLower(journal), level)...)
	return nil
}

// sqliteLosses judges the settings of a connection. Workers commit with EXTRA on all but OFF.
func sqliteLosses(journal, level string) []doctor.Finding {
	names := map[string]string{"1": "NORMAL", "2": "FULL", "3": "EXTRA"}
	return []doctor.Finding{
		doctor.Fine("journal_mode", journal).
			But(journal == "wal", note, "", "The newest commits are not in the file, but in the one beside it whose "+
				"name ends with -wal: a copy without that one lacks them, and hands their IDs out again.",
				"Never move, remove or restore one of the file, its -wal and its -shm without the others, "+
					"nor while any process has it open; copy it with VACUUM INTO.").
			But(!slices.Contains([]string{"delete", "truncate", "persist"}, journal), damage, "", "Without a journal "+
				"on disk a crash in the middle of a write damages the file, or loses IDs, which then come again.",
				"PRAGMA journal_mode = DELETE"),
		doctor.Fine("synchronous", cmp.Or(names[level], level)+" (of this connection); workers commit with EXTRA").
			But(level == "0", damage, "OFF (of this connection)", "A crash of the machine loses the newest commits, "+
				"whose IDs then come again.", "Open the file with package worker/sqlite, or set _pragma or "+
				"_synchronous in the data source name to EXTRA."),
	}
}
