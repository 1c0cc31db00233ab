package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker/lease"
)

// A lease that has ended is not released: its row says when that was, and its quarantine goes on.
func TestReleaseAfterTheEnd(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		l, r := h.held(lease.Config{Losses: losses})
		row := h.row(0)
		h.pass(row.Until.Sub(h.storeNow()) + time.Millisecond)
		require.NoError(t, l.Release(t.Context(), r.First))
		require.Equal(t, row, h.row(0))
	})
}
