package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A lease that has ended is not released: its row says when that was, and its quarantine goes on.
func TestReleaseAfterTheEnd(t *testing.T) {
	for name, durable := range map[string]bool{"durable": true, "lossy": false} {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				l := h.lease(lease.Config{DurableStore: durable})
				r := h.acquire(l)
				row := h.row(0)
				h.pass(row.Until.Sub(h.storeNow()) + time.Millisecond)
				require.NoError(t, l.Release(t.Context(), r.First))
				require.Equal(t, row, h.row(0))
			})
		})
	}
}

// A start that has taken up the lease of its file, and fails, leaves it to the next start.
func TestFailedStartKeepsTheLeaseOfItsFile(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := offlineConfig(t)
		l := h.lease(cfg)
		r := h.acquire(l)
		require.NoError(t, l.Release(t.Context(), r.First))
		row := h.row(0)

		ahead := cfg
		ahead.MaxAhead = 2 * offline
		ahead.Now = func() time.Time { return h.now().Add(3 * offline) }
		_, err := h.lease(ahead).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, worker.ErrClock)
		require.Equal(t, row, h.row(0))
		again := h.acquire(h.lease(cfg))
		require.Zero(t, again.WorkerID)
		require.Equal(t, r.First+1, again.First)
	})
}
