package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/registry"
)

// Nodes implements [registry.NodeStore]. It needs SELECT.
func (r register) Nodes(ctx context.Context) (n registry.NodeInfo, found bool, err error) {
	err = r.connected(ctx, func(conn *sqlx.Conn) error {
		// A mark has the ID after those that it skips.
		query := r.dialect.SQL(strings.ReplaceAll("SELECT COUNT(*), COALESCE(MAX(ID), 0), COALESCE((SELECT SUM("+
			"m.ID - 1 - (SELECT MAX(ID) FROM {nodes} WHERE ID < m.ID)) FROM {nodes} m WHERE m.TYPE = 5), 0)"+
			" FROM {nodes}",
			"{nodes}", "`"+r.nodes+"`"))
		err := conn.QueryRowContext(ctx, query).Scan(&n.Rows, &n.Last, &n.Skipped)
		if err != nil {
			return database.Failed("count the rows of table "+r.nodes, err)
		}
		n.Next, err = r.nextNode(ctx, conn)
		return err
	})
	if database.IsMissingTable(err) {
		return n, false, nil
	}
	return n, err == nil, err
}

// nextNode reads the counter of the table of disposable IDs. It is 0 if the database does not show it.
func (r register) nextNode(ctx context.Context, from session) (next int64, err error) {
	doing := "read the counter of table " + r.nodes
	switch r.dialect {
	case database.Postgres:
		return r.nextInSequence(ctx, from, doing)
	case database.SQLite:
		err := sqlx.GetContext(ctx, from, &next, "SELECT seq + 1 FROM sqlite_sequence WHERE name = ?", r.nodes)
		is := database.Failed(doing, err)
		if errors.Is(err, sql.ErrNoRows) || database.IsMissingTable(is) {
			return 0, nil // neither this table nor, without sqlite_sequence, any other one has a counter
		}
		return next, is
	}
	// MySQL's information_schema may show an old counter.
	var name, create string
	err = from.QueryRowxContext(ctx, "SHOW CREATE TABLE `"+r.nodes+"`").Scan(&name, &create)
	return counterOf(create), database.Failed(doing, err)
}

// nextInSequence reads the sequence of the identity column, which needs the right to select from it. pg_sequences shows
// neither that right nor where a sequence was restarted.
func (r register) nextInSequence(ctx context.Context, from session, doing string) (next int64, err error) {
	var sequence string
	var step int64
	query := r.dialect.SQL("SELECT name, seqincrement" +
		" FROM pg_get_serial_sequence(format('%I', CAST(? AS VARCHAR)), 'id') AS name" +
		" JOIN pg_sequence ON seqrelid = CAST(name AS regclass) WHERE has_sequence_privilege(name, 'SELECT')")
	err = from.QueryRowxContext(ctx, query, r.nodes).Scan(&sequence, &step)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err == nil {
		// The server has quoted the name.
		err = sqlx.GetContext(ctx, from, &next, "SELECT CASE WHEN is_called THEN last_value + "+
			strconv.FormatInt(step, 10)+" ELSE last_value END FROM "+sequence)
	}
	return next, database.Failed(doing, err)
}

// counterOf finds the counter in a CREATE TABLE statement, which has none while it is 1.
func counterOf(create string) int64 {
	columns, options := create, ""
	if i := strings.LastIndex(create, "\n)"); i >= 0 {
		columns, options = create[:i], create[i:]
	}
	options, _, _ = strings.Cut(options, " COMMENT=")
	if !strings.Contains(options, "ENGINE=") || !strings.Contains(columns, " AUTO_INCREMENT") {
		return 0
	}
	_, digits, found := strings.Cut(options, " AUTO_INCREMENT=")
	if !found {
		return 1
	}
	digits, _, _ = strings.Cut(digits, " ")
	next, _ := strconv.ParseInt(digits, 10, 64) // 0 when it is none
	return next
}
