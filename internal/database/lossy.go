package database

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"
)

// A Loss is a way in which a database can lose a commit that it has acknowledged.
type Loss struct {
	Why string
	By  LossBy
}

// A LossBy says what it takes for a commit to be lost.
type LossBy int

const (
	// Crash is that of the server, or of its machine.
	Crash LossBy = iota
	// Takeover is by another server, which lacks the newest commits.
	Takeover
)

// Losses lists what this account may see of how the database can lose a commit. It returns an error
// that wraps [uid.ErrConfig] when a commit does not reach the other nodes of the cluster at all.
func Losses(ctx context.Context, conn *sqlx.Conn, dialect Dialect) ([]Loss, error) {
	switch dialect {
	case SQLite:
		return lossesOfSQLite(ctx, conn)
	case Postgres:
		return lossesOfPostgres(ctx, conn)
	}
	return lossesOfMySQL(ctx, conn)
}

func lossesOfSQLite(ctx context.Context, conn *sqlx.Conn) (losses []Loss, err error) {
	var synchronous int
	var journal string
	if err := conn.GetContext(ctx, &synchronous, "PRAGMA synchronous"); err != nil {
		return nil, Failed("PRAGMA synchronous", err)
	}
	if err := conn.GetContext(ctx, &journal, "PRAGMA journal_mode"); err != nil {
		return nil, Failed("PRAGMA journal_mode", err)
	}
	for _, f := range []Verdict{JudgeSynchronous(synchronous, journal), JudgeJournal(journal)} {
		if f.Severity == Wrong {
			losses = append(losses, Loss{f.What + " is " + f.Value, Crash})
		}
	}
	return losses, nil
}

// JudgeJournal judges the journal_mode of a SQLite file.
func JudgeJournal(mode string) Verdict {
	f := Verdict{What: "journal_mode", Value: mode}
	switch strings.ToLower(mode) {
	case "delete", "truncate", "persist":
	case "wal":
		f.Severity = Note
		f.Why = "The newest commits are not in the file, but in the one beside it whose name ends with -wal: a copy without that one lacks them, and hands their IDs out again."
		f.Do = "Never move, remove or restore one of the file, its -wal and its -shm without the others, nor while any process has it open; copy it with VACUUM INTO."
	default:
		f.Severity, f.Do = Wrong, "PRAGMA journal_mode = DELETE"
		f.Why = "Without a journal on disk a crash in the middle of a write damages the file, or loses IDs, which then come again."
	}
	return f
}

// JudgeSynchronous judges the setting synchronous of a connection to a SQLite file.
func JudgeSynchronous(level int, journal string) Verdict {
	names := []string{"OFF", "NORMAL", "FULL", "EXTRA"}
	f := Verdict{What: "synchronous", Value: fmt.Sprint(level)}
	if level >= 0 && level < len(names) {
		f.Value = names[level]
	}
	f.Value += " (of this connection)"
	const open = "Open the file with package worker/sqlite, or set _pragma or _synchronous in the data source name to EXTRA."
	switch {
	case level < 2:
		f.Severity, f.Do = Wrong, open
		f.Why = "A crash of the machine loses the newest commits, whose IDs then come again."
	case level == 2 && strings.EqualFold(journal, "delete"):
		f.Severity, f.Do = Warn, open
		f.Why = "The folder is not synced after a commit: a power failure can bring the journal back, which undoes it."
	}
	return f
}
