package sqlstore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/uidgen/uid/internal/database"
)

// alone replaces one row, or makes the namespace's when was is nil.
func (l *leaseTable) alone(s sight, was *leaseRow, is leaseRow) attempt {
	a := attempt{Origin: s.Origin, what: whose(is)}
	switch {
	case was == nil:
		a.found = is.WorkerID
		a.writes = []write{{l.insert() + " SELECT ?" + strings.Repeat(", ?", len(leaseColumns)) +
			" FROM (SELECT 1 AS ONE) o WHERE " + l.dialect.Same(l.leases),
			join([]any{l.namespace}, is.values(), s.Is(l.dialect)), 1}}
	case *was != is:
		a.found = *was
		a.writes = []write{l.update(s, *was, is, true)}
		a.left = l.trace(is)
	}
	return a
}

// both replaces an ID's row, if the namespace is as it was read, and the namespace's row if that changes.
func (l *leaseTable) both(s sight, control leaseRow, was *leaseRow, is leaseRow) attempt {
	changes := control != *s.control // also where Given is only what was seen: the row may vanish
	a := attempt{Origin: s.Origin, what: whose(is), found: [2]leaseRow{stable(*s.control), *was}, left: l.trace(is),
		crowded: true}
	c, r := *s.control, *was
	switch l.dialect {
	case database.MySQL:
		// The namespace's row is written, too: servers that replicate to each other refuse one of two writes of the
		// same row, not what was decided by a row that was only read. A MariaDB server that is no node of a Galera
		// cluster reads it under a shared lock, so that no Take waits for another one; it skips such a comment.
		update, also := l.dialect.Strict("UPDATE"), sets("c.")+", "
		if !changes && s.Alone() {
			// Many that wait for a row, and have the lock on the namespace's, would keep others from making new ones.
			update, also = l.dialect.AtOnce("UPDATE"), "/*!50700 "+also+" */"
		}
		a.writes = []write{{
			update + " `" + l.leases + "` c, `" + l.leases + "` r SET " + also + sets("r.") +
				" WHERE " + asRead("c.", false) + " AND " + asRead("r.", true) + " AND " + l.dialect.Same(l.leases),
			join(touched(control).values()[1:], is.values()[1:], l.wasRead(c, false),
				l.wasRead(r, true), s.Is(l.dialect)), 2,
		}}
	case database.Postgres:
		if !changes {
			a.writes = []write{{
				"WITH held AS MATERIALIZED (SELECT 1 FROM `" + l.leases + "` WHERE " + asRead("", false) +
					" FOR SHARE) UPDATE `" + l.leases + "` SET " + sets("") + " WHERE " + asRead("", true) +
					" AND " + l.dialect.Same(l.leases) + " AND EXISTS (SELECT 1 FROM held)",
				join(l.wasRead(c, false), is.values()[1:], l.wasRead(r, true), s.Is(l.dialect)), 1,
			}}
			return a
		}
		fallthrough
	default:
		if changes {
			a.writes = append(a.writes, l.update(s, c, control, false))
		}
		if r != is {
			a.writes = append(a.writes, l.update(s, r, is, true))
		}
	}
	return a
}

// grown makes new rows, and changes the namespace's. It overwrites none.
func (l *leaseTable) grown(s sight, control leaseRow, made []leaseRow) attempt {
	a := attempt{Origin: s.Origin, what: whose(made[0]), found: [2]any{stable(*s.control), made[0].WorkerID},
		left: l.trace(made[0]), crowded: true}
	control = touched(control)
	var rows []any
	for _, r := range made {
		rows = join(rows, []any{l.namespace}, r.values())
	}
	row, n := "?"+strings.Repeat(", ?", len(leaseColumns)), len(made)
	update, values := l.update(s, *s.control, control, false), "VALUES ("+row+")"+strings.Repeat(", ("+row+")", n-1)
	switch l.dialect {
	case database.MySQL: // where a statement writes to a table once
		// Who has the lock will have changed the row. InnoDB's queue of n who wait for it costs each of them time that
		// grows with n.
		var updates []string
		for _, name := range leaseColumns[1:] {
			updates = append(updates, name+" = IF(`"+l.leases+"`.WORKER_ID = -1, VALUES("+name+
				"), `"+l.leases+"`."+name+")")
		}
		a.writes = []write{{
			l.insert() + " SELECT v.* FROM `" + l.leases + "` c, (SELECT ? AS NAMESPACE, ? AS " +
				strings.Join(leaseColumns, ", ? AS ") + strings.Repeat(" UNION ALL SELECT "+row, n) + ") v WHERE " +
				asRead("c.", false) + " AND " + l.dialect.Same(l.leases) + " AND NOT EXISTS (SELECT 1 FROM `" +
				l.leases + "` r WHERE r.NAMESPACE = c.NAMESPACE AND r.WORKER_ID BETWEEN ? AND ?)" +
				" FOR UPDATE /*!80001 NOWAIT */ /*M!100300 NOWAIT */ ON DUPLICATE KEY UPDATE " +
				strings.Join(updates, ", "),
			join([]any{l.namespace}, control.values(), rows, l.wasRead(*s.control, false), s.Is(l.dialect),
				[]any{made[0].WorkerID, made[n-1].WorkerID}),
			int64(n) + 2, // a row that is updated counts as two
		}}
	case database.Postgres:
		a.writes = []write{{"WITH held AS (" + update.statement + " RETURNING 1) " + l.insert() +
			" SELECT * FROM (" + values + ") v WHERE EXISTS (SELECT 1 FROM held)", join(update.args, rows), int64(n)}}
	default:
		a.writes = []write{update, {l.insert() + " " + values, rows, int64(n)}}
	}
	return a
}

// whose says whose row it is.
func whose(r leaseRow) string { return "worker ID " + strconv.FormatInt(r.WorkerID, 10) }

// stable returns a namespace's row without the NONCE, which each Take changes.
func stable(control leaseRow) leaseRow {
	control.Nonce = ""
	return control
}

func (l *leaseTable) insert() string {
	return l.dialect.Strict("INSERT") + " INTO `" + l.leases + "` (NAMESPACE, " + columnsOf("") + ")"
}

func (l *leaseTable) update(s sight, was, is leaseRow, nonce bool) write {
	return write{
		l.dialect.Strict("UPDATE") + " `" + l.leases + "` SET " + sets("") +
			" WHERE " + asRead("", nonce) + " AND " + l.dialect.Same(l.leases),
		join(is.values()[1:], l.wasRead(was, nonce), s.Is(l.dialect)), 1,
	}
}

// sets assigns all values but the key. of is the table's alias and a dot, or empty.
func sets(of string) string { return of + strings.Join(leaseColumns[1:], " = ?, "+of) + " = ?" }

// asRead is the condition that a row is as it was read: all its columns, so that a change by hand is seen,
// too. Of the namespace's row a Take leaves the NONCE out. wasRead has its arguments.
func asRead(of string, nonce bool) string {
	columns := slices.Clone(leaseColumns)
	if !nonce {
		columns = slices.Delete(columns, 1, 2)
	}
	return of + "NAMESPACE = ? AND " + of + strings.Join(columns, " = ? AND "+of) + " = ?"
}

func (l *leaseTable) wasRead(was leaseRow, nonce bool) []any {
	values := was.values()
	if !nonce {
		values = slices.Delete(values, 1, 2)
	}
	return join([]any{l.namespace}, values)
}

func join(args ...[]any) []any { return slices.Concat(args...) }

// trace returns how an ID's row that was written can be told in a SQLite file.
func (l *leaseTable) trace(row leaseRow) *trace {
	if row.WorkerID == controlID {
		return nil
	}
	return &trace{
		wrote: fmt.Sprintf("%s %d %d %d", row.Nonce, row.High, row.Until, row.Renewed),
		text:  "NONCE || ' ' || HIGH || ' ' || LEASE_UNTIL || ' ' || RENEWED",
		from:  "`" + l.leases + "` WHERE NAMESPACE = ? AND WORKER_ID = ?", args: []any{l.namespace, row.WorkerID},
	}
}
