package sqlstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker"
)

// A write is a change of the row of an ID, of the namespace's own row, or of both, by what was
// seen. A single statement carries it out, all or nothing, on the server that was looked at, if
// nobody has changed what it replaces.
type write struct {
	control, row *change
	others       []leaseRow // new ones, besides the row if that is new
}

// A change of a row; was is nil for a row that is not there yet.
type change struct {
	was *leaseRow
	is  leaseRow
}

// changes reports whether there is anything to write.
func (c *change) changes() bool { return c != nil && (c.was == nil || *c.was != c.is) }

// A count is how many rows a statement affects. MySQL counts those that it has changed or, as the
// driver may ask it to, those that it has found.
type count struct{ least, most int64 }

func exactly(n int64) count { return count{n, n} }

// statement returns the statement, and how many rows it affects.
func (l *Leases) statement(w write, o database.Origin) (text string, affects count) {
	d := l.dialect
	same := d.Same(o)
	switch {
	case w.row == nil && w.control.was == nil: // a duplicate is an error or, on PostgreSQL, nothing
		return l.insert() + " SELECT " + l.values(w.control.is) + " FROM (SELECT 1 AS ONE) o WHERE " + same + d.OrNothing(), exactly(1)
	case w.row == nil:
		return l.update("", w.control.is) + " WHERE " + l.is("", *w.control.was, true) + " AND " + same, exactly(1)
	case w.control == nil:
		return l.update("", w.row.is) + " WHERE " + l.is("", *w.row.was, true) + " AND " + same, exactly(1)
	case d == database.Postgres && w.row.was != nil:
		// Both rows are locked, and as they were, before any is changed.
		held := "SELECT 1 FROM `" + l.leases + "` c, `" + l.leases + "` r WHERE " + l.is("c.", *w.control.was, false) + " AND " + l.is("r.", *w.row.was, true) + " AND " + same + " FOR UPDATE"
		return "WITH held AS MATERIALIZED (" + held + ") UPDATE `" + l.leases + "` SET " + l.either(w.control.is, w.row.is) +
			" WHERE NAMESPACE = " + d.Text(l.namespace) + " AND WORKER_ID IN (" + database.Int(controlID) + ", " + database.Int(w.row.is.WorkerID) + ") AND EXISTS (SELECT 1 FROM held)", exactly(2)
	case w.row.was != nil:
		affects := exactly(2)
		if !w.row.changes() {
			affects.least = 1
		}
		return d.Strict("UPDATE") + " `" + l.leases + "` c, `" + l.leases + "` r SET " + l.sets("c.", w.control.is) + ", " + l.sets("r.", w.row.is) +
			" WHERE " + l.is("c.", *w.control.was, false) + " AND " + l.is("r.", *w.row.was, true) + " AND " + same, affects
	}
	return l.made(w, same)
}

// made returns the statement that makes new rows.
func (l *Leases) made(w write, same string) (text string, affects count) {
	made := append([]leaseRow{w.row.is}, w.others...)
	if l.dialect == database.Postgres { // a duplicate is an error, which undoes the statement
		held := "SELECT 1 FROM `" + l.leases + "` c WHERE " + l.is("c.", *w.control.was, false) +
			" AND " + same + " FOR UPDATE"
		text = "WITH held AS MATERIALIZED (" + held + "), " +
			"made AS (" + l.inserted(made) + " WHERE EXISTS (SELECT 1 FROM held) RETURNING 1) " +
			l.update("", w.control.is) + " WHERE " + l.key("", controlID) + " AND EXISTS (SELECT 1 FROM made)"
		return text, exactly(1)
	}
	// The namespace's row is updated, which counts as 2, and the others inserted. If one of these is
	// there already, the sum that is computed for it is too large for any integer: an error in every
	// mode of a session, which undoes the statement.
	var updates []string
	for _, name := range valueColumns {
		updates = append(updates, name+" = VALUES("+name+")")
	}
	updates[highColumn] = "HIGH = CASE `" + l.leases + "`.WORKER_ID WHEN " + database.Int(controlID) + " THEN VALUES(HIGH) ELSE 9223372036854775807 + 2 + `" + l.leases + "`.WORKER_ID END"
	text = l.insert() + " SELECT c.NAMESPACE, v.* FROM `" + l.leases + "` c" +
		" JOIN (" + l.table(append([]leaseRow{w.control.is}, made...)) + ") v" +
		" WHERE " + l.is("c.", *w.control.was, false) + " AND " + same +
		" FOR UPDATE ON DUPLICATE KEY UPDATE " + strings.Join(updates, ", ")
	return text, exactly(2 + int64(len(made)))
}

// inserted inserts rows.
func (l *Leases) inserted(rows []leaseRow) string {
	return l.insert() + " SELECT " + l.dialect.Text(l.namespace) + ", v.* FROM (" + l.table(rows) + ") v"
}

// table selects rows that are not there, by leaseColumns.
func (l *Leases) table(all []leaseRow) string {
	var rows []string
	for i, r := range all {
		values := append([]string{database.Int(r.WorkerID)}, l.literals(r)...)
		if i == 0 {
			for k, name := range valueColumns {
				values[k+1] += " AS " + name
			}
			values[0] += " AS WORKER_ID"
		}
		rows = append(rows, "SELECT "+strings.Join(values, ", "))
	}
	return strings.Join(rows, " UNION ALL ")
}

// valueColumns are the columns but for the key.
var valueColumns = strings.Split(leaseColumns, ", ")[1:]

// highColumn is the place of HIGH in valueColumns.
const highColumn = 1

// literals returns the values of valueColumns as they stand in a statement.
func (l *Leases) literals(r leaseRow) []string {
	d := l.dialect
	return []string{
		d.Text(r.Nonce), database.Int(r.High), database.Int(r.Until), d.Text(r.Layout), d.Text(r.Holder),
		database.Int(r.Acquired), database.Int(r.Renewed), database.Int(r.Reach),
	}
}

func (l *Leases) values(r leaseRow) string {
	return l.dialect.Text(l.namespace) + ", " + database.Int(r.WorkerID) + ", " + strings.Join(l.literals(r), ", ")
}

func (l *Leases) insert() string {
	return l.dialect.Strict("INSERT") + " INTO `" + l.leases + "` (NAMESPACE, " + leaseColumns + ")"
}

func (l *Leases) update(of string, r leaseRow) string {
	return l.dialect.Strict("UPDATE") + " `" + l.leases + "` SET " + l.sets(of, r)
}

// sets assigns a row's values. of is the table's alias and a dot, or empty.
func (l *Leases) sets(of string, r leaseRow) string {
	var all []string
	for i, value := range l.literals(r) {
		all = append(all, of+valueColumns[i]+" = "+value)
	}
	return strings.Join(all, ", ")
}

// either assigns the namespace's values to its row, and those of the ID's row to that.
func (l *Leases) either(control, row leaseRow) string {
	var all []string
	new := l.literals(row)
	for i, value := range l.literals(control) {
		all = append(all, valueColumns[i]+" = CASE WORKER_ID WHEN "+database.Int(controlID)+" THEN "+value+" ELSE "+new[i]+" END")
	}
	return strings.Join(all, ", ")
}

func (l *Leases) key(of string, id int64) string {
	return of + "NAMESPACE = " + l.dialect.Text(l.namespace) + " AND " + of + "WORKER_ID = " + database.Int(id)
}

// is returns the condition that a row is as it was read: all its columns, so that a change by
// hand is seen, too. Of the namespace's row a Take leaves the NONCE out.
func (l *Leases) is(of string, r leaseRow, nonce bool) string {
	condition := l.key(of, r.WorkerID)
	for i, value := range l.literals(r) {
		if nonce || valueColumns[i] != "NONCE" {
			condition += " AND " + of + valueColumns[i] + " = " + value
		}
	}
	return condition
}

// touched returns the namespace's row with a NONCE of its own. Each acquisition writes that row:
// the nodes of a Galera cluster compare what two transactions have written, and not what they
// have read.
func touched(r leaseRow) leaseRow {
	r.Nonce = rand.Text()
	return r
}

// store carries a write out. It returns errRaced or errConflict when nothing was stored because
// somebody else has written, and nil when everything was.
func (l *Leases) store(ctx context.Context, conn session, w write, s sight) error {
	text, affects := l.statement(w, s.Origin)
	return l.finish(ctx, conn, s.Origin, l.exec(ctx, conn, text, affects))
}

// storeInFile does so on SQLite, whose transaction has locked the file before it was read.
func (l *Leases) storeInFile(ctx context.Context, conn session, w write) error {
	if len(w.others) > 0 {
		if err := l.exec(ctx, conn, l.inserted(w.others), exactly(int64(len(w.others)))); err != nil {
			return err
		}
	}
	for _, c := range []*change{w.control, w.row} {
		if !c.changes() {
			continue
		}
		alone := write{control: c} // of the forms of a statement that of one row
		text, affects := l.statement(alone, database.Origin{})
		if err := l.exec(ctx, conn, text, affects); errors.Is(err, errRaced) {
			return unconfirmed(c.is.WorkerID)
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (l *Leases) exec(ctx context.Context, conn session, text string, affects count) error {
	n, err := l.change(ctx, conn, text)
	switch {
	case err != nil:
		return noNamespace(err)
	case n == 0:
		return errRaced
	case n < affects.least || n > affects.most:
		return fmt.Errorf("%w: a write changed %d rows, not %d", worker.ErrUnconfirmed, n, affects.most)
	}
	return nil
}

// unconfirmed returns the error of a write that changed no row, though nobody else has written.
func unconfirmed(id int64) error {
	return fmt.Errorf("%w: the update changed 0 rows of worker ID %d, not 1, though nobody else has written: is there a trigger, or does a proxy share connections?", worker.ErrUnconfirmed, id)
}
