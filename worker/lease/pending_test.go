package lease_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

// Any of the renewals that were lost may come through later, whatever was tried since; the
// owner knows it by its nonce, and goes on.
func TestPendingRenewalArrivesLate(t *testing.T) {
	const many = 8
	for k := range many {
		t.Run(fmt.Sprint("number ", k), func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				l, client := h.client(lease.Config{})
				was := h.acquire(l)
				h.pass(window / 2)
				row := h.row(0)
				ways := slices.Repeat([]storetest.Fault{storetest.LoseWrite}, many)
				ways[k] = storetest.Delay
				for _, way := range ways {
					client.Fault(way)
					require.Error(t, h.extendError(l, 0))
				}
				require.EqualValues(t, many, lease.Unacknowledged(l))
				require.Equal(t, row, h.row(0))
				require.Equal(t, 1, h.memory.Deliver())
				require.NotEqual(t, row.Nonce, h.row(0).Nonce)
				require.Equal(t, was, lease.ReservationOf(l))

				next := h.extend(l, 0)
				require.Equal(t, was.WorkerID, next.WorkerID)
				require.Equal(t, was.First, next.First)
				require.Greater(t, next.Last, was.Last)
				require.Zero(t, lease.Unacknowledged(l), "it was acknowledged")
			})
		})
	}
}

// A row that bears an owner's nonce may be lost again. What it says is reserved only when a
// write above it was acknowledged, and until then it is asked for.
func TestUnacknowledgedRenewalReservesNothing(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, client := h.client(lease.Config{Losses: lease.Never})
		was := h.acquire(l)
		through := was.Last + ms(window/8)
		for _, way := range []storetest.Fault{storetest.LoseReply, storetest.LoseWrite} {
			client.Fault(way)
			require.Error(t, h.extendError(l, through))
			require.Greater(t, h.row(0).High, through)
			require.Equal(t, was.Last, lease.ReservationOf(l).Last)
		}
		next := h.extend(l, through)
		require.Zero(t, next.WorkerID)
		require.GreaterOrEqual(t, next.Last, through)
	})
}
