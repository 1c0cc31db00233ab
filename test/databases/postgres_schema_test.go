package databases_test

import (
	"path/filepath"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/statefile"
)

// elsewhere makes copies of the tables in a schema that comes earlier in the search path: the account's.
func elsewhere(t *testing.T, db *sqlx.DB, tables ...string) {
	t.Helper()
	engines.Do(t, db, "CREATE SCHEMA uid")
	for _, table := range tables {
		engines.Do(t, db, "CREATE TABLE uid."+table+" (LIKE public."+table+" INCLUDING ALL)",
			"INSERT INTO uid."+table+" SELECT * FROM public."+table)
	}
}

// A table of the same name in a schema that comes earlier is another place. Who has used the first one
// does not go on in it: not in this process, and not with its state file.
func TestTableInAnEarlierSchema(t *testing.T) {
	db := engines.NewPostgres(t).Open(t)
	tenantOf(t, db)
	t.Run("a state file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "state")
		start := func() (uid.Reservation, uid.Worker, error) {
			cfg := lease.Config{Losses: lease.NeverUnchecked, Logger: quiet()}
			leased := must(lease.New(strangerOf(db, "").Store, cfg))
			l := must(statefile.OnLease(leased, path, statefile.Config{Host: "h", Logger: quiet()}))
			r, err := l.Acquire(t.Context(), millis(1023))
			return r, l, err
		}
		first, l, err := start()
		require.NoError(t, err)
		require.NoError(t, l.Release(t.Context(), first.First))
		stored := func() string {
			return one[string](t, db, "SELECT string_agg(CAST(w AS TEXT), ' ' ORDER BY worker_id) FROM worker_lease w")
		}
		elsewhere(t, db, "worker_lease")
		before := stored()
		_, _, err = start()
		logtest.Error(t, err, worker.ErrState,
			"finds table worker_lease in the schema uid now, and has found it in public before")
		require.Equal(t, before, stored())
		engines.Do(t, db, "DROP SCHEMA uid CASCADE")
		again, l, err := start()
		require.NoError(t, err)
		require.Equal(t, first.WorkerID, again.WorkerID)
		require.NoError(t, l.Release(t.Context(), again.First))
	})
	t.Run("of a process that runs", func(t *testing.T) {
		owner := strangerOf(db, "")
		owner.take(t)
		draw(t, owner.segments, "orders")
		elsewhere(t, db, "worker_lease", "leaf_alloc", "leaf_alloc_takers")
		for name, write := range owner.writes(t.Context()) {
			require.ErrorIs(t, write(nil), worker.ErrState, name)
		}
		err := tryDraw(t.Context(), owner.segments, "orders")
		require.ErrorContains(t, err, "finds table leaf_alloc in the schema uid now")
		strangerOf(db, "").take(t) // who has not used the other one begins here
		engines.Do(t, db, "DROP SCHEMA uid CASCADE")
		require.NoError(t, owner.renew(t.Context()))
	})
}
