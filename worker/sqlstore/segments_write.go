package sqlstore

import (
	"crypto/rand"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/storage"
)

// A tagWrite is a change of a tag's rows in both tables. It happens on the server that was read, all or nothing, if no
// other client has changed either row.
type tagWrite struct {
	seen   tagSnapshot
	row    storage.Segment
	takers string
	// nonce is this write's own: after it a row differs from an older snapshot even if all its values are the same.
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
	w.takers, err = storage.MarshalTakers(*row)
	return err
}

// attempt returns the statements of a write.
func (s *segmentTable) attempt(w tagWrite) attempt {
	a := attempt{Origin: w.seen.Origin, found: w.seen.found, wrong: uid.ErrConfig}
	a.what = fmt.Sprintf("tag %q in table %s", w.seen.tag, s.segments)
	a.left = &readback{wrote: w.nonce, text: "nonce",
		from: sqlOf("`"+s.takers+"` WHERE biz_tag = ?", w.seen.stored())}
	here := s.here(s.segments, &w.seen.Origin)
	if w.seen.row.Fresh {
		a.writes = []write{{concat(
			sqlOf("INSERT INTO `"+s.segments+"` (biz_tag, max_id, step, description, update_time) SELECT "),
			listed(w.row.Tag, w.row.Next, w.row.Step, w.row.Description),
			sqlOf(", CURRENT_TIMESTAMP FROM (SELECT 1 AS ONE) o WHERE "), here), 1}, s.takersWrite(w)}
		return a
	}
	if !w.seen.found.nonce.Valid && s.dialect == database.MySQL {
		// The tag is Leaf's: first insert an empty row of takers, which means none. In a transaction with it an update
		// of Leaf's row would not tell whether the row is as it was read: it may stay the same.
		w.takers = ""
		a.writes, a.again = []write{s.takersWrite(w)}, true
		return a
	}
	switch {
	case s.dialect == database.MySQL:
		// If update_time and max_id stay the same, MySQL counts Leaf's row as unchanged.
		a.writes = []write{{concat(sqlOf(strict(s.dialect, "UPDATE")+" `"+s.segments+"` a, `"+s.takers+"` t SET "),
			w.leafSets("a."), sqlOf(", "), w.takersSet("t."), sqlOf(" WHERE "), s.leafIs("a.", w), sqlOf(" AND "),
			w.takersAre("t."), sqlOf(" AND "), here), 2}}
	case s.dialect == database.Postgres && w.seen.found.nonce.Valid:
		// Both rows are locked, and as they were, before any is changed.
		a.writes = []write{{concat(
			sqlOf("WITH held AS MATERIALIZED (SELECT 1 FROM `"+s.segments+"` a, `"+s.takers+"` t WHERE "),
			s.leafIs("a.", w), sqlOf(" AND "), w.takersAre("t."), sqlOf(" AND "), here,
			sqlOf(" FOR UPDATE), noted AS (UPDATE `"+s.takers+"` SET "), w.takersSet(""),
			sqlOf(" WHERE biz_tag = ? AND EXISTS (SELECT 1 FROM held) RETURNING 1)", w.seen.stored()),
			sqlOf(" UPDATE `"+s.segments+"` SET "), w.leafSets(""),
			sqlOf(" WHERE biz_tag = ? AND EXISTS (SELECT 1 FROM noted)", w.seen.tag)), 1}}
	default:
		a.writes = []write{{concat(sqlOf("UPDATE `"+s.segments+"` SET "), w.leafSets(""), sqlOf(" WHERE "),
			s.leafIs("", w)), 1}, s.takersWrite(w)}
	}
	return a
}

// takersWrite is the statement for the row of takers alone.
func (s *segmentTable) takersWrite(w tagWrite) write {
	here := s.here(s.segments, &w.seen.Origin)
	if !w.seen.found.nonce.Valid {
		return write{concat(sqlOf("INSERT INTO `"+s.takers+"` (biz_tag, nonce, takers) SELECT "),
			listed(w.seen.stored(), w.nonce, w.takers), sqlOf(" FROM (SELECT 1 AS ONE) o WHERE "), here), 1}
	}
	return write{concat(sqlOf("UPDATE `"+s.takers+"` SET "), w.takersSet(""), sqlOf(" WHERE "), w.takersAre(""),
		sqlOf(" AND "), here), 1}
}

// leafSets assigns a row's values. of is the table's alias and a dot, or empty. A description that is NULL stays NULL
// if none is written.
func (w *tagWrite) leafSets(of string) piece {
	p := sqlOf(of+"max_id = ?, "+of+"step = ?, "+of+"update_time = CURRENT_TIMESTAMP", w.row.Next, w.row.Step)
	if w.row.Description != w.seen.row.Description {
		p = concat(p, sqlOf(", "+of+"description = ?", w.row.Description))
	}
	return p
}

// leafIs is the condition that a row is as it was read: in all columns but the time, so that it fails after a change by
// hand, too.
func (s *segmentTable) leafIs(of string, w tagWrite) piece {
	d, was := s.dialect, w.seen.found
	p := sqlOf(of+"biz_tag = ? AND "+bytesOf(d, of+"biz_tag")+" = ? AND "+of+"max_id = ? AND "+of+"step = ? AND ",
		w.seen.tag, was.tag.String, w.seen.row.Next, w.seen.row.Step)
	if !was.description.Valid {
		return concat(p, sqlOf(of+"description IS NULL"))
	}
	return concat(p, sqlOf(bytesOf(d, of+"description")+" = ?", was.description.String))
}

// takersSet and takersAre are the same for the other table.
func (w *tagWrite) takersSet(of string) piece {
	return assign(of, []string{"nonce", "takers"}, []any{w.nonce, w.takers})
}

func (w *tagWrite) takersAre(of string) piece {
	found := w.seen.found
	return equal(of, []string{"biz_tag", "nonce", "takers"}, []any{w.seen.stored(), found.nonce.String,
		found.takers.String})
}
