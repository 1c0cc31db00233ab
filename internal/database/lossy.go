package database

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"
)

// Lossy lists the settings by which a database can lose a commit that it has acknowledged, as far
// as this account may see.
func Lossy(ctx context.Context, conn *sqlx.Conn, dialect Dialect) (why []string, err error) {
	switch dialect {
	case SQLite:
		return lossySQLite(ctx, conn)
	case Postgres:
		return lossyPostgres(ctx, conn)
	}
	return lossyMySQL(ctx, conn)
}

func lossyMySQL(ctx context.Context, conn *sqlx.Conn) (why []string, err error) {
	vars, err := ReadSettings(ctx, conn, "SHOW VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog', 'wsrep_on')")
	if err != nil {
		return nil, err
	}
	status, err := ReadSettings(ctx, conn, "SHOW GLOBAL STATUS WHERE Variable_name IN ('Slaves_connected', 'Replicas_connected',"+
		" 'Rpl_semi_sync_master_status', 'Rpl_semi_sync_source_status')")
	if err != nil {
		return nil, err
	}
	return LossySettings(vars, status), nil
}

// LossySettings lists by which of a server's variables, and in what state, it can lose a commit.
func LossySettings(vars, status Settings) (why []string) {
	if v, known := vars["innodb_flush_log_at_trx_commit"]; known && v != "1" {
		why = append(why, "innodb_flush_log_at_trx_commit is "+v+", not 1")
	}
	if v := vars["sync_binlog"]; vars.On("log_bin") && v != "1" {
		why = append(why, "sync_binlog is "+v+", not 1, and there is a binary log")
	}
	if vars.On("wsrep_on") {
		why = append(why, "it is a node of a Galera cluster (wsrep_on)")
	}
	replicas := status.First("slaves_connected", "replicas_connected")
	if replicas != "" && replicas != "0" && !status.On("rpl_semi_sync_master_status", "rpl_semi_sync_source_status") {
		why = append(why, replicas+" replicas are connected without semi-synchronous replication: one of them lacks the newest commits when it takes over")
	}
	return why
}

func lossySQLite(ctx context.Context, conn *sqlx.Conn) (why []string, err error) {
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
			why = append(why, f.What+" is "+f.Value)
		}
	}
	return why, nil
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
