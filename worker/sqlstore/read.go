package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
)

// A part is what a row of a sight is for.
type part int64

const (
	theNamespace part = iota // the namespace's own row
	theID                    // the row of the ID asked for
	theFreed                 // rows that are over, the one that has been over for longest first
	theLargest               // the row of the largest ID of the range
	theFirst                 // the row of the smallest ID of the range
	theGap                   // WORKER_ID to HIGH have no row; above all rows HIGH is 0
	theUsable                // rows that are over and not used too far ahead, likewise
	theNextFree              // the row whose lease ends first, read with whatever a Take may want
	theRest                  // REACH is the widest one, WORKER_ID the largest
)

// A sight is what one statement has read: rows of one namespace as they were at one time.
type sight struct {
	database.Origin
	parts map[part][]leaseRow
}

// first returns the first row of a part.
func (s sight) first(p part) (row leaseRow, found bool) {
	if rows := s.parts[p]; len(rows) > 0 {
		return rows[0], true
	}
	return row, false
}

// has reports whether a part has rows.
func (s sight) has(p part) bool { return len(s.parts[p]) > 0 }

// rows selects rows of the namespace for a part of a sight.
func (l *Leases) rows(p part, where string) string {
	return l.selects(p, leaseColumns, where)
}

// selects selects columns, which are leaseColumns or expressions in their place.
func (l *Leases) selects(p part, columns, where string) string {
	return "SELECT * FROM (SELECT " + database.Int(p) + " AS PART, " + columns + " FROM `" + l.leases + "` a WHERE a.NAMESPACE = " +
		l.dialect.Text(l.namespace) + " AND " + where + ") p" + database.Int(p)
}

// ofNamespace is the condition for the namespace's own row.
var ofNamespace = "a.WORKER_ID = " + database.Int(controlID)

// one is the condition for the row of an ID.
func one(id int64) string { return "a.WORKER_ID = " + database.Int(id) }

// look reads parts to decide by.
func (l *Leases) look(ctx context.Context, conn session, parts ...string) (sight, error) {
	s, err := l.read(ctx, conn, parts...)
	if err == nil {
		err = s.Decides(l.dialect)
	}
	if err == nil {
		err = l.schema.Find(l.leases, s.Schema)
	}
	return s, err
}

// read reads parts in one statement without arguments, in one round trip. The session may be in
// a transaction of the program's; then it is ended first.
func (l *Leases) read(ctx context.Context, conn session, parts ...string) (sight, error) {
	s, err := l.readOnce(ctx, conn, parts)
	if err != nil || s.Plain() {
		return s, err
	}
	// What was read may be as old as that transaction.
	if err := l.commit(ctx, conn); err != nil {
		return s, err
	}
	return l.readOnce(ctx, conn, parts)
}

func (l *Leases) readOnce(ctx context.Context, conn session, parts []string) (sight, error) {
	s := sight{parts: map[part][]leaseRow{}}
	query := l.inStep() + "SELECT " + l.dialect.OriginColumns(l.leases) +
		", r.* FROM (SELECT 1 AS ONE) o LEFT JOIN (" + strings.Join(parts, " UNION ALL ") + ") r ON 1 = 1"
	rows, err := conn.QueryContext(ctx, l.dialect.SQL(query))
	if err != nil {
		return s, noNamespace(database.Failed("read rows of table "+l.leases, err))
	}
	defer rows.Close()
	for rows.Next() {
		var r nullableRow
		if err := rows.Scan(append(s.Fields(), r.fields()...)...); err != nil {
			return s, database.Failed("read rows of table "+l.leases, err)
		}
		if r.part.Valid {
			s.parts[part(r.part.Int64)] = append(s.parts[part(r.part.Int64)], r.row())
		}
	}
	if err := rows.Err(); err != nil {
		return s, noNamespace(database.Failed("read rows of table "+l.leases, err))
	}
	s.Settle()
	return s, nil
}

// A session carries out statements: a connection, or a transaction of a SQLite file.
type session interface {
	database.Querier
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// A nullableRow is a part's row, or NULLs when a sight has none.
type nullableRow struct {
	part                                      sql.NullInt64
	id, high, until, acquired, renewed, reach sql.NullInt64
	nonce, layout, holder                     sql.NullString
}

func (r *nullableRow) fields() []any {
	return []any{&r.part, &r.id, &r.nonce, &r.high, &r.until, &r.layout, &r.holder, &r.acquired, &r.renewed, &r.reach}
}

func (r *nullableRow) row() leaseRow {
	return leaseRow{
		WorkerID: r.id.Int64, Nonce: r.nonce.String, High: r.high.Int64, Until: database.Micros(r.until.Int64), Layout: r.layout.String,
		Holder: r.holder.String, Acquired: database.Micros(r.acquired.Int64), Renewed: database.Micros(r.renewed.Int64), Reach: r.reach.Int64,
	}
}

// What a server is known to be.
const (
	unknown int32 = iota
	isCluster
	isAlone
)

// inStep returns how a query begins that has to see what was committed before it, on whichever node
// of a Galera cluster. A node ignores it in a transaction. It needs learn.
func (t *tables) inStep() string {
	if t.cluster.Load() == isCluster {
		return "/*M! SET STATEMENT wsrep_sync_wait=1 FOR */ "
	}
	return ""
}

// learn finds out, once, whether the server is a node of a Galera cluster.
func (t *tables) learn(ctx context.Context, conn *sqlx.Conn) error {
	if t.dialect != database.MySQL || t.cluster.Load() != unknown {
		return nil
	}
	var name, value string
	err := conn.QueryRowContext(ctx, "SHOW VARIABLES LIKE 'wsrep_on'").Scan(&name, &value)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return database.Failed("read the server's settings", err)
	}
	t.learned(value)
	return nil
}

func (t *tables) learned(wsrepOn string) {
	if t.dialect == database.MySQL {
		t.cluster.Store(map[bool]int32{true: isCluster, false: isAlone}[strings.EqualFold(wsrepOn, "ON") || wsrepOn == "1"])
	}
}
