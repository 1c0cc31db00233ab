package sqlstore

import (
	"crypto/rand"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/segmentjson"
	"github.com/uidgen/uid/internal/segmentstore"
)

// A tagWrite is a change of a tag's rows in both tables, by what was seen. It is carried out on the
// server that was looked at, all or nothing, if nobody has changed either row.
type tagWrite struct {
	seen   tagSight
	row    segmentstore.Row
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

// attempt returns the statements of a write.
func (s *segmentTable) attempt(w tagWrite) attempt {
	a := attempt{Origin: w.seen.Origin, found: w.seen.found, wrong: uid.ErrConfig}
	a.what = fmt.Sprintf("tag %q in table %s", w.seen.tag, s.segments)
	a.left = &trace{wrote: w.nonce, text: "nonce", from: "`" + s.takers + "` WHERE biz_tag = ?",
		args: []any{w.seen.stored()}}
	same, here := s.dialect.Same(s.segments), w.seen.Is(s.dialect)
	if w.seen.row.Fresh {
		a.writes = []write{{
			"INSERT INTO `" + s.segments + "` (biz_tag, max_id, step, description, update_time)" +
				" SELECT ?, ?, ?, ?, CURRENT_TIMESTAMP FROM (SELECT 1 AS ONE) o WHERE " + same,
			join([]any{w.row.Tag, w.row.Next, w.row.Step, w.row.Description}, here), 1,
		}, s.takersWrite(w)}
		return a
	}
	if !w.seen.found.nonce.Valid && s.dialect == database.MySQL {
		// Of a tag of Leaf's: an empty row is as good as none. In a transaction it would not show whether
		// Leaf's row is as it was: it may not change.
		w.takers = ""
		a.writes, a.again = []write{s.takersWrite(w)}, true
		return a
	}
	of := map[database.Dialect]string{database.MySQL: "a."}[s.dialect]
	sets, values := w.leafSets(of)
	is, was := s.leafIs("a.", w)
	switch {
	case s.dialect == database.MySQL:
		// Where update_time is as it was, and max_id is, MySQL counts Leaf's row as unchanged.
		a.writes = []write{{
			s.dialect.Strict("UPDATE") + " `" + s.segments + "` a, `" + s.takers + "` t SET " + sets +
				", t.nonce = ?, t.takers = ? WHERE " + is + " AND " + takersIs("t.") + " AND " + same,
			join(values, []any{w.nonce, w.takers}, was, w.takersWas(), here), 2,
		}}
	case s.dialect == database.Postgres && w.seen.found.nonce.Valid:
		// Both rows are locked, and as they were, before any is changed.
		a.writes = []write{{
			"WITH held AS MATERIALIZED (SELECT 1 FROM `" + s.segments + "` a, `" + s.takers + "` t" +
				" WHERE " + is + " AND " + takersIs("t.") + " AND " + same + " FOR UPDATE)," +
				" noted AS (UPDATE `" + s.takers + "` SET nonce = ?, takers = ?" +
				" WHERE biz_tag = ? AND EXISTS (SELECT 1 FROM held) RETURNING 1)" +
				" UPDATE `" + s.segments + "` SET " + sets + " WHERE biz_tag = ? AND EXISTS (SELECT 1 FROM noted)",
			join(was, w.takersWas(), here, []any{w.nonce, w.takers, w.seen.stored()}, values, []any{w.seen.tag}), 1,
		}}
	default:
		is, was = s.leafIs("", w)
		a.writes = []write{{"UPDATE `" + s.segments + "` SET " + sets + " WHERE " + is, join(values, was), 1},
			s.takersWrite(w)}
	}
	return a
}

// takersWrite is the statement for the row of takers alone.
func (s *segmentTable) takersWrite(w tagWrite) write {
	same, here := s.dialect.Same(s.segments), w.seen.Is(s.dialect)
	if !w.seen.found.nonce.Valid {
		return write{"INSERT INTO `" + s.takers + "` (biz_tag, nonce, takers)" +
			" SELECT ?, ?, ? FROM (SELECT 1 AS ONE) o WHERE " + same,
			join([]any{w.seen.stored(), w.nonce, w.takers}, here), 1}
	}
	return write{"UPDATE `" + s.takers + "` SET nonce = ?, takers = ? WHERE " + takersIs("") + " AND " + same,
		join([]any{w.nonce, w.takers}, w.takersWas(), here), 1}
}

// leafSets assigns a row's values. of is the table's alias and a dot, or empty. A description that is
// NULL stays so where none is written.
func (w *tagWrite) leafSets(of string) (text string, args []any) {
	text, args = of+"max_id = ?, "+of+"step = ?, "+of+"update_time = CURRENT_TIMESTAMP", []any{w.row.Next, w.row.Step}
	if w.row.Description != w.seen.row.Description {
		text, args = text+", "+of+"description = ?", append(args, w.row.Description)
	}
	return text, args
}

// leafIs is the condition that a row is as it was read: all its columns but the time, so that a change
// by hand is seen, too.
func (s *segmentTable) leafIs(of string, w tagWrite) (text string, args []any) {
	d, was := s.dialect, w.seen.found
	text = of + "biz_tag = ? AND " + d.Bytes(of+"biz_tag") + " = ? AND " + of + "max_id = ? AND " + of + "step = ? AND "
	args = []any{w.seen.tag, was.tag.String, w.seen.row.Next, w.seen.row.Step}
	if !was.description.Valid {
		return text + of + "description IS NULL", args
	}
	return text + d.Bytes(of+"description") + " = ?", append(args, was.description.String)
}

// takersIs is the same of the other table, and takersWas its arguments.
func takersIs(of string) string {
	return of + "biz_tag = ? AND " + of + "nonce = ? AND " + of + "takers = ?"
}

func (w *tagWrite) takersWas() []any {
	return []any{w.seen.stored(), w.seen.found.nonce.String, w.seen.found.takers.String}
}
