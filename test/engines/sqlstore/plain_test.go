package sqlstore_test

import (
	"database/sql"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A program with a sql.DB need not know of sqlx, and one with a pool of pgx has one.
func TestPlainDatabaseOnPostgres(t *testing.T) {
	source := cluster.SharedPostgres(t).NewDatabase(t)
	plain, err := sql.Open("pgx", source)
	require.NoError(t, err)
	defer plain.Close()
	pool, err := pgxpool.New(t.Context(), source)
	require.NoError(t, err)
	defer pool.Close()
	pooled := stdlib.OpenDBFromPool(pool)
	defer pooled.Close()

	drawn := map[uid.UID]bool{}
	for _, db := range []*sql.DB{plain, pooled} {
		tables, err := sqlstore.New(db, sqlstore.Config{})
		require.NoError(t, err)
		require.Equal(t, database.Postgres, tables.Tables().Dialect)
		w, err := disposable.New(tables.Numbers(), disposable.Config{})
		require.NoError(t, err)
		g, err := cached.New(w, cached.Config{})
		require.NoError(t, err)
		u, err := g.GetUID()
		require.NoError(t, err)
		drawn[u] = true
		require.NoError(t, g.Close())
	}
	require.Len(t, drawn, 2)
}
