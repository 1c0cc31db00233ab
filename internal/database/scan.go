package database

import (
	"context"
	"database/sql"
)

// A Querier reads rows, whose columns are told apart by their positions. Their names,
// by which sqlx fills a struct, are the program's to change: the driver's setting
// columnsWithAlias puts the table in front of each, and a Mapper of the program's own
// looks for others.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// SelectRows returns all rows of a query. fields tells where the columns of a row go, in
// the query's order.
func SelectRows[R any](ctx context.Context, from Querier, fields func(*R) []any, query string, args ...any) (all []R, err error) {
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
