package databases_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/lease"
)

// The mark of IDs that were given is in the namespace's own row, for people to read. What no program has written there
// is refused.
func TestGivenIsStored(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		db := s.Open(t)
		owner := tenantOf(t, db)
		owner.take(t)
		require.Equal(t, "all worker IDs, given up to 15", rowIn(t, db, -1).Holder)
		require.NoError(t, owner.Init(t.Context(), func(n *leasestore.Namespace, _ leasestore.Clock) error {
			n.IDs = lease.Range{First: 7, Last: 1023}
			return nil
		}))
		require.Equal(t, "worker IDs 7 to 1023, given up to 15", rowIn(t, db, -1).Holder)
		kit.Do(t, db, "UPDATE WORKER_LEASE SET HOLDER = 'given up to 7' WHERE WORKER_ID = -1")
		_, err := owner.tryTake(t.Context())
		require.ErrorIs(t, err, uid.ErrConfig)
		require.ErrorContains(t, err, `HOLDER of the namespace's own row (WORKER_ID -1) is "given up to 7"`)
	})
}
