package database

import (
	"context"
	"database/sql"

	"github.com/jmoiron/sqlx"
)

// A Querier reads rows, whose columns are told apart by their positions. The names, by which sqlx
// fills a struct, are not reliable: the driver's setting columnsWithAlias puts the table in front
// of each, and a program's own Mapper looks for others.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// SelectRows returns all rows of a query. fields returns where to scan the columns of a row, in
// the query's order. Without arguments the query takes one round trip, with pgx, too.
func SelectRows[R any](
	ctx context.Context, from Querier, fields func(*R) []any, query string, args ...any,
) (all []R, err error) {
	if conn, is := from.(*sqlx.Conn); is && len(args) == 0 {
		args = unprepared(conn)
	}
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r R
		if err := rows.Scan(fields(&r)...); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}
