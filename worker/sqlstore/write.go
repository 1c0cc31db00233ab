package sqlstore

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/uidgen/uid/internal/database"
)

// replace replaces one row, or makes the namespace's own row if was is nil.
func (l *leaseTable) replace(s snapshot, was *leaseRow, is leaseRow) attempt {
	a := attempt{Origin: s.Origin, what: whose(is)}
	switch {
	case was == nil:
		a.found = is.WorkerID
		a.writes = []write{{concat(l.insert(), sqlOf(" SELECT "), l.listed(is),
			sqlOf(" FROM (SELECT 1 AS ONE) o WHERE "), l.here(l.leases, &s.Origin)), 1}}
	case *was != is:
		a.found = *was
		a.writes = []write{l.update(s, *was, is, true)}
		a.left = l.readback(is)
	}
	return a
}

// replaceBoth replaces an ID's row, if the namespace's row is as it was read, and that row if it changes.
func (l *leaseTable) replaceBoth(s snapshot, control leaseRow, was *leaseRow, is leaseRow) attempt {
	changes := control != *s.control // also if only the highest row was above Given: that row may be deleted
	a := attempt{Origin: s.Origin, what: whose(is), found: [2]leaseRow{stable(*s.control), *was}, left: l.readback(is),
		crowded: true}
	switch {
	case l.dialect == database.MySQL:
		a.writes = []write{l.replaceBothAtOnce(s, control, *was, is, changes)}
	case l.dialect == database.Postgres && !changes:
		a.writes = []write{l.oneWhileHeld(s, *was, is)}
	default:
		if changes {
			a.writes = append(a.writes, l.update(s, *s.control, control, false))
		}
		if *was != is {
			a.writes = append(a.writes, l.update(s, *was, is, true))
		}
	}
	return a
}

// replaceBothAtOnce is a statement of MySQL for both rows. It writes the namespace's row even if that does not change:
// servers that replicate to each other refuse one of two writes of the same row, but not a decision by a row that was
// only read. A MariaDB server that is no node of a Galera cluster reads it under a shared lock, so that no Take waits
// for another one; it ignores such a comment.
func (l *leaseTable) replaceBothAtOnce(s snapshot, control, was, is leaseRow, changes bool) write {
	update, comment, end := strict(l.dialect, "UPDATE"), "", ", "
	if !changes && s.Standalone() {
		// Do not wait for the row while holding the namespace's lock: that keeps others from making new rows.
		update, comment, end = atOnce(l.dialect, "UPDATE"), "/*!50700 ", ", */"
	}
	return write{concat(sqlOf(update+" `"+l.leases+"` c, `"+l.leases+"` r SET "+comment), sets("c.", touched(control)),
		sqlOf(end), sets("r.", is), sqlOf(" WHERE "), l.asRead("c.", *s.control, false), sqlOf(" AND "),
		l.asRead("r.", was, true), sqlOf(" AND "), l.here(l.leases, &s.Origin)), 2}
}

// oneWhileHeld is a statement of PostgreSQL for an ID's row, while the namespace's row is locked and as it was read.
func (l *leaseTable) oneWhileHeld(s snapshot, was, is leaseRow) write {
	return write{concat(sqlOf("WITH held AS MATERIALIZED (SELECT 1 FROM `"+l.leases+"` WHERE "),
		l.asRead("", *s.control, false), sqlOf(" FOR SHARE) UPDATE `"+l.leases+"` SET "), sets("", is),
		sqlOf(" WHERE "), l.asRead("", was, true), sqlOf(" AND "), l.here(l.leases, &s.Origin),
		sqlOf(" AND EXISTS (SELECT 1 FROM held)")), 1}
}

// addRows makes new rows, and changes the namespace's. It overwrites no other row.
func (l *leaseTable) addRows(s snapshot, control leaseRow, made []leaseRow) attempt {
	a := attempt{Origin: s.Origin, what: whose(made[0]), found: [2]any{stable(*s.control), made[0].WorkerID},
		left: l.readback(made[0]), crowded: true}
	control = touched(control)
	update, values := l.update(s, *s.control, control, false), sqlOf("VALUES ")
	for i, r := range made {
		if i > 0 {
			values = concat(values, sqlOf(", "))
		}
		values = concat(values, sqlOf("("), l.listed(r), sqlOf(")"))
	}
	rows := int64(len(made))
	switch l.dialect {
	case database.MySQL:
		a.writes = []write{l.addRowsAtOnce(s, control, made)}
	case database.Postgres:
		a.writes = []write{{concat(sqlOf("WITH held AS ("), update.piece, sqlOf(" RETURNING 1) "), l.insert(),
			sqlOf(" SELECT * FROM ("), values, sqlOf(") v WHERE EXISTS (SELECT 1 FROM held)")), rows}}
	default:
		a.writes = []write{update, {concat(l.insert(), sqlOf(" "), values), rows}}
	}
	return a
}

// addRowsAtOnce is a statement of MySQL for all rows, since a statement can write to a table once. It does not wait for
// the lock: the client that has it changes the row, and in InnoDB a queue of n clients costs each time that grows with
// n.
func (l *leaseTable) addRowsAtOnce(s snapshot, control leaseRow, made []leaseRow) write {
	var updates []string
	for _, name := range leaseColumns[1:] {
		updates = append(updates,
			name+" = IF(`"+l.leases+"`.WORKER_ID = -1, VALUES("+name+"), `"+l.leases+"`."+name+")")
	}
	rows := sqlOf("SELECT ? AS NAMESPACE, ? AS "+strings.Join(leaseColumns, ", ? AS "), l.listed(control).args...)
	for _, r := range made {
		rows = concat(rows, sqlOf(" UNION ALL SELECT "), l.listed(r))
	}
	first, last := made[0].WorkerID, made[len(made)-1].WorkerID
	return write{concat(l.insert(), sqlOf(" SELECT v.* FROM `"+l.leases+"` c, ("), rows, sqlOf(") v WHERE "),
		l.asRead("c.", *s.control, false), sqlOf(" AND "), l.here(l.leases, &s.Origin),
		sqlOf(" AND NOT EXISTS (SELECT 1 FROM `"+l.leases+
			"` r WHERE r.NAMESPACE = c.NAMESPACE AND r.WORKER_ID BETWEEN ? AND ?)", first, last),
		sqlOf(" FOR UPDATE /*!80001 NOWAIT */ /*M!100300 NOWAIT */ ON DUPLICATE KEY UPDATE "+
			strings.Join(updates, ", "))), int64(len(made)) + 2} // a row that is updated counts as two
}

// whose names the owner of a row.
func whose(r leaseRow) string { return "worker ID " + strconv.FormatInt(r.WorkerID, 10) }

// stable returns a namespace's row without the NONCE, which each Take changes.
func stable(control leaseRow) leaseRow {
	control.Nonce = ""
	return control
}

func (l *leaseTable) insert() piece {
	return sqlOf(strict(l.dialect, "INSERT") + " INTO `" + l.leases + "` (NAMESPACE, " + columnsOf("") + ")")
}

// listed returns the values of a row, after its namespace.
func (l *leaseTable) listed(r leaseRow) piece {
	return listed(append([]any{l.namespace}, r.values()...)...)
}

func (l *leaseTable) update(s snapshot, was, is leaseRow, nonce bool) write {
	return write{concat(sqlOf(strict(l.dialect, "UPDATE")+" `"+l.leases+"` SET "), sets("", is), sqlOf(" WHERE "),
		l.asRead("", was, nonce), sqlOf(" AND "), l.here(l.leases, &s.Origin)), 1}
}

// sets assigns all columns but the key.
func sets(of string, is leaseRow) piece { return assign(of, leaseColumns[1:], is.values()[1:]) }

// asRead is the condition that a row is as it was read: in all columns, so that it fails after a change by hand, too. A
// Take leaves out the NONCE of the namespace's row.
func (l *leaseTable) asRead(of string, was leaseRow, nonce bool) piece {
	columns, values := leaseColumns, was.values()
	if !nonce {
		columns, values = without(columns, 1), without(values, 1)
	}
	return concat(sqlOf(of+"NAMESPACE = ? AND ", l.namespace), equal(of, columns, values))
}

// readback returns how an ID's row can be recognized in a SQLite file.
func (l *leaseTable) readback(row leaseRow) *readback {
	if row.WorkerID == controlID {
		return nil
	}
	return &readback{
		wrote: fmt.Sprintf("%s %d %d %d", row.Nonce, row.High, row.Until, row.Renewed),
		text:  "NONCE || ' ' || HIGH || ' ' || LEASE_UNTIL || ' ' || RENEWED",
		from:  sqlOf("`"+l.leases+"` WHERE NAMESPACE = ? AND WORKER_ID = ?", l.namespace, row.WorkerID),
	}
}
