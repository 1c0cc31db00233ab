package zookeeper_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/stores/zookeeper"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
)

// A service that has leased before starts from its state file while all servers are down, and
// renews when they are back.
func TestStartWhileTheEnsembleIsDown(t *testing.T) {
	e, err := cluster.StartZooKeeper(3)
	cluster.For(t, e, err)
	conn := connect(t, e.Addrs()...)
	store, err := zookeeper.New(conn, zookeeper.Config{})
	require.NoError(t, err)
	leases, err := store.Leases("orders")
	require.NoError(t, err)
	layout := bits.Default()
	require.NoError(t, lease.Found(t.Context(), leases, lease.Founding{Terms: layout.Terms()}))

	cfg := lease.Config{StateFile: filepath.Join(t.TempDir(), "lease"), Offline: time.Hour, Window: 10 * time.Second, Host: "test", Holder: "the service", Timeout: 5 * time.Second}
	seen := map[uid.UID]bool{}
	draw := func() {
		worker, err := lease.New(leases, cfg)
		require.NoError(t, err)
		g, err := cached.NewContext(t.Context(), worker, cached.Config{Layout: layout})
		require.NoError(t, err)
		defer func() { require.NoError(t, g.Close()) }()
		for range 20_000 {
			id, err := g.GetUIDContext(t.Context())
			require.NoError(t, err)
			require.False(t, seen[id], "UID %d comes twice", id)
			seen[id] = true
		}
	}
	row := func() (row lease.Row) {
		looked := errors.New("looked")
		require.Eventually(t, func() bool {
			err := leases.Change(t.Context(), 0, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
				if r != nil {
					row = *r
				}
				return looked
			})
			return errors.Is(err, looked)
		}, time.Minute, 10*time.Millisecond)
		return row
	}
	draw()
	before := row()
	for _, s := range e.Servers {
		require.NoError(t, s.Stop())
	}
	for range 2 { // and once more: what was drawn in between is in the file
		draw()
	}
	require.NotEqual(t, zk.StateHasSession, conn.State())

	require.NoError(t, e.Restart())
	require.Equal(t, before.Nonce, row().Nonce, "what was acknowledged is there")
	draw()
	after := row()
	require.NotEqual(t, before.Nonce, after.Nonce)
	require.Equal(t, before.Acquired, after.Acquired, "it is the same lease")
	require.True(t, after.Renewed.After(before.Renewed))
}
