// Package fitness judges a SQL database: each finding is a function, which says what the database takes, why that
// matters, and what to do. A start asks for what the database can lose ([Losses], in the files losses), a person for
// all ([Examine], in the files exam).
package fitness

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
)

const ok, note, warn, bad = doctor.LevelOK, doctor.LevelNote, doctor.LevelWarn, doctor.LevelError

// What starts are told of. For a person they stand for one of the levels above; see exam.level. Why says what is
// lost, to which [Examine] adds what that means.
const (
	refused  doctor.Level = "refused"  // no worker starts
	damage   doctor.Level = "damage"   // a crash loses what was acknowledged, and it may be all
	crash    doctor.Level = "crash"    // a crash loses the newest commits that were acknowledged
	takeover doctor.Level = "takeover" // another server takes over, which lacks them
)

// A Table is one that is written to.
type Table struct {
	Name    string
	Columns []database.Column
}

// An exam is one attempt.
type exam struct {
	doctor.Config
	Tables
	dialect            database.Dialect
	conn               *sqlx.Conn
	person             bool // wants to know all
	takeovers          bool // what another server lacks that takes over counts
	leads              bool // the server is to follow no other one
	hasNodes, hasLease bool // which tables there are, as far as this account may see
	findings           []doctor.Finding
}

func (e *exam) add(findings ...doctor.Finding) { e.findings = append(e.findings, findings...) }

// Losses lists what this account may see of how the database can lose a commit that it has acknowledged: in a crash
// and, if takeovers count, when another server takes over, which lacks the newest commits. It returns an error
// that wraps [uid.ErrConfig] when a table cannot hold what is written to it, or a commit does not reach
// the other nodes of the cluster at all, and a transient one when a server that leads follows another one.
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
	if err != nil && database.KindOf(err) == database.Final && !errors.Is(err, uid.ErrConfig) {
		return append(all, fmt.Sprintf("its settings cannot be told: %v", err)), nil
	}
	return all, err
}
