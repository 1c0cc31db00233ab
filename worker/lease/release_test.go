package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker/lease"
)

// A lease that has ended is not released: its row says when that was, and its quarantine goes on.
func TestReleaseAfterTheEnd(t *testing.T) {
	for name, durable := range map[string]bool{"durable": true, "lossy": false} {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				l := h.lease(lease.Config{Losses: trust(durable)})
				r := h.acquire(l)
				row := h.row(0)
				h.pass(row.Until.Sub(h.storeNow()) + time.Millisecond)
				require.NoError(t, l.Release(t.Context(), r.First))
				require.Equal(t, row, h.row(0))
			})
		})
	}
}
