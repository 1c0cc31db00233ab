package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/registry"
)

// Nodes implements [registry.NodeStore]. It needs SELECT.
func (d *DB) Nodes(ctx context.Context) (n registry.NodeInfo, found bool, err error) {
	err = d.connected(ctx, func(conn *sqlx.Conn) error {
		err := conn.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(MAX(ID), 0) FROM `"+d.nodes+"`").Scan(&n.Rows, &n.Last)
		if err != nil {
			return database.Failed("count the rows of table "+d.nodes, err)
		}
		n.Next, err = d.nextNode(ctx, conn)
		return err
	})
	if database.KindOf(err) == database.MissingTable {
		return n, false, nil
	}
	return n, err == nil, err
}

// nextNode reads the counter of the table of disposable IDs. It is 0 if the database does not
// show it.
func (d *DB) nextNode(ctx context.Context, from database.Reader) (int64, error) {
	doing := "read the counter of table " + d.nodes
	if d.dialect == database.SQLite {
		var next int64
		err := from.GetContext(ctx, &next, "SELECT seq + 1 FROM sqlite_sequence WHERE name = ?", d.nodes)
		if errors.Is(err, sql.ErrNoRows) {
			return 0, nil
		}
		if err != nil {
			if err = database.Failed(doing, err); database.KindOf(err) == database.MissingTable {
				return 0, nil // no table of this database has a counter
			}
			return 0, err
		}
		return next, nil
	}
	// MySQL's information_schema may show a counter of yesterday.
	var name, create string
	if err := from.QueryRowContext(ctx, "SHOW CREATE TABLE `"+d.nodes+"`").Scan(&name, &create); err != nil {
		return 0, database.Failed(doing, err)
	}
	return counterOf(create), nil
}

// counterOf finds the counter in a statement that creates a table, where it is left out while it
// is 1.
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
