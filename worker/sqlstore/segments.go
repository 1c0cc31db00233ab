package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
)

// Segments is Leaf's table of segments, and a [segment.Store]. Programs with Leaf can use the
// table at the same time. Make it with [DB.Segments]. All methods may be called by any number of
// goroutines at once.
//
// It is bound to the SQLite file, or to PostgreSQL's schema, that it finds first, as [Leases] is.
type Segments struct {
	tables
	place  database.Place       // of a SQLite file
	schema database.SchemaPlace // of a PostgreSQL table
}

var _ segment.Store = (*Segments)(nil)

// Segments returns the table of segments. It does not touch the database.
func (d *DB) Segments() *Segments { return &Segments{tables: d.tables} }

// Name returns the table: table leaf_alloc.
func (s *Segments) Name() string { return "table " + s.segments }

// Change implements [segment.Store]. It takes two round trips to a server, and again two for each
// time that somebody else writes the row in between; a few more when it makes the tag's row. It
// creates missing tables when there is something to write, for which it needs CREATE.
func (s *Segments) Change(ctx context.Context, tag string, decide func(*segment.Row) error) error {
	if err := segment.CheckTag(tag); err != nil {
		return err
	}
	for made := false; ; made = true {
		err := s.connected(ctx, func(conn *sqlx.Conn) error { return s.swap(ctx, conn, tag, decide) })
		if made || !errors.Is(err, errNoTables) {
			return err
		}
		if err := s.create(ctx); err != nil {
			return err
		}
	}
}

// errNoTables says that there is something to write, and no table for it.
var errNoTables = errors.New("write a row: the tables were removed as soon as they were made")

// create creates the tables that are missing.
func (s *Segments) create(ctx context.Context) error {
	return s.connected(ctx, func(conn *sqlx.Conn) error {
		if err := create(ctx, conn, s.dialect, database.SegmentTable, s.segments); err != nil {
			return err
		}
		return create(ctx, conn, s.dialect, database.TakerTable, s.takers)
	})
}

// swap makes attempts until what one has decided is stored. It holds no lock while it decides:
// the write is refused if anything that was read has changed.
func (s *Segments) swap(ctx context.Context, conn *sqlx.Conn, tag string, decide func(*segment.Row) error) error {
	if s.dialect == database.SQLite {
		return s.inPlace(ctx, conn, &s.place, func(tx session) (*trace, error) {
			w, err := s.attempt(ctx, tx, tag, decide)
			if err == nil {
				err = s.storeBoth(ctx, tx, w)
			}
			if errors.Is(err, errRaced) { // in a file that was locked before it was read
				err = s.unconfirmed(tag)
			}
			return &trace{wrote: w.nonce, text: "nonce", from: "`" + s.takers + "` WHERE biz_tag = ?", args: []any{w.seen.stored()}}, err
		})
	}
	if err := s.learn(ctx, conn); err != nil {
		return err
	}
	var refused *tagSight // by which a write was decided that has changed no row
	for races := 0; ; races++ {
		if err := ctx.Err(); err != nil && races > 0 {
			return worker.Transient(fmt.Errorf("write a row: others have written it before, %d times in a row: %w", races, err))
		}
		w, err := s.attempt(ctx, conn, tag, decide)
		if err == nil && refused != nil && w.seen.same(*refused) {
			// Then it was not another client that has kept it from being written.
			if err = s.unconfirmed(tag); !w.seen.SameAs(refused.Origin) {
				err = errElsewhere
			}
		}
		if err != nil {
			if !w.seen.Plain() {
				s.rollback(ctx, conn)
			}
			return err
		}
		switch err := s.store(ctx, conn, w); {
		case errors.Is(err, errRaced):
			refused = &w.seen
		case errors.Is(err, errConflict):
			refused = nil
		default:
			return err
		}
	}
}

// unconfirmed returns the error of a write that changed no row, though nobody else has written.
func (s *Segments) unconfirmed(tag string) error {
	return fmt.Errorf("%w: the update of tag %q in table %s changed 0 rows, though nobody else has written: is there a trigger, or does a proxy share connections?",
		uid.ErrConfig, tag, s.segments)
}

// attempt reads the row of a tag, and lets decide say what is to be written.
func (s *Segments) attempt(ctx context.Context, conn session, tag string, decide func(*segment.Row) error) (tagWrite, error) {
	seen, err := s.look(ctx, conn, tag)
	w := tagWrite{seen: seen}
	if err != nil {
		return w, err
	}
	w.row = seen.row()
	if err := w.row.Check(); err != nil {
		return w, err
	}
	if err := decide(&w.row); err != nil {
		return w, err
	}
	w.row.Tag, w.row.Fresh = tag, false
	if err := w.complete(); err != nil {
		return w, err
	}
	if seen.missing {
		return w, errNoTables
	}
	return w, nil
}

// Rows implements [segment.Store]. It takes one round trip to a server, and needs SELECT.
func (s *Segments) Rows(ctx context.Context, after string, most int) (rows []segment.Row, err error) {
	if most < 1 {
		return nil, nil
	}
	err = s.looking(ctx, func(conn *sqlx.Conn) error {
		rows, err = s.page(ctx, conn, after, most)
		return err
	})
	return rows, err
}

// Inspect implements [segment.Store]. It compares the columns of both tables with what is written
// to them, and reads the settings by which a server or a SQLite connection can lose a commit. It
// skips what the account may not see.
func (s *Segments) Inspect(ctx context.Context) (lossy []string, err error) {
	return s.inspect(ctx, wanted{s.segments, database.SegmentColumns}, wanted{s.takers, database.TakerColumns})
}
