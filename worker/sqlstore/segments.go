package sqlstore

import (
	"context"
	"errors"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/fitness"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
)

// A segmentTable is Leaf's table of segments, and a [segment.Store]. Programs with Leaf can use the table at the same
// time. Make it with [DB.Segments]. Any number of goroutines may call all methods at once.
//
// It is bound to the SQLite file, or to PostgreSQL's schema, that it finds first, as a leaseTable is.
type segmentTable struct {
	tables
	place  database.FilePlace   // of a SQLite file
	schema database.SchemaPlace // of a PostgreSQL table
}

var _ segment.Store = (*segmentTable)(nil)

// Segments returns the table of segments.
func (d *DB) Segments() segment.Store { return &segmentTable{tables: d.tables} }

// Name returns the table: table leaf_alloc.
func (s *segmentTable) Name() string { return "table " + s.segments }

// Change implements [segment.Store]. It takes two round trips to a server, two more each time that another client
// writes the row in between, and a few more when it makes the tag's row. It creates missing tables when there is
// something to write, for which it needs CREATE.
func (s *segmentTable) Change(ctx context.Context, tag string, decide func(*storage.Segment) error) error {
	if err := storage.CheckTag(tag); err != nil {
		return err
	}
	err := s.swap(ctx, tag, decide)
	if !errors.Is(err, errNoTables) {
		return err
	}
	if err := s.create(ctx); err != nil {
		return err
	}
	return s.swap(ctx, tag, decide)
}

// errNoTables is returned when there is something to write, and no table for it.
var errNoTables = errors.New("write a row: the tables were removed as soon as they were made")

// create creates the tables that are missing.
func (s *segmentTable) create(ctx context.Context) error {
	return s.connected(ctx, func(conn *sqlx.Conn) error {
		if err := s.tables.create(ctx, conn, database.SegmentTable, s.segments); err != nil {
			return err
		}
		return s.tables.create(ctx, conn, database.TakerTable, s.takers)
	})
}

// swap writes the decision of decide.
func (s *segmentTable) swap(ctx context.Context, tag string, decide func(*storage.Segment) error) error {
	return s.tables.swap(ctx, &s.place, func(conn session, _ int) (attempt, error) {
		seen, err := s.look(ctx, conn, tag)
		w := tagWrite{seen: seen, row: seen.row}
		if err == nil {
			err = w.row.Check()
		}
		if err == nil {
			err = decide(&w.row)
		}
		if err == nil {
			w.row.Tag, w.row.Fresh = tag, false
			err = w.complete()
		}
		if err == nil && seen.missing {
			err = errNoTables
		}
		if err != nil {
			return attempt{Origin: seen.Origin}, err
		}
		return s.attempt(w), nil
	})
}

// Rows implements [segment.Store]. It takes one round trip to a server, and needs SELECT.
func (s *segmentTable) Rows(ctx context.Context, after string, most int) (rows []storage.Segment, err error) {
	if most < 1 {
		return nil, nil
	}
	err = s.connected(ctx, func(conn *sqlx.Conn) error {
		rows, err = whatThereIs(func(there tablesThere) ([]storage.Segment, error) {
			return s.page(ctx, conn, after, most, there)
		})
		return err
	})
	return rows, err
}

// Inspect implements [segment.Store]. It compares the columns of both tables with what is written to them, and reads
// the settings by which a server or a SQLite connection can lose a commit. It skips settings that the account may not
// see.
func (s *segmentTable) Inspect(ctx context.Context) (lossy []string, err error) {
	return s.inspect(ctx, true, fitness.Table{Name: s.segments, Default: database.SegmentTable},
		fitness.Table{Name: s.takers, Default: database.TakerTable})
}
