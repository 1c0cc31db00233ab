package redis_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/worker/lease"
)

// made returns a server, and a namespace with one row, of worker ID 0.
func made(t *testing.T) (*fake, lease.Store) {
	t.Helper()
	f := newFake(t)
	l := orders.Made(t, f.store())
	orders.Taken(t, l, orders.Wanted(0, 9), time.Hour)
	return f, l
}

func (f *fake) count(command string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[command]
}

// zero is the field of worker ID 0.
const zero = "0000000000000000000"

func (f *fake) row() string { return f.HGet("uid:{orders}:rows", zero) }

// A write whose reply is lost is not sent again: another client may have replaced by then what it
// has stored, and nobody could tell.
func TestWriteIsSentOnce(t *testing.T) {
	f, _ := made(t)
	var w wire
	l := orders.Leases(t, f.store(&w))

	writes := f.count("HSET")
	w.lose("d7647000f247155ec476a0797763d3d4950d0000") // only writes name it
	ran := 0
	err := l.Change(t.Context(), 0, func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
		ran++
		r.Nonce = "changed"
		return nil
	})
	orders.Fails(t, err, true, "the connection was lost")
	require.EqualValues(t, 1, w.lost.Load())
	require.Equal(t, 1, ran)
	require.Equal(t, writes+1, f.count("HSET"))
	require.Contains(t, f.row(), `"nonce":"changed"`)

	// One that only reads is.
	w.lose("evalsha")
	require.NoError(t, l.Change(t.Context(), 0, orders.Keep))
	require.EqualValues(t, 2, w.lost.Load())
}

// A renewal takes two round trips, and so does an acquisition.
func TestRoundTrips(t *testing.T) {
	f, l := made(t)
	before := f.count("EVALSHA")
	require.NoError(t, l.Change(t.Context(), 0, orders.Keep))
	require.Equal(t, before+2, f.count("EVALSHA"))
	require.NoError(t, l.Take(t.Context(), orders.Wanted(0, 9), orders.Keep))
	require.Equal(t, before+4, f.count("EVALSHA"))
}

// The set of namespaces has each one that was made, even if its server has lost it.
func TestNamespaceSet(t *testing.T) {
	f := newFake(t)
	f.set(func() { f.fails["SADD"] = "READONLY You can't write against a read only replica." })
	l := orders.Leases(t, f.store())
	make := func(n *storage.Namespace, now storage.Clock) error {
		n.Layout, n.History = "made", now.History
		return nil
	}
	orders.Fails(t, l.Init(t.Context(), make), true, "READONLY")
	require.Empty(t, f.Keys())
	f.set(func() { clear(f.fails) })
	for range 3 {
		require.NoError(t, l.Init(t.Context(), make))
		names, err := f.SMembers("uid:namespaces")
		require.NoError(t, err)
		require.Equal(t, []string{"orders"}, names)
		f.Del("uid:namespaces")
		f.restart()
	}
}
