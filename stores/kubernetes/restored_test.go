package kubernetes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/stores/kubernetes/internal/fake"
	"github.com/uidgen/uid/worker/lease"
)

// restored runs a test in a cluster whose etcd can be put back to a snapshot of when an ID had reserved 1. After that
// it has reserved 3, by two writes, and the floor was raised to 0.
func restored(t *testing.T, test func(t *testing.T, c *cluster, owner lease.Store, restore func())) {
	t.Helper()
	inCluster(t, func(t *testing.T, c *cluster) {
		owner := c.made()
		require.Zero(t, c.take(owner))
		require.NoError(t, renew(owner, 0, 1))
		restore := c.Backup()
		require.NoError(t, renew(owner, 0, 1))
		require.NoError(t, renew(owner, 0, 1))
		c.raise(orders.Leases(t, c.store()))()
		require.EqualValues(t, 3, c.row(0).High)
		test(t, c, owner, restore)
	})
}

// The revisions of etcd go back with its data. So what a client has read is not there any more, and it sees that when
// it writes: an owner at its next renewal, which reads an older write of its own then.
func TestRestoredUnderOwner(t *testing.T) {
	t.Parallel()
	restored(t, func(t *testing.T, c *cluster, owner lease.Store, restore func()) {
		restore()
		c.Count()
		var highs []int64
		require.NoError(t, renew(owner, 0, 1, func(_ storage.Namespace, r storage.Lease) {
			highs = append(highs, r.High)
		}))
		require.Equal(t, []int64{3, 1}, highs)
		require.Equal(t, 1, c.Count()["PUT 409"])
	})
	// What was decided on a namespace that is lost does not count, also when that was written since.
	for _, writes := range []int{0, 2} {
		restored(t, func(t *testing.T, c *cluster, _ lease.Store, restore func()) {
			restore()
			l, other := orders.Leases(t, c.store()), c.made()
			restore = c.Backup()
			c.raise(other)()
			c.raise(other)()
			c.once("PUT", func() {
				restore()
				require.NoError(t, renew(other, 5, 0))
				for range writes {
					c.raise(other)()
					require.NoError(t, renew(other, 5, 0))
				}
			})
			var floors []int64
			see := func(n storage.Namespace, _ storage.Lease) { floors = append(floors, n.Floor) }
			require.NoError(t, renew(l, 0, 1, see))
			require.Equal(t, []int64{1, int64(writes) - 1}, floors)
		})
	}
}

// Such a row does not come to count when the namespace is written again under the revision that it was decided on.
func TestRestoredLater(t *testing.T) {
	t.Parallel()
	restored(t, func(t *testing.T, c *cluster, _ lease.Store, restore func()) {
		restore()
		other := c.made()
		restore = c.Backup()
		for range 3 {
			c.raise(other)()
		}
		on := c.Revision()
		c.once("PUT uid-orders.0", func() {
			restore()
			c.next("PUT", 1, fake.Fault{Silent: true})
		})
		orders.Fails(t, renew(orders.Leases(t, c.store()), 0, 1), true)
		require.EqualValues(t, 1, c.row(0).High)
		require.NoError(t, renew(orders.Leases(t, c.store()), 5, 0))
		c.raise(orders.Leases(t, c.store()))()
		require.Equal(t, on, c.Revision())
		require.EqualValues(t, 1, c.row(0).High)
	})
}

// What nobody sees: when no owner runs there is nobody who has read what is lost, and the IDs are as in the snapshot.
// Numbers of a tag are given again. So nothing may begin before an owner has renewed, or the namespaces are deleted: a
// start makes them anew, ahead of what may have been used.
func TestRestoredAtRest(t *testing.T) {
	t.Parallel()
	restored(t, func(t *testing.T, c *cluster, _ lease.Store, restore func()) {
		restore()
		time.Sleep(2 * time.Hour) // in the bubble: the lease is over
		row := orders.Taken(t, orders.Leases(t, c.store()), orders.Wanted(0, 0), time.Hour)
		require.EqualValues(t, 1, row.High, "not 3")
	})
	inCluster(t, func(t *testing.T, c *cluster) {
		numbers := c.store().Segments()
		draw := func() (next int64) {
			require.NoError(t, numbers.Change(t.Context(), "orders", func(r *storage.Segment) error {
				next = r.Next
				return orders.Draw(9)(r)
			}))
			return next
		}
		draw()
		restore := c.Backup()
		next := draw()
		restore()
		require.Equal(t, next, draw())
	})
}

// Nor does anybody see it who has read nothing that is lost; or when the namespace is written again under the very
// revision at which it was read.
func TestRestoredUnseen(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		l, other := c.made(), c.made()
		c.take(l)
		restore := c.Backup()
		require.EqualValues(t, 1, c.take(other))
		restore()
		require.NoError(t, renew(l, 0, 1))
		c.Count()
		restore = c.Backup()
		c.raise(other)()
		c.once("PUT", func() {
			restore()
			c.raise(orders.Leases(t, c.store()))()
		})
		require.NoError(t, renew(orders.Leases(t, c.store()), 0, 1))
		require.Zero(t, c.Count()["PUT 409"])
	})
}

// An API server that is not started anew when etcd is put back goes on showing what is lost to those who ask its
// memory. Nothing of that is stored, and who sees the same again after a refusal asks etcd.
func TestRestoredBehindServer(t *testing.T) {
	t.Parallel()
	restored(t, func(t *testing.T, c *cluster, _ lease.Store, restore func()) {
		old := c.Another(time.Now)
		old.HoldCache(true)
		restore()
		l, other := orders.Leases(t, c.store()), orders.Leases(t, c.store())
		c.once("PUT", func() {
			c.raise(other)()
			c.raise(other)() // else the row is stored under the very revision of one that is lost
			c.through = old.RoundTripper()
		})
		runs := 0
		require.NoError(t, renew(l, 0, 1, func(storage.Namespace, storage.Lease) {
			runs++
			require.Less(t, runs, 9)
		}))
		require.Equal(t, 3, runs, "what was decided before the floor was raised, or on what is lost, does not count")
		c.through = c.RoundTripper()
		require.EqualValues(t, 2, c.row(0).High)
	})
}
