package sqldoctor

import (
	"context"
	"fmt"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/fitness"
	"github.com/uidgen/uid/internal/registry"
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
	tables := db.Tables()
	t := fitness.Tables{Nodes: tables.Nodes, Leases: tables.Leases, Segments: tables.Segments}
	// First, while no connection is held: the pool may have no other.
	nodes, counted, err := db.Nodes(ctx)
	if database.KindOf(err) == database.Transient {
		return nil, err
	}
	if counted {
		t.Counted = &nodes
	}
	conn, err := tables.DB.Connx(ctx)
	if err != nil {
		return nil, database.Failed("connect", err)
	}
	defer conn.Close()
	return fitness.Examine(ctx, conn, tables.Dialect, t, cfg)
}
