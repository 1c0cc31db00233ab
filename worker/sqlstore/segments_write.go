package sqlstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/segmentjson"
	"github.com/uidgen/uid/segment"
)

// A tagWrite is a change of a tag's rows in both tables, by what was seen. It is carried out on the
// server that was looked at, all or nothing, if nobody has changed either row.
type tagWrite struct {
	seen   tagSight
	row    segment.Row
	takers string
	// nonce is this write's own. What was read before another write is never again as it was, even
	// if all values are.
	nonce string
}

// complete returns an error when the tables cannot hold the row.
func (w *tagWrite) complete() (err error) {
	row := &w.row
	if err := row.Check(); err != nil {
		return err
	}
	if !utf8.ValidString(row.Description) || strings.ContainsRune(row.Description, 0) {
		return fmt.Errorf("%w: the description of tag %q is not valid UTF-8, or has a zero byte", uid.ErrRange, row.Tag)
	}
	w.nonce = rand.Text()
	w.takers, err = segmentjson.MarshalTakers(*row)
	return err
}

// store carries a write out on a server. It returns errRaced or errConflict when nothing was stored
// because somebody else has written.
func (s *Segments) store(ctx context.Context, conn *sqlx.Conn, w tagWrite) error {
	switch {
	case s.dialect == database.Postgres:
		return s.finish(ctx, conn, w.seen.Origin, s.exec(ctx, conn, s.nested(w), exactly(1)))
	case w.seen.leaf == nil:
		return s.storeNew(ctx, conn, w)
	case w.seen.takers == nil: // of a tag of Leaf's: an empty row is as good as none
		none := tagWrite{seen: w.seen, nonce: w.nonce}
		if err := s.finish(ctx, conn, w.seen.Origin, s.exec(ctx, conn, s.takersStatement(none, "1 = 1"), exactly(1))); err != nil {
			return err
		}
		return errConflict // and again
	}
	// Where update_time is as it was, and max_id is, MySQL counts Leaf's row as unchanged.
	return s.finish(ctx, conn, w.seen.Origin, s.exec(ctx, conn, s.joined(w), count{1, 2}))
}

// storeNew makes a tag's row on MySQL, where a statement inserts into one table only. The session is
// in a strict mode then, and the server ends it when this process stands still.
func (s *Segments) storeNew(ctx context.Context, conn *sqlx.Conn, w tagWrite) error {
	restore, err := database.Prepare(ctx, conn, s.dialect)
	if err != nil {
		return err
	}
	defer restore()
	err = database.Transact(ctx, conn, s.dialect, func(tx database.Session) error { return s.storeBoth(ctx, tx, w) })
	if database.IsRaced(err) { // a node of a cluster may refuse the commit
		return errConflict
	}
	return err
}

// storeBoth carries a write out in a transaction.
func (s *Segments) storeBoth(ctx context.Context, tx session, w tagWrite) error {
	same := s.dialect.Same(w.seen.Origin)
	if err := s.exec(ctx, tx, s.leafStatement(w, same), exactly(1)); err != nil {
		return err
	}
	return s.exec(ctx, tx, s.takersStatement(w, same), exactly(1))
}

func (s *Segments) exec(ctx context.Context, conn session, text string, affects count) error {
	n, err := s.change(ctx, conn, text)
	switch {
	case err != nil:
		return err
	case n == 0:
		return errRaced
	case n < affects.least || n > affects.most:
		return fmt.Errorf("%w: a write to table %s changed %d rows, not %d", uid.ErrConfig, s.segments, n, affects.most)
	}
	return nil
}

// joined is the statement for both rows on MySQL.
func (s *Segments) joined(w tagWrite) string {
	return s.dialect.Strict("UPDATE") + " `" + s.segments + "` a, `" + s.takers + "` t SET " + s.leafSets("a.", w) + ", " + s.takersSets("t.", w) +
		" WHERE " + s.leafIs("a.", w) + " AND " + s.takersIs("t.", w) + " AND " + s.dialect.Same(w.seen.Origin)
}

// nested is the statement for both rows on PostgreSQL. What is there is locked, and as it was,
// before anything is written; the second table's row is written only with the first one's. A row of
// Leaf's table that somebody has made meanwhile is an error, which undoes the statement.
func (s *Segments) nested(w tagWrite) string {
	var tables, is []string
	if w.seen.leaf != nil {
		tables, is = append(tables, "`"+s.segments+"` a"), append(is, s.leafIs("a.", w))
	}
	if w.seen.takers != nil {
		tables, is = append(tables, "`"+s.takers+"` t"), append(is, s.takersIs("t.", w))
	}
	held, lock := "SELECT 1", ""
	if len(tables) > 0 {
		held, lock = held+" FROM "+strings.Join(tables, ", "), " FOR UPDATE"
	}
	held += " WHERE " + strings.Join(append(is, s.dialect.Same(w.seen.Origin)), " AND ") + lock
	noted := s.takersInsert() + " SELECT " + s.takersValues(w) + " FROM held ON CONFLICT DO NOTHING"
	if w.seen.takers != nil {
		noted = "UPDATE `" + s.takers + "` SET " + s.takersSets("", w) + " WHERE " + s.takersKey("", w) + " AND EXISTS (SELECT 1 FROM held)"
	}
	statement := s.leafInsert() + " SELECT " + s.leafValues(w) + " FROM noted"
	if w.seen.leaf != nil {
		statement = "UPDATE `" + s.segments + "` SET " + s.leafSets("", w) + " WHERE " + s.leafKey("", w) + " AND EXISTS (SELECT 1 FROM noted)"
	}
	return "WITH held AS MATERIALIZED (" + held + "), noted AS (" + noted + " RETURNING 1) " + statement
}

// leafStatement is the statement for the row of Leaf's table alone, and takersStatement that for
// the other one. same is the condition that they run where the rows were read.
func (s *Segments) leafStatement(w tagWrite, same string) string {
	if w.seen.leaf == nil {
		return s.leafInsert() + " SELECT " + s.leafValues(w) + " FROM (SELECT 1 AS ONE) o WHERE " + same
	}
	return "UPDATE `" + s.segments + "` SET " + s.leafSets("", w) + " WHERE " + s.leafIs("", w) + " AND " + same
}

func (s *Segments) takersStatement(w tagWrite, same string) string {
	if w.seen.takers == nil {
		return s.takersInsert() + " SELECT " + s.takersValues(w) + " FROM (SELECT 1 AS ONE) o WHERE " + same
	}
	return "UPDATE `" + s.takers + "` SET " + s.takersSets("", w) + " WHERE " + s.takersIs("", w) + " AND " + same
}

func (s *Segments) leafInsert() string {
	return "INSERT INTO `" + s.segments + "` (biz_tag, max_id, step, description, update_time)"
}

func (s *Segments) leafValues(w tagWrite) string {
	return s.dialect.Text(w.row.Tag) + ", " + database.Int(w.row.Next) + ", " + database.Int(w.row.Step) + ", " + s.dialect.Text(w.row.Description) + ", CURRENT_TIMESTAMP"
}

func (s *Segments) takersInsert() string {
	return "INSERT INTO `" + s.takers + "` (biz_tag, nonce, takers)"
}

func (s *Segments) takersValues(w tagWrite) string {
	return s.dialect.Text(w.seen.stored()) + ", " + s.dialect.Text(w.nonce) + ", " + s.dialect.Text(w.takers)
}

// leafSets assigns a row's values. of is the table's alias and a dot, or empty. A description that
// is NULL stays so.
func (s *Segments) leafSets(of string, w tagWrite) string {
	sets := of + "max_id = " + database.Int(w.row.Next) + ", " + of + "step = " + database.Int(w.row.Step) + ", " + of + "update_time = CURRENT_TIMESTAMP"
	if w.row.Description != w.seen.leaf.description.String {
		sets += ", " + of + "description = " + s.dialect.Text(w.row.Description)
	}
	return sets
}

func (s *Segments) takersSets(of string, w tagWrite) string {
	return of + "nonce = " + s.dialect.Text(w.nonce) + ", " + of + "takers = " + s.dialect.Text(w.takers)
}

func (s *Segments) leafKey(of string, w tagWrite) string {
	return of + "biz_tag = " + s.dialect.Text(w.seen.tag)
}

func (s *Segments) takersKey(of string, w tagWrite) string {
	return of + "biz_tag = " + s.dialect.Text(w.seen.stored())
}

// leafIs returns the condition that a row is as it was read: all its columns but the time, so that
// a change by hand is seen, too.
func (s *Segments) leafIs(of string, w tagWrite) string {
	d, was := s.dialect, w.seen.leaf
	is := s.leafKey(of, w) + " AND " + d.Bytes(of+"biz_tag") + " = " + d.Text(was.tag) + " AND " + of + "max_id = " + database.Int(was.next) + " AND " + of + "step = " + database.Int(was.step)
	if !was.description.Valid {
		return is + " AND " + of + "description IS NULL"
	}
	return is + " AND " + d.Bytes(of+"description") + " = " + d.Text(was.description.String)
}

func (s *Segments) takersIs(of string, w tagWrite) string {
	return s.takersKey(of, w) + " AND " + of + "nonce = " + s.dialect.Text(w.seen.takers.nonce) + " AND " + of + "takers = " + s.dialect.Text(w.seen.takers.text)
}
