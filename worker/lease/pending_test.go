package lease_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/storetest"
)

// lose has a lease's next renewals fail, each in its way.
func (h *house) lose(l *lease.Lease, client *storetest.Client, ways ...storetest.Fault) {
	h.t.Helper()
	for _, way := range ways {
		client.Fault(way)
		_, err := l.Extend(h.t.Context(), 0)
		require.Error(h.t, err)
	}
}

// lost are so many writes of which nobody hears again.
func lost(n int) []storetest.Fault { return slices.Repeat([]storetest.Fault{storetest.LoseWrite}, n) }

// Any of the renewals that were lost may come through later, whatever was tried since; the
// owner knows it by its nonce, and goes on.
func TestPendingRenewalArrivesLate(t *testing.T) {
	for k := range lease.MostPending {
		t.Run(fmt.Sprint("number ", k), func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				l, client := h.client(lease.Config{})
				was := h.acquire(l)
				h.pass(window / 2)
				ways := lost(lease.MostPending)
				ways[k] = storetest.Delay
				row := h.row(0)
				h.lose(l, client, ways...)
				require.Equal(t, lease.MostPending, lease.Pending(l))
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

// Of several that are on their way at most one comes through, since each replaces the same row.
func TestPendingRenewalsAreRivals(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, client := h.client(lease.Config{})
		h.acquire(l)
		h.pass(window / 2)
		h.lose(l, client, storetest.Delay, storetest.Delay, storetest.Delay)
		require.Equal(t, 1, h.memory.Deliver())

		// The first of them was: the others stay in mind, though they cannot happen.
		row := h.row(0)
		h.lose(l, client, storetest.Delay)
		require.Equal(t, 4, lease.Pending(l))
		require.Equal(t, 1, h.memory.Deliver())
		require.NotEqual(t, row.Nonce, h.row(0).Nonce)
		h.lose(l, client, storetest.LoseWrite)
		require.Equal(t, 2, lease.Pending(l), "those before the one in the row are over")
		require.Zero(t, h.extend(l, 0).WorkerID)
		require.Zero(t, lease.Pending(l))
	})
}

// What is still on its way when a later renewal was acknowledged never arrives.
func TestAcknowledgedRenewalEndsThoseBefore(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, client := h.client(lease.Config{})
		h.acquire(l)
		h.pass(window / 2)
		h.lose(l, client, storetest.Delay, storetest.LoseWrite, storetest.Delay)
		r := h.extend(l, 0)
		require.Zero(t, lease.Pending(l))
		require.Zero(t, h.memory.Deliver())
		require.Equal(t, r.Last, h.row(0).High)
		h.pass(window / 2)
		require.Zero(t, h.extend(l, 0).WorkerID)
	})
}

// One that was forgotten, and arrives nevertheless, costs the lease, and nothing else.
func TestForgottenRenewalCostsTheLease(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		var told events
		l, client := h.client(lease.Config{OnEvent: told.add})
		was := h.acquire(l)
		h.pass(window / 2)
		h.lose(l, client, storetest.Delay)
		h.lose(l, client, lost(lease.MostPending)...)
		require.Equal(t, lease.MostPending, lease.Pending(l))
		require.Equal(t, 1, h.memory.Deliver())
		row := h.row(0)

		r := h.extend(l, was.Last+1)
		require.EqualValues(t, 1, r.WorkerID)
		require.Equal(t, []lease.EventKind{lease.Acquired, lease.Lost, lease.Acquired}, told.kinds())
		require.Equal(t, row, h.row(0), "it is nobody's")
		h.pass(ttl + quarantine + time.Second)
		other := h.acquire(h.lease(lease.Config{}))
		require.Zero(t, other.WorkerID)
		require.Greater(t, other.First, row.High)
	})
}

// The one that is in the row is not forgotten, however many follow.
func TestRenewalInTheRowIsNotForgotten(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, client := h.client(lease.Config{})
		was := h.acquire(l)
		h.pass(window / 2)
		h.lose(l, client, storetest.LoseReply)
		h.lose(l, client, lost(2*lease.MostPending)...)
		require.Equal(t, lease.MostPending, lease.Pending(l))
		require.Equal(t, was.First, h.extend(l, 0).First)
	})
}

// A row that bears an owner's nonce may be lost again. What it says is reserved only when a
// write above it was acknowledged, and until then it is asked for.
func TestUnacknowledgedRenewalReservesNothing(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, client := h.client(lease.Config{DurableStore: true})
		was := h.acquire(l)
		through := was.Last + ms(window)
		for _, way := range []storetest.Fault{storetest.LoseReply, storetest.LoseWrite} {
			client.Fault(way)
			_, err := l.Extend(t.Context(), through)
			require.Error(t, err)
			require.Greater(t, h.row(0).High, through)
			require.Equal(t, was.Last, lease.ReservationOf(l).Last)
		}
		next := h.extend(l, through)
		require.Zero(t, next.WorkerID)
		require.GreaterOrEqual(t, next.Last, through)
	})
}

// The same with a state file, from which a start takes what was acknowledged, and no more.
func TestUnacknowledgedRenewalReservesNothingInTheFile(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := offlineConfig(t)
		l, client := h.client(cfg)
		h.acquire(l)
		acknowledged := h.row(0).High
		h.pass(offlineWindow)
		client.Fault(storetest.LoseReply, storetest.LoseWrite)
		h.extend(l, 0) // from the file
		h.extend(l, 0)
		require.Greater(t, h.row(0).High, acknowledged)
		lease.Crash(l)

		h.memory.Outage(true)
		h.shiftProcesses(offline - offlineWindow - offlineWindow/4)
		cfg.Timeout = patience
		l = h.lease(cfg)
		require.Equal(t, acknowledged, h.acquire(l).Last)
		h.shiftProcesses(offlineWindow / 2)
		_, err := l.Extend(t.Context(), 0)
		require.Error(t, err)
	})
}

// A renewal that a store decides several times is proposed once.
func TestContendedRenewal(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := offlineConfig(t)
		h.found(orders)
		client := h.memory.Store(orders)
		contended := &meddled{Store: client}
		l := h.on(contended, cfg)
		h.acquire(l)
		again := func() { h.edit(0, func(*lease.Row) {}) }
		for i := range 2 {
			h.pass(offlineWindow / 2)
			contended.decided, contended.runs = []func(){again, again, again}, 0
			client.Fault(storetest.LoseReply)
			h.extend(l, 0) // from the file
			require.Equal(t, 4, contended.runs)
			require.Equal(t, i+1, lease.Pending(l))
		}
		lease.Crash(l)
		require.Len(t, proposalsIn(t, cfg.StateFile), 2)
		require.Zero(t, h.acquire(l).WorkerID)
		require.Zero(t, lease.Pending(l))
		lease.Crash(l)
		require.Empty(t, proposalsIn(t, cfg.StateFile))
	})
}

// proposalsIn returns the renewals that a state file has, which nobody else uses.
func proposalsIn(t *testing.T, path string) []state.Proposal {
	t.Helper()
	file, err := state.Open(path)
	require.NoError(t, err)
	defer file.Close()
	r, found := file.Load()
	require.True(t, found)
	return r.Proposals
}

// A start takes up its lease by any of the renewals that the file has.
func TestStateFileKeepsPendingRenewals(t *testing.T) {
	for k := range lease.MostPending {
		t.Run(fmt.Sprint("number ", k), func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				cfg := offlineConfig(t)
				var told events
				cfg.OnEvent = told.add
				l, client := h.client(cfg)
				h.acquire(l)
				h.pass(offlineWindow / 2)
				ways := lost(lease.MostPending)
				ways[k] = storetest.Delay
				for _, way := range ways {
					client.Fault(way)
					h.extend(l, 0) // from the file
				}
				r := lease.ReservationOf(l)
				if k%2 == 0 {
					lease.Crash(l)
				} else {
					require.NoError(t, l.Release(t.Context(), r.Last))
				}
				require.Len(t, proposalsIn(t, cfg.StateFile), lease.MostPending)
				require.Equal(t, 1, h.memory.Deliver())

				l = h.lease(cfg)
				next := h.acquire(l)
				require.Zero(t, next.WorkerID)
				require.Equal(t, r.Last+1, next.First)
				require.Equal(t, []lease.EventKind{lease.Acquired}, told.kinds())
				require.NoError(t, l.Release(t.Context(), next.First))
				require.Empty(t, proposalsIn(t, cfg.StateFile))
			})
		})
	}
}
