package lease_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/worker/lease"
)

// A lease that is lost before its first reservation is replaced, and not by a failure of
// the start.
func TestLeaseLostWhileStarting(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		var told events
		l := h.lease(lease.Config{OnEvent: func(e lease.Event) {
			told.add(e)
			if e.Kind == "acquired" && e.WorkerID == 0 {
				h.edit(0, func(row *leasestore.Row) { row.Nonce, row.Holder = "another", "another" })
			}
		}})
		h.memory.LoseHistory() // it has to wait for its first ticks
		r := h.acquire(l)
		require.EqualValues(t, 1, r.WorkerID)
		require.GreaterOrEqual(t, r.Last, r.First)
		require.Equal(t, []string{"acquired", "lost", "acquired"}, told.kinds())

		// But not for ever.
		told.all = nil
		l = h.lease(lease.Config{Losses: lease.Anytime, OnEvent: func(e lease.Event) {
			told.add(e)
			for _, id := range h.ids()[2:] {
				h.edit(id, func(row *leasestore.Row) { row.Nonce = "another" })
			}
		}})
		require.ErrorContains(t, h.acquireError(l, millis(1023)), "its row has another nonce")
		require.Len(t, told.kinds(), 7)
	})
}
