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
type Tables struct{ Nodes, Leases, Segments, Takers string }

// Examine returns all findings about the server, account and session that answer. It needs only the right to read the
// tables; a finding that the server hides from this account becomes a note.
func Examine(ctx context.Context, conn *sqlx.Conn, dialect database.Dialect, t Tables, cfg doctor.Config) (
	[]doctor.Finding, error,
) {
	e := &exam{conn: conn, dialect: dialect, Config: cfg, Tables: t, person: true, takeovers: true}
	steps := map[database.Dialect][]func(context.Context) error{
		database.MySQL:    {e.allTables, e.names, e.mysql, e.counter, e.rights},
		database.Postgres: {e.allTables, e.names, e.postgres, e.counter, e.rights},
		database.SQLite:   {e.allTables, e.sqlite, e.sqliteFile, e.counter},
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

// lossWhy follows the reason of a takeover or a crash.
const lossWhy = ". Disposable IDs are then given again, and so are ticks of leases whose Losses are Never; " +
	"other leases make up for it."

// level returns how bad a loss is. A lost disposable ID is given again; a person that promotes a server can set the
// counter. Leases make up for a loss, except where Losses are Never: such a start is refused.
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

// allTables judges the tables that exist.
func (e *exam) allTables(ctx context.Context) (err error) {
	var there [4]bool
	for i, t := range []struct {
		what string
		Table
	}{
		{"table of disposable IDs", Table{e.Nodes, database.NodeTable}},
		{"table of leased IDs", Table{e.Leases, database.LeaseTable}},
		{"table of segments", Table{e.Segments, database.SegmentTable}},
		{"table of segments' takers", Table{e.Takers, database.TakerTable}},
	} {
		if there[i], err = e.table(ctx, t.what, t.Table); err != nil {
			if err = e.unknown(t.what, err); err != nil {
				return err
			}
		}
	}
	e.hasNodes, e.hasLease = there[0], there[1]
	return nil
}

// names looks for tables whose names differ in case only from the workers' tables.
func (e *exam) names(ctx context.Context) error {
	used := []string{e.Nodes, e.Leases, e.Segments, e.Takers}
	alike, err := e.dialect.Alike(ctx, e.conn, used...)
	if err != nil {
		return e.unknown("names of tables", err)
	}
	for _, name := range used {
		here, value := slices.Contains(alike, name), name
		for _, a := range alike {
			if !slices.Contains(used, a) && strings.EqualFold(a, name) {
				value += ", " + a
			}
		}
		const rename = "Name the right one (NodeTable, LeaseTable or SegmentTable of sqlstore.Config, --node-table, " +
			"--lease-table, --segment-table), or rename it. "
		e.add(doctor.Finding{What: "name of table " + name}.
			But(value != name && here, bad, value, "The names differ in case only: programs that use one table give "+
				"out the same IDs and numbers as those that use the other one.", rename+
				"For disposable IDs and segments, set the counter above the largest of both first.").
			But(value != name, bad, strings.TrimPrefix(value, name+", ")+", and not "+name,
				"The names differ in case only. Starts fail, since a table made beside that one would give out its "+
					"IDs and numbers again.", rename))
	}
	return nil
}

// counter judges the next disposable ID.
func (e *exam) counter(context.Context) error {
	if e.Disposable == nil {
		return nil
	}
	n := e.Disposable
	value := fmt.Sprintf("next ID %d, largest ID %d", n.Next, n.Last)
	if n.Next == 0 {
		value = fmt.Sprintf("next ID unknown, largest ID %d", n.Last)
	}
	do := map[database.Dialect]string{
		database.MySQL:    fmt.Sprintf("ALTER TABLE %s AUTO_INCREMENT = %d", e.Nodes, n.Last+1),
		database.Postgres: fmt.Sprintf("ALTER TABLE %s ALTER COLUMN ID RESTART WITH %d", e.Nodes, n.Last+1),
		database.SQLite:   fmt.Sprintf("UPDATE sqlite_sequence SET seq = %d WHERE name = '%s'", n.Last, e.Nodes),
	}[e.dialect]
	e.add(doctor.Fine("counter of disposable IDs", value).
		But(n.Next != 0 && n.Next <= n.Last, bad, value, fmt.Sprintf("The counter is not above the largest ID: the "+
			"next starts fail or, if the row of ID %d is gone, get an ID that was used before.", n.Next), do))
	return nil
}

// isolation judges the level that any server can have.
func isolation(level string) doctor.Finding {
	return doctor.Fine("isolation", level).
		But(strings.EqualFold(level, "serializable"), note, "", "Transactions that read or write the same rows wait "+
			"or fail more often, and are tried again.", "READ COMMITTED is enough.")
}

// writable judges a server; closed names the setting or state that forbids writes, "" if there is none.
func writable(closed string) doctor.Finding {
	return doctor.Fine("writable", "yes").
		But(closed != "", bad, closed, "Workers cannot write here, only accounts above the setting can.",
			"Connect workers to the primary, with sessions that may write.")
}

// unknown adds a note that the server does not tell something to this account. It returns an error that may pass.
func (e *exam) unknown(what string, err error) error {
	found, err := doctor.Unknown(what, err)
	e.add(found...)
	return err
}
