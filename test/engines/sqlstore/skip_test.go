package sqlstore_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/numberstore"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/sqlstore"
)

const skipped = 4095 // of the default layout's IDs

func startOn(t testing.TB, db *sqlx.DB) (id int64) {
	t.Helper()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	require.NoError(t, err)
	err = retry.Do(t.Context(), retry.DefaultTimeout, slog.New(slog.DiscardHandler), func(ctx context.Context) (err error) {
		id, err = tables.Numbers().Next(ctx, numberstore.Host{Name: "h"}, 1<<22-1)
		return err
	})
	require.NoError(t, err)
	return id
}

// What a failover forgot is not given again: the first start after it leaves out IDs, and others do not.
func TestSkipOnPostgres(t *testing.T) {
	s := postgres(t)
	db := opening("pgx", s.URL(s.Addr(0)))(t)
	require.EqualValues(t, 1, startOn(t, db))
	require.EqualValues(t, 3, startOn(t, db), "2 is the mark")
	require.EqualValues(t, 4, startOn(t, db))
	kit.Do(t, db, "DELETE FROM worker_node WHERE id > 2", "ALTER TABLE worker_node ALTER COLUMN id RESTART WITH 3",
		"ALTER TABLE worker_node RENAME TO away", "ALTER TABLE away RENAME TO worker_node")
	var ids sync.Map
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			id := startOn(t, db)
			_, twice := ids.LoadOrStore(id, true)
			require.False(t, twice, id)
			require.Greater(t, id, int64(3+skipped))
			require.Less(t, id, int64(3+skipped+200), "IDs are left out once")
		})
	}
	all.Wait()
}

// The nodes of a cluster have histories of their own. Each is learned of once.
func TestSkipOnGalera(t *testing.T) {
	open := opening("mysql", galera(t)...)
	ids := map[int64]bool{}
	for range 9 {
		ids[startOn(t, open(t))] = true
	}
	require.Len(t, ids, 9)
	for id := range ids {
		require.Less(t, id, int64(2*skipped+200))
	}
}
