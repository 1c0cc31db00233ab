package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/storage"
)

// A tagSnapshot is the result of one statement for a tag.
type tagSnapshot struct {
	database.Origin
	tag     string // that was asked for
	found   tagRow
	row     storage.Segment // found, for a decision
	missing bool            // a table is
}

// stored returns the tag as the tables have it: their collation may ignore case, for example.
func (s *tagSnapshot) stored() string {
	if s.found.tag.Valid {
		return s.found.tag.String
	}
	return s.tag
}

// look reads a tag for a decision, in one round trip. It ends a transaction that the program has left open first.
func (s *segmentTable) look(ctx context.Context, conn session, tag string) (tagSnapshot, error) {
	seen, err := s.lookOnce(ctx, conn, tag)
	if err == nil {
		var again bool
		if again, err = seen.Ready(ctx, conn, s.dialect); again {
			seen, err = s.lookOnce(ctx, conn, tag)
		}
	}
	if err == nil {
		err = seen.Writable(s.dialect)
	}
	if err == nil {
		err = s.schema.Bind(s.segments, seen.Schema)
	}
	return seen, err
}

// lookOnce reads the tables that exist: a decision that stores nothing needs none.
func (s *segmentTable) lookOnce(ctx context.Context, conn session, tag string) (tagSnapshot, error) {
	return whatThereIs(func(there tablesThere) (tagSnapshot, error) { return s.lookAt(ctx, conn, tag, there) })
}

// whatThereIs reads both tables in one statement, or else Leaf's alone, or else none.
func whatThereIs[T any](read func(tablesThere) (T, error)) (T, error) {
	isMissing := func(err error) bool { return database.IsMissingTable(err) }
	both, err := read(tablesThere{leaf: true, takers: true})
	if !isMissing(err) {
		return both, err
	}
	alone, err := read(tablesThere{leaf: true})
	switch {
	case isMissing(err):
		return read(tablesThere{})
	case err != nil:
		return alone, err
	}
	// If the other table was made meanwhile, another client may have written to both before Leaf's was read alone.
	if both, err = read(tablesThere{leaf: true, takers: true}); isMissing(err) {
		return alone, nil
	}
	return both, err
}

// tablesThere says which tables there are.
type tablesThere struct{ leaf, takers bool }

// columns returns the columns of a tag: a is its row of Leaf's table, t that of the other one.
func (s *segmentTable) columns(there tablesThere) string {
	d := s.dialect
	columns := "NULL, NULL, NULL, NULL, NULL"
	if there.leaf {
		columns = bytesOf(d, "a.biz_tag") + ", a.max_id, a.step, " +
			bytesOf(d, "a.description") + ", " + microsOf(d, "a.update_time")
	}
	if there.takers {
		return columns + ", " + bytesOf(d, "t.nonce") + ", " + bytesOf(d, "t.takers")
	}
	return columns + ", NULL, NULL"
}

func (s *segmentTable) lookAt(ctx context.Context, conn session, tag string, there tablesThere) (tagSnapshot, error) {
	d := s.dialect
	seen := tagSnapshot{tag: tag, missing: !there.takers}
	text := "SELECT " + d.OriginColumns(s.segments) + ", " + s.columns(there) + " FROM (SELECT 1 AS ONE) o"
	var args []any
	if there.leaf {
		text, args = text+" LEFT JOIN `"+s.segments+"` a ON a.biz_tag = ?", append(args, tag)
	}
	if there.takers {
		text += " LEFT JOIN `" + s.takers + "` t ON t.biz_tag = " + d.Indexed("COALESCE(a.biz_tag, ?)")
		args = append(args, tag)
	}
	fields := func(r *tagRow) []any { return append(seen.Fields(), r.fields()...) }
	all, err := query(ctx, &s.tables, conn, fields, text, args...)
	switch {
	case err != nil:
		return seen, database.Failed("read table "+s.segments, err)
	case len(all) > 1:
		return seen, fmt.Errorf("%w: table %s has more than one row of tag %q", uid.ErrConfig, s.segments, tag)
	case len(all) == 1:
		seen.found = all[0]
	}
	seen.row, err = seen.found.parse(tag)
	return seen, err
}

// page reads rows in the order of the tags' bytes.
func (s *segmentTable) page(ctx context.Context, conn session, after string, most int,
	there tablesThere) ([]storage.Segment, error) {
	if !there.leaf {
		return nil, nil
	}
	d := s.dialect
	text := "SELECT " + s.columns(there) + " FROM `" + s.segments + "` a"
	if there.takers {
		text += " LEFT JOIN `" + s.takers + "` t ON t.biz_tag = " + d.Indexed("a.biz_tag")
	}
	text += " WHERE " + bytesOf(d, "a.biz_tag") + " > ? ORDER BY " + bytesOf(d, "a.biz_tag") + " LIMIT ?"
	all, err := query(ctx, &s.tables, conn, (*tagRow).fields, text, after, int64(most))
	if err != nil {
		return nil, database.Failed("read table "+s.segments, err)
	}
	var rows []storage.Segment
	for _, r := range all {
		row, err := r.parse(r.tag.String)
		if err == nil {
			err = row.Check()
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// A tagRow is a row of both tables as the database returns it. Leaf's table has a row if the tag is not NULL, the other
// one if the nonce is not NULL. Only Leaf writes a row of its table without the other one. Numbers are texts: SQLite
// keeps any value in any column.
type tagRow struct {
	tag, next, step, description sql.NullString
	updated                      sql.NullInt64
	nonce, takers                sql.NullString
}

func (r *tagRow) fields() []any {
	return []any{&r.tag, &r.next, &r.step, &r.description, &r.updated, &r.nonce, &r.takers}
}

// parse converts a row. It is Fresh if Leaf's table has none.
func (r *tagRow) parse(tag string) (row storage.Segment, err error) {
	if row.Fresh = !r.tag.Valid; !row.Fresh {
		if row.Next, err = number(tag, "max_id", r.next); err != nil {
			return row, err
		}
		if row.Step, err = number(tag, "step", r.step); err != nil {
			return row, err
		}
		if row.Description = r.description.String; r.updated.Int64 != 0 {
			row.Updated = timeOf(r.updated.Int64)
		}
	}
	if r.nonce.Valid {
		if err = storage.UnmarshalTakers(r.takers.String, &row); err != nil {
			return row, fmt.Errorf("the takers of tag %q: %w", tag, err)
		}
	}
	row.Tag = tag
	return row, nil
}

// number reads an integer.
func number(tag, column string, text sql.NullString) (int64, error) {
	n, err := strconv.ParseInt(text.String, 10, 64)
	if err != nil {
		is := "NULL"
		if text.Valid {
			is = strconv.Quote(text.String[:min(len(text.String), 40)])
		}
		return 0, fmt.Errorf("%w: the column %s of tag %q is %s, want an integer from 0 to %d",
			uid.ErrRange, column, tag, is, int64(1<<63-1))
	}
	return n, nil
}
