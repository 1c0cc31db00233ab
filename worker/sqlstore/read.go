package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/storage"
)

// A snapshot is the result of one statement: rows of one namespace as they were at one time.
type snapshot struct {
	database.Origin
	clock   storage.Clock
	control *leaseRow // the namespace's own row; nil: none
	largest int64     // the highest ID that has a row, or -1
	rows    []leaseRow
}

// look reads rows for a decision.
func (l *leaseTable) look(ctx context.Context, conn session, rows string, args ...any) (snapshot, error) {
	s, err := l.read(ctx, conn, rows, args...)
	if err == nil {
		err = s.Decisive(l.dialect)
	}
	if err == nil {
		err = l.schema.Bind(l.leases, s.Schema)
	}
	if err == nil && l.dialect == database.SQLite {
		s.clock.History, err = l.place.History(ctx, conn)
	}
	return s, err
}

// read reads the namespace and rows of it, in one round trip, or three in a new session. rows is a query of
// [leaseTable.where], and args are its arguments.
func (l *leaseTable) read(ctx context.Context, conn session, rows string, args ...any) (snapshot, error) {
	s, err := l.readOnce(ctx, conn, rows, args)
	if err != nil {
		return s, err
	}
	if again, err := s.Ready(ctx, conn, l.dialect); !again || err != nil {
		return s, err
	}
	return l.readOnce(ctx, conn, rows, args)
}

func (l *leaseTable) readOnce(ctx context.Context, conn session, rows string, args []any) (snapshot, error) {
	type joined struct {
		largest    sql.NullInt64
		control, r nullableRow
	}
	s := snapshot{largest: -1}
	all, err := query(ctx, &l.tables, conn, func(j *joined) []any {
		return slices.Concat(s.Fields(), []any{&j.largest}, j.control.fields(), j.r.fields())
	}, "SELECT "+l.dialect.OriginColumns(l.leases)+
		", (SELECT MAX(WORKER_ID) FROM `"+l.leases+"` WHERE NAMESPACE = ?), "+columnsOf("c.")+", "+columnsOf("r.")+
		" FROM (SELECT 1 AS ONE) o"+
		" LEFT JOIN `"+l.leases+"` c ON c.NAMESPACE = ? AND c.WORKER_ID = -1"+
		" LEFT JOIN ("+rows+") r ON 1 = 1",
		append([]any{l.namespace, l.namespace, l.namespace}, args...)...)
	if err != nil {
		return s, noNamespace(database.Failed("read rows of table "+l.leases, err))
	}
	for _, j := range all {
		if j.largest.Valid {
			s.largest = j.largest.Int64
		}
		if j.control.id.Valid {
			control := j.control.row()
			s.control = &control
		}
		if j.r.id.Valid {
			s.rows = append(s.rows, j.r.row())
		}
	}
	s.clock = storage.Clock{Now: s.Now(), History: s.History()} // the database is the one clock
	return s, nil
}

// where returns the query for some rows of the namespace, whose name is the first argument.
func (l *leaseTable) where(which string) string {
	return "SELECT * FROM `" + l.leases + "` WHERE NAMESPACE = ? AND " + which
}

// Which rows of a namespace to read.
const (
	theRow  = "WORKER_ID = ?"
	theNext = "WORKER_ID > ? ORDER BY WORKER_ID LIMIT ?"
	inRange = "WORKER_ID BETWEEN ? AND ?"
	bySoon  = " ORDER BY LEASE_UNTIL, WORKER_ID LIMIT ?"
)

// columnsOf lists the columns of a table by an alias and a dot.
func columnsOf(alias string) string { return alias + strings.Join(leaseColumns, ", "+alias) }

// namespaceOf returns the namespace that was seen.
func (l *leaseTable) namespaceOf(s snapshot) (storage.Namespace, error) {
	if s.control == nil {
		return storage.Namespace{}, l.missing()
	}
	return s.control.namespace(s.largest)
}

// query returns all rows of a query, as [database.SelectRows] does. On a node of a Galera cluster it waits for the
// earlier commits of all nodes, which the node does not do in a transaction.
func query[R any](ctx context.Context, t *tables, conn session, fields func(*R) []any, query string,
	args ...any) ([]R, error) {
	before, err := t.before(ctx, conn)
	if err != nil {
		return nil, err
	}
	text, args := bind(t.dialect, before+query, args...)
	return database.SelectRows(ctx, conn, fields, text, args...)
}

// before returns the first words of a query. It asks the server once.
func (t *tables) before(ctx context.Context, conn session) (string, error) {
	if t.dialect != database.MySQL {
		return "", nil
	}
	if known := t.begin.Load(); known != nil {
		return *known, nil
	}
	var name, value, begin string
	err := conn.QueryRowxContext(ctx, "SHOW VARIABLES LIKE 'wsrep_on'").Scan(&name, &value)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", database.Failed("read the server's settings", err)
	}
	if value == "1" || strings.EqualFold(value, "ON") {
		begin = "/*M! SET STATEMENT wsrep_sync_wait=1 FOR */ "
	}
	t.begin.Store(&begin)
	return begin, nil
}
