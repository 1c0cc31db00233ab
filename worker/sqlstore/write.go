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
	rows         []*change // in place of row, those of a batch: two or more, each with a row to replace or none of them
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
	case len(w.rows) > 0:
		return l.batch(w, same)
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
	case d == database.Postgres:
		held := "SELECT 1 FROM `" + l.leases + "` c WHERE " + l.is("c.", *w.control.was, false) + " AND " + same + " FOR UPDATE"
		made := l.insert() + " SELECT " + l.values(w.row.is) + " FROM held ON CONFLICT DO NOTHING RETURNING 1"
		return "WITH held AS MATERIALIZED (" + held + "), made AS (" + made + ") " + l.update("", w.control.is) +
			" WHERE " + l.key("", controlID) + " AND EXISTS (SELECT 1 FROM made)", exactly(1)
	case w.row.was != nil:
		affects := exactly(2)
		if !w.row.changes() {
			affects.least = 1
		}
		return d.Strict("UPDATE") + " `" + l.leases + "` c, `" + l.leases + "` r SET " + l.sets("c.", w.control.is) + ", " + l.sets("r.", w.row.is) +
			" WHERE " + l.is("c.", *w.control.was, false) + " AND " + l.is("r.", *w.row.was, true) + " AND " + same, affects
	}
	// The namespace's row is updated, which counts as 2, and the ID's inserted. If the ID has one
	// already, the sum that is computed for it is too large for any integer: an error in every
	// mode of a session, which undoes the statement.
	var columns, updates []string
	is, new := l.literals(w.control.is), l.literals(w.row.is)
	for i, name := range valueColumns {
		columns = append(columns, "CASE i.ID WHEN "+database.Int(controlID)+" THEN "+is[i]+" ELSE "+new[i]+" END")
		updates = append(updates, name+" = VALUES("+name+")")
	}
	updates[highColumn] = "HIGH = CASE `" + l.leases + "`.WORKER_ID WHEN " + database.Int(controlID) + " THEN VALUES(HIGH) ELSE 9223372036854775807 + 2 + `" + l.leases + "`.WORKER_ID END"
	return l.insert() + " SELECT c.NAMESPACE, i.ID, " + strings.Join(columns, ", ") + " FROM `" + l.leases + "` c JOIN (SELECT " + database.Int(controlID) +
		" AS ID UNION ALL SELECT " + database.Int(w.row.is.WorkerID) + ") i WHERE " + l.is("c.", *w.control.was, false) + " AND " + same +
		" FOR UPDATE ON DUPLICATE KEY UPDATE " + strings.Join(updates, ", "), exactly(3)
}

// batch returns the statement of a batch. The row of the namespace is locked before any other.
func (l *Leases) batch(w write, same string) (text string, affects count) {
	d, k := l.dialect, int64(len(w.rows))
	held := "SELECT 1 FROM `" + l.leases + "` c WHERE " + l.is("c.", *w.control.was, false) + " AND " + same + " FOR UPDATE"
	made := w.rows[0].was == nil
	all := append([]*change{w.control}, w.rows...)
	switch {
	case d == database.Postgres && made: // a duplicate is an error, since some of the rows would be there else
		return "WITH held AS MATERIALIZED (" + held + "), made AS (" + l.insert() + " SELECT " + d.Text(l.namespace) + ", v.* FROM (" + l.table(w.rows) +
			") v WHERE EXISTS (SELECT 1 FROM held) RETURNING 1) " + l.update("", w.control.is) +
			" WHERE " + l.key("", controlID) + " AND (SELECT COUNT(*) FROM made) = " + database.Int(k), exactly(1)
	case d == database.Postgres:
		var were, sets []string
		for _, c := range w.rows {
			were = append(were, "("+l.is("r.", *c.was, true)+")")
		}
		for _, name := range valueColumns {
			sets = append(sets, name+" = v."+name)
		}
		return "WITH held AS MATERIALIZED (" + held + "), rest AS MATERIALIZED (SELECT 1 FROM `" + l.leases + "` r WHERE (" + strings.Join(were, " OR ") +
			") AND EXISTS (SELECT 1 FROM held) FOR UPDATE) UPDATE `" + l.leases + "` t SET " + strings.Join(sets, ", ") + " FROM (" + l.table(all) +
			") v WHERE t.NAMESPACE = " + d.Text(l.namespace) + " AND t.WORKER_ID = v.WORKER_ID AND (SELECT COUNT(*) FROM rest) = " + database.Int(k), exactly(k + 1)
	}
	// All rows are inserted, which updates those that are there. If one of these is not as it was the
	// HIGH that is computed for it is too large for any integer, as above. It is computed first, by
	// the row as it is: later assignments see what earlier ones have made of it.
	table := "`" + l.leases + "`."
	tooLarge := "9223372036854775807 + 2 + " + table + "WORKER_ID"
	high := "CASE " + table + "WORKER_ID WHEN " + database.Int(controlID) + " THEN VALUES(HIGH)"
	for _, c := range w.rows {
		if c.was != nil {
			high += " WHEN " + database.Int(c.is.WorkerID) + " THEN CASE WHEN " + l.is(table, *c.was, true) + " THEN VALUES(HIGH) ELSE " + tooLarge + " END"
		}
	}
	updates := []string{"HIGH = " + high + " ELSE " + tooLarge + " END"}
	for _, name := range valueColumns {
		if name != "HIGH" {
			updates = append(updates, name+" = VALUES("+name+")")
		}
	}
	affects = exactly(2 + k)
	if !made {
		affects = exactly(2 + 2*k)
		for _, c := range w.rows {
			if !c.changes() {
				affects.least -= 2
			}
		}
	}
	return l.insert() + " SELECT c.NAMESPACE, v.* FROM `" + l.leases + "` c JOIN (" + l.table(all) + ") v WHERE " + l.is("c.", *w.control.was, false) +
		" AND " + same + " FOR UPDATE ON DUPLICATE KEY UPDATE " + strings.Join(updates, ", "), affects
}

// table selects what changes make of rows, by leaseColumns.
func (l *Leases) table(all []*change) string {
	var rows []string
	for i, c := range all {
		values := append([]string{database.Int(c.is.WorkerID)}, l.literals(c.is)...)
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
	for _, c := range append([]*change{w.control, w.row}, w.rows...) {
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
