package recipes_test

import (
	"database/sql"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/test/engines/cluster"
)

// pgx needs no codec for UIDs, in no mode and format: they are arguments and results, alone, in arrays and as NULL,
// and COPY takes them. In modes that do not ask the server for the types of arguments pgx has to be told that of an
// array.
func TestPgxTakesUIDs(t *testing.T) {
	source := cluster.SharedPostgres(t).NewDatabase(t)
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			cfg := must(pgx.ParseConfig(source))
			cfg.DefaultQueryExecMode = mode
			ctx := t.Context()
			db := must(pgx.ConnectConfig(ctx, cfg))
			defer db.Close(ctx)
			_, err := db.Exec(ctx, "CREATE TEMPORARY TABLE orders (id BIGINT, parent BIGINT, parcels BIGINT[])")
			require.NoError(t, err)

			_, err = db.Exec(ctx, "SELECT 1 WHERE 1 = ANY($1)", []uid.UID{1})
			if mode == pgx.QueryExecModeExec || mode == pgx.QueryExecModeSimpleProtocol {
				require.ErrorContains(t, err, "cannot find encode plan")
				db.TypeMap().RegisterDefaultPgType([]uid.UID{}, "_int8")
			} else {
				require.NoError(t, err)
			}

			// An Order is a row, with all ways to hold a UID.
			type Order struct {
				ID      uid.UID
				Parent  *uid.UID
				Parcels []uid.UID
			}
			last := uid.Max
			orders := []Order{{1, nil, nil}, {2, &last, []uid.UID{3, uid.Max}}, {uid.Max, &last, []uid.UID{}}}
			for _, o := range orders[:2] {
				_, err = db.Exec(ctx, "INSERT INTO orders VALUES ($1, $2, $3)", o.ID, o.Parent, o.Parcels)
				require.NoError(t, err)
			}
			n, err := db.CopyFrom(ctx, pgx.Identifier{"orders"}, []string{"id", "parent", "parcels"},
				pgx.CopyFromRows([][]any{{orders[2].ID, orders[2].Parent, orders[2].Parcels}}))
			require.NoError(t, err)
			require.EqualValues(t, 1, n)

			for _, format := range []int16{pgtype.TextFormatCode, pgtype.BinaryFormatCode} {
				if mode == pgx.QueryExecModeSimpleProtocol && format == pgtype.BinaryFormatCode {
					continue // it has text only
				}
				formats := pgx.QueryResultFormats{format, format, format}
				all := "SELECT * FROM orders WHERE id = ANY($1) ORDER BY id"
				rows := must(db.Query(ctx, all, formats, []uid.UID{1, 2, uid.Max}))
				found := must(pgx.CollectRows(rows, pgx.RowToStructByPos[Order]))
				require.Equal(t, orders, found)

				var parents [2]sql.Null[uid.UID]
				one := "SELECT parent, (SELECT parent FROM orders WHERE id = $2) FROM orders WHERE id = $1"
				row := db.QueryRow(ctx, one, formats[:2], uid.UID(1), uid.UID(2))
				require.NoError(t, row.Scan(&parents[0], &parents[1]))
				require.Equal(t, [2]sql.Null[uid.UID]{{}, {V: uid.Max, Valid: true}}, parents)
				_, err = db.Exec(ctx, "UPDATE orders SET parent = $1 WHERE id = $2", parents[0], uid.UID(1))
				require.NoError(t, err)

				row = db.QueryRow(ctx, "SELECT parent FROM orders WHERE id = $1", formats[:1], uid.UID(1))
				require.Error(t, row.Scan(new(uid.UID)), "NULL is no UID")
			}
			_, err = db.Exec(ctx, "SELECT $1::bigint", uid.UID(-1))
			require.Error(t, err)
		})
	}
}
