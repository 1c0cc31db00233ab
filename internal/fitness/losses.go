// Package fitness judges a SQL database. A start asks how the database can lose a commit ([Losses], in the files
// losses), a person for all findings ([Examine], in the files exam).
package fitness

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/retry"
)

const ok, note, warn, bad = doctor.LevelOK, doctor.LevelNote, doctor.LevelWarn, doctor.LevelError

// The levels of a start. For a person they become one of the levels above; see exam.level. Why then names the loss, and
// [Examine] adds what it means.
const (
	refused  doctor.Level = "refused"  // no worker starts
	damage   doctor.Level = "damage"   // a crash can lose any acknowledged commit
	crash    doctor.Level = "crash"    // a crash loses the newest acknowledged commits
	takeover doctor.Level = "takeover" // a server that takes over lacks the newest acknowledged commits
)

// An exam is one attempt.
type exam struct {
	doctor.Config
	Tables
	dialect            database.Dialect
	conn               *sqlx.Conn
	person             bool // asks for all findings
	takeovers          bool // a takeover that loses commits counts
	leads              bool // the server must follow no other server
	hasNodes, hasLease bool // the account sees the table
	findings           []doctor.Finding
}

func (e *exam) add(findings ...doctor.Finding) { e.findings = append(e.findings, findings...) }

// Losses lists how the database can lose an acknowledged commit, as far as this account sees: in a crash and, if
// takeovers count, when a server takes over that lacks the newest commits. It returns [uid.ErrConfig] when a table
// cannot hold what is written to it, or a commit does not reach the other nodes of the cluster, and a transient error
// when a server that leads follows another one.
func Losses(ctx context.Context, conn *sqlx.Conn, dialect database.Dialect, takeovers, leads bool,
	tables ...Table) (all []string, err error) {
	e := &exam{conn: conn, dialect: dialect, Config: doctor.Config{Never: true}, takeovers: takeovers, leads: leads}
	for _, t := range tables {
		if _, err := e.table(ctx, "table "+t.Name, t); err != nil {
			return nil, err
		}
	}
	err = map[database.Dialect]func(context.Context) error{
		database.MySQL: e.mysqlLosses, database.Postgres: e.postgresLosses, database.SQLite: e.sqliteLosses,
	}[dialect](ctx)
	for _, f := range e.findings {
		switch f.Level {
		case refused:
			return nil, fmt.Errorf("%w: %s: %s. %s %s", uid.ErrConfig, f.What, f.Value, f.Why, f.Do)
		case crash, damage:
			all = append(all, f.What+" is "+f.Value)
		case takeover:
			if takeovers {
				all = append(all, f.Why)
			}
		}
	}
	if err != nil && !retry.IsTransient(err) && !database.IsMissingTable(err) && !errors.Is(err, uid.ErrConfig) {
		return append(all, fmt.Sprintf("its settings cannot be told: %v", err)), nil
	}
	return all, err
}

// replication judges what another server lacks when it takes over. how is the way in which commits wait for the servers
// that are connected, lacking the reason why one of them may lack a commit.
func replication(alone string, connected int, how, lacking, wait string) doctor.Finding {
	return doctor.Fine("replication", alone).
		But(lacking != "", takeover, fmt.Sprintf("%d connected, %s", connected, how), lacking, "Take leased IDs, with "+
			"Losses as it is, or "+wait+". After a failover, set the counter above the largest ID ever given.")
}
