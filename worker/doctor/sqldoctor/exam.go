package sqldoctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/doctor"
	"github.com/uidgen/uid/worker/registry"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A DB is a database that [doctor.Check] can examine. Make it with [New]. All methods may be called
// by any number of goroutines at once.
type DB struct{ *sqlstore.DB }

var (
	_ registry.NodeStore = (*DB)(nil)
	_ doctor.Examiner    = (*DB)(nil)
)

// New returns the tables as package doctor examines them. It returns [uid.ErrConfig] when db is
// nil. It does not touch the database.
func New(db *sqlstore.DB) (*DB, error) {
	if db == nil {
		return nil, fmt.Errorf("%w: no database", uid.ErrConfig)
	}
	return &DB{db}, nil
}

// Examine implements [doctor.Examiner]. The findings are about the server, account and session that
// answered. It needs no right but to read the tables; what a server shows to some accounts only
// becomes a note.
func (db *DB) Examine(ctx context.Context, cfg doctor.Config) ([]doctor.Finding, error) {
	// First, while no connection is held: the pool may have no other.
	nodes, counted, err := db.Nodes(ctx)
	if database.KindOf(err) == database.Transient {
		return nil, err
	}
	conn, err := db.SQL().Connx(ctx)
	if err != nil {
		return nil, database.Failed("connect", err)
	}
	defer conn.Close()
	e := &exam{
		Config: cfg, dialect: database.Dialect(db.Dialect()), conn: conn,
		nodes: db.NodeTable(), leases: db.LeaseTable(), segments: db.SegmentTable(),
	}
	steps := []func(context.Context) error{e.tables, e.mysqlServer, e.mysqlReplication, e.mysqlGrants}
	switch e.dialect {
	case database.SQLite:
		steps = []func(context.Context) error{e.tables, e.sqliteFile}
	case database.Postgres:
		steps = []func(context.Context) error{e.tables, e.postgresServer, e.postgresTables, e.postgresGrants}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if counted {
		e.add(judgeCounter(nodes, e.dialect, e.nodes))
	}
	return e.findings, nil
}

// An exam is one attempt of Examine.
type exam struct {
	doctor.Config
	dialect            database.Dialect
	nodes, leases      string // names of the tables
	segments           string // and of Leaf's
	conn               *sqlx.Conn
	hasNodes, hasLease bool // which tables there are, as far as this account may see
	findings           []doctor.Finding
}

func (e *exam) add(f doctor.Finding) { e.findings = append(e.findings, f) }

func finding(level doctor.Level, what, value, why, do string) doctor.Finding {
	return doctor.Finding{Level: level, What: what, Value: value, Why: why, Do: do}
}

// judged converts a verdict of package database.
func judged(v database.Verdict) doctor.Finding {
	level := map[database.Severity]doctor.Level{
		database.Fine: doctor.LevelOK, database.Note: doctor.LevelNote, database.Warn: doctor.LevelWarn, database.Wrong: doctor.LevelError,
	}[v.Severity]
	return finding(level, v.What, v.Value, v.Why, v.Do)
}

// noteUnknown turns an error into a note, and returns nil, if it only says that this account may
// not see something or that this kind of server does not show it. Others end the exam.
func (e *exam) noteUnknown(what string, err error) error {
	if err == nil || database.KindOf(err) == database.Transient {
		return err
	}
	if _, ok := errors.AsType[*mysql.MySQLError](err); !ok && e.dialect == database.MySQL {
		return err
	}
	e.add(finding(doctor.LevelNote, what, "could not be told", fmt.Sprintf("The database does not say: %v.", err),
		"Look yourself, or check with an account that may see it."))
	return nil
}
