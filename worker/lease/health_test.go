package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/worker/lease"
)

// What a lease tells of itself, from before its first call until it is lost and released.
func TestWorkerHealth(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		require.NoError(t, h.foundWith(100, 104))
		cfg := lease.Config{Losses: lease.Never, IDs: lease.Range{First: 100, Last: 104}}
		l := h.lease(cfg)
		nothing := health.Worker{Kind: "lease", Place: `namespace "orders" in memory`, Store: l.WorkerHealth().Store}
		require.Implements(t, (*lease.Store)(nil), nothing.Store)
		require.Equal(t, nothing, l.WorkerHealth())

		h.acquire(l)
		began := l.WorkerHealth()
		require.Equal(t, &health.IDs{Taken: 1, Total: 5}, began.IDs)
		require.Positive(t, began.Ends.Sub(h.now()))
		h.pass(window / 2)
		require.Equal(t, began, l.WorkerHealth(), "nothing has been renewed")
		h.extend(l, 0)
		require.Equal(t, window/2, l.WorkerHealth().Ends.Sub(began.Ends).Round(time.Millisecond))

		for range 3 {
			h.held(cfg)
		}
		last, _ := h.held(cfg)
		require.Equal(t, &health.IDs{Taken: 5, Total: 5, Low: true}, last.WorkerHealth().IDs)

		require.NoError(t, l.Release(t.Context(), -1))
		require.Equal(t, nothing, l.WorkerHealth())
	})
}
