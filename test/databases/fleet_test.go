package databases

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// Between two calls a lease holds no connection: a fleet of them can share a single one.
func TestLeasesHoldNoConnection(t *testing.T) {
	kit.Each(t, func(t *testing.T, s kit.Store) {
		db := s.Open(t)
		tables, err := sqlstore.New(db, sqlstore.Config{})
		require.NoError(t, err)
		store, err := tables.Leases("fleet")
		require.NoError(t, err)
		terms := bits.Default().Terms()
		terms.Revoke = func() {}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		idle := func() {
			t.Helper()
			require.Zero(t, db.Stats().InUse)
		}
		require.NoError(t, lease.Found(ctx, store, lease.Founding{}))
		idle()
		db.SetMaxOpenConns(1)
		fleet := make([]*lease.Lease, 10)
		for i := range fleet {
			fleet[i], err = lease.New(store, lease.Config{Losses: lease.NeverUnchecked, Logger: (&logtest.Records{}).Logger()})
			require.NoError(t, err)
			r, err := fleet[i].Acquire(ctx, terms)
			require.NoError(t, err)
			idle()
			_, err = fleet[i].Extend(ctx, r.Last+1) // beyond what is reserved, so that it writes
			require.NoError(t, err)
			idle()
		}
		for _, l := range fleet {
			require.NoError(t, l.Release(ctx, -1))
			idle()
		}
	})
}
