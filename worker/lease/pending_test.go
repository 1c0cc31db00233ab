package lease_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

// manyPending is how many renewals are on their way at once.
const manyPending = 8

// lose has a lease's next renewals fail, each in its way.
func (h *house) lose(l *lease.Lease, client *storetest.Client, ways ...storetest.Fault) {
	h.t.Helper()
	for _, way := range ways {
		client.Fault(way)
		require.Error(h.t, h.extendError(l, 0))
	}
}

// lost are so many writes of which nobody hears again.
func lost(n int) []storetest.Fault { return slices.Repeat([]storetest.Fault{storetest.LoseWrite}, n) }

// Any of the renewals that were lost may come through later, whatever was tried since; the
// owner knows it by its nonce, and goes on.
func TestPendingRenewalArrivesLate(t *testing.T) {
	for k := range manyPending {
		t.Run(fmt.Sprint("number ", k), func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				l, client := h.client(lease.Config{})
				was := h.acquire(l)
				h.pass(window / 2)
				ways := lost(manyPending)
				ways[k] = storetest.Delay
				row := h.row(0)
				h.lose(l, client, ways...)
				require.EqualValues(t, manyPending, lease.Pending(l))
				require.Equal(t, row, h.row(0))
				require.Equal(t, 1, h.memory.Deliver())
				require.NotEqual(t, row.Nonce, h.row(0).Nonce)
				require.Equal(t, was, lease.ReservationOf(l))

				next := h.extend(l, 0)
				require.Equal(t, was.WorkerID, next.WorkerID)
				require.Equal(t, was.First, next.First)
				require.Greater(t, next.Last, was.Last)
				require.Zero(t, lease.Pending(l), "it was acknowledged")
			})
		})
	}
}

// A row as it was before the owner's newest acknowledged write is not its own.
func TestOlderRowIsNotTheOwners(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		var told events
		l, _ := h.held(lease.Config{OnEvent: told.add})
		older := h.row(0)
		h.pass(window / 2)
		h.extend(l, 0)
		h.memory.SetRow(orders, older)
		h.pass(window / 2)
		require.EqualValues(t, 1, h.extend(l, 0).WorkerID)
		require.ErrorContains(t, told.all[1].Err, "another nonce")
	})
}

// A row that differs in the owner's name alone is another's.
func TestAnotherOwnersRow(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, _ := h.held(lease.Config{})
		h.edit(0, func(row *leasestore.Row) { row.Nonce = strings.Repeat("a", 22) + row.Nonce[22:] })
		h.pass(window / 2)
		require.EqualValues(t, 1, h.extend(l, 0).WorkerID)
	})
}

// Of two copies of a process the one that renews first has the lease, and the other one another.
func TestCopyOfAProcess(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, _ := h.held(lease.Config{})
		held, _ := l.Held()
		held.Used = held.Last // so that the test may do it
		other, err := h.lease(lease.Config{}).Resume(t.Context(), millis(1023), held)
		require.NoError(t, err)
		require.Zero(t, other.WorkerID)
		h.pass(window / 2)
		require.EqualValues(t, 1, h.extend(l, 0).WorkerID)
	})
}

// A row that bears an owner's nonce may be lost again. What it says is reserved only when a
// write above it was acknowledged, and until then it is asked for.
func TestUnacknowledgedRenewalReservesNothing(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, client := h.client(lease.Config{Losses: lease.Never})
		was := h.acquire(l)
		through := was.Last + ms(window)
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
