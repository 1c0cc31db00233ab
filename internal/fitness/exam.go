package fitness

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
)

// Tables are the names of the workers' tables.
type Tables struct{ Nodes, Leases, Segments string }

// Examine returns all that is to be said of the server, account and session that answer. It needs no right but
// to read the tables; what a server shows to some accounts only becomes a note.
func Examine(ctx context.Context, conn *sqlx.Conn, dialect database.Dialect, t Tables, cfg doctor.Config) (
	[]doctor.Finding, error,
) {
	e := &exam{conn: conn, dialect: dialect, Config: cfg, Tables: t, person: true, takeovers: true}
	steps := map[database.Dialect][]func(context.Context) error{
		database.MySQL:    {e.tables, e.names, e.mysql, e.counter, e.rights},
		database.Postgres: {e.tables, e.names, e.postgres, e.counter, e.rights},
		database.SQLite:   {e.tables, e.sqlite, e.sqliteFile, e.counter},
	}
	for _, step := range steps[dialect] {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	for i, f := range e.findings {
		if e.findings[i].Level = e.level(f.Level); f.Level == crash || f.Level == takeover {
			e.findings[i].Why += lossWhy
		}
	}
	return e.findings, nil
}

// lossWhy follows on what a takeover or a crash loses.
const lossWhy = ". Disposable IDs are then given again, and so are ticks of leases whose Losses are Never; " +
	"others make up for it."

// level says how bad a loss is. A disposable ID that is lost is given again; whoever promotes a server can
// mind the counter. Leases make up for a loss, except where Losses are Never: such a start is refused.
func (e *exam) level(l doctor.Level) doctor.Level {
	lost, disposable := l == crash || l == takeover, e.hasNodes || !e.hasLease // if nothing is used yet all may be
	switch {
	case l == refused, l == damage, lost && e.Never, l == crash && disposable:
		return bad
	case l == takeover && disposable:
		return warn
	case lost:
		return note
	}
	return l
}

// tables compares the tables that exist with what workers expect of them.
func (e *exam) tables(ctx context.Context) (err error) {
	var there [4]bool
	for i, t := range []struct {
		what string
		Table
	}{
		{"table of disposable IDs", Table{e.Nodes, database.NodeColumns}},
		{"table of leased IDs", Table{e.Leases, database.LeaseColumns}},
		{"table of segments", Table{e.Segments, database.SegmentColumns}},
		{"table of segments' takers", Table{e.Segments + database.TakersSuffix, database.TakerColumns}},
	} {
		if there[i], err = e.table(ctx, t.what, t.Table); err != nil {
			if err = e.noteUnknown(t.what, err); err != nil {
				return err
			}
		}
	}
	e.hasNodes, e.hasLease = there[0], there[1]
	return nil
}

// names looks for tables whose names differ from those that are used in case only.
func (e *exam) names(ctx context.Context) error {
	used := []string{e.Nodes, e.Leases, e.Segments, e.Segments + database.TakersSuffix}
	alike, err := e.dialect.Alike(ctx, e.conn, used...)
	if err != nil {
		return e.noteUnknown("names of tables", err)
	}
	for _, name := range used {
		here, value := false, name
		for _, a := range alike {
			here = here || a.Name == name
			if a.Case && !slices.Contains(used, a.Name) && strings.EqualFold(a.Name, name) {
				value += ", " + a.Name
			}
		}
		const rename = "Name the right one (NodeTable, LeaseTable or SegmentTable of sqlstore.Config, --node-table, " +
			"--lease-table, --segment-table), or rename it. "
		e.add(doctor.Finding{What: "name of table " + name}.
			But(value != name && here, bad, value, "The names differ in case only: programs that use one of the "+
				"tables give the IDs and numbers again that those gave which use the other one.", rename+
				"Of disposable IDs and segments, set the counter above the largest of both first.").
			But(value != name, bad, strings.TrimPrefix(value, name+", ")+", and not "+name,
				"The names differ in case only. Nobody starts, since a table made beside that one would give its IDs "+
					"and numbers again.", rename))
	}
	return nil
}

// counter judges what a table's next disposable ID will be.
func (e *exam) counter(context.Context) error {
	if e.Disposable == nil {
		return nil
	}
	n := e.Disposable
	value := fmt.Sprintf("next ID %d, largest ID %d", n.Next, n.Last)
	if n.Next == 0 {
		value = fmt.Sprintf("next ID not told, largest ID %d", n.Last)
	}
	do := map[database.Dialect]string{
		database.MySQL:    fmt.Sprintf("ALTER TABLE %s AUTO_INCREMENT = %d", e.Nodes, n.Last+1),
		database.Postgres: fmt.Sprintf("ALTER TABLE %s ALTER COLUMN ID RESTART WITH %d", e.Nodes, n.Last+1),
		database.SQLite:   fmt.Sprintf("UPDATE sqlite_sequence SET seq = %d WHERE name = '%s'", n.Last, e.Nodes),
	}[e.dialect]
	e.add(doctor.Fine("counter of disposable IDs", value).
		But(n.Next != 0 && n.Next <= n.Last, bad, value, fmt.Sprintf("The counter is not above the largest ID: the "+
			"next starts fail or, where the row of ID %d is gone, get an ID that was used before.", n.Next), do))
	return nil
}

// noteUnknown turns an error into a note, and returns nil, if it only says that this account may
// not see something or that this kind of server does not show it. Others end the exam.
func (e *exam) noteUnknown(what string, err error) error {
	if number, _, _ := database.Codes(err); err == nil || number == 0 && e.dialect == database.MySQL {
		return err
	}
	found, err := doctor.Unknown(what, err)
	e.add(found...)
	return err
}
