package database

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// SelectRows returns all rows of a query. fields returns where to scan the columns of a row, in the query's order: sqlx
// fills a struct by names, which the driver's setting columnsWithAlias and a program's own Mapper change. Without
// arguments the query takes one round trip, with pgx, too.
func SelectRows[R any](
	ctx context.Context, from sqlx.QueryerContext, fields func(*R) []any, query string, args ...any,
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
