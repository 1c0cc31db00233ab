package lease_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

// A renewal whose reply is lost may or may not have happened. Its ticks are not the
// owner's before it has read the row, and the lease goes on in either case.
func TestLeaseLostReply(t *testing.T) {
	each(t, map[string]storetest.Fault{
		"stored":       storetest.LoseReply,
		"not heard of": storetest.LoseWrite,
		"on its way":   storetest.Delay,
	}, func(t *testing.T, h *house, lose storetest.Fault) {
		l, client := h.client(lease.Config{})
		was := h.acquire(l)
		row := h.row(0)
		for range 3 {
			h.pass(window / 2)
			client.Fault(lose)
			r, err := l.Extend(t.Context(), 0)
			require.Error(t, err)
			require.Zero(t, r)
			require.Equal(t, lose == storetest.LoseReply, h.row(0).Nonce != row.Nonce)
			row = h.row(0)
			require.Equal(t, was, lease.ReservationOf(l))
		}
		next := h.extend(l, 0)
		require.Zero(t, next.WorkerID, "it is still the owner")
		require.Equal(t, was.First, next.First)
		require.Greater(t, next.Last, was.Last)
		require.Equal(t, next.Last, h.row(0).High)
		require.NotEqual(t, row.Nonce, h.row(0).Nonce)
		require.Zero(t, h.memory.Deliver(), "what was on its way comes too late")

		// A release finds the row that a lost reply left behind.
		h.pass(window / 2)
		client.Fault(lose)
		require.Error(t, h.extendError(l, 0))
		require.NoError(t, l.Release(t.Context(), next.Last))
		require.Empty(t, h.row(0).Nonce)
		require.Equal(t, next.Last, h.row(0).High)
		require.Zero(t, h.memory.Deliver())
	})
}

// onRetry returns a logger that calls do when something is tried again.
func onRetry(do func()) *slog.Logger {
	return (&logtest.Records{On: map[string]func(){"trying again": do}}).Logger()
}

// An ID that is released keeps the ticks of its earlier owners.
func TestGivenBackKeepsTheBase(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		before := h.lease(lease.Config{})
		used := h.acquire(before).Last
		require.NoError(t, before.Release(t.Context(), used))
		h.pass(quarantine + time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		l, client := h.client(lease.Config{Logger: onRetry(cancel)})
		client.Fault(storetest.LoseReply)
		_, err := l.Acquire(ctx, millis(1023))
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, h.row(0).Nonce)
		require.Equal(t, used, h.row(0).High)

		// So does what is released unused.
		h.pass(quarantine + time.Second)
		require.Equal(t, used+1, h.acquire(l).First)
		require.NoError(t, l.Release(t.Context(), -1))
		require.Equal(t, used, h.row(0).High)
	})
}

// Unless somebody else has it by then.
func TestGiveBackLeavesWhatIsNotItsOwn(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		ctx, cancel := context.WithCancel(t.Context())
		other := h.lease(lease.Config{Losses: lease.Never})
		var theirs storage.Lease
		l, client := h.client(lease.Config{Losses: lease.Never, Logger: onRetry(func() {
			h.pass(ttl + quarantine + time.Second)
			require.Zero(t, h.acquire(other).WorkerID)
			theirs = h.row(0)
			cancel()
		})})
		client.Fault(storetest.LoseReply)
		_, err := l.Acquire(ctx, millis(1023))
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, theirs, h.row(0))
	})
}

// A release whose reply is lost is not tried on a row that somebody else may have by now.
func TestLeaseLostReplyToRelease(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, client := h.client(lease.Config{Timeout: 2 * time.Second})
		r := h.acquire(l)
		client.Fault(storetest.LoseReply)
		require.NoError(t, l.Release(t.Context(), r.First))
		row := h.row(0)
		require.Empty(t, row.Nonce)
		require.Equal(t, r.First, row.High)

		// A store that is away is not waited for.
		h.acquire(l)
		h.memory.Outage(true)
		began := h.now()
		err := l.Release(t.Context(), r.First)
		require.ErrorContains(t, err, "release the lease of worker ID 1")
		require.Equal(t, 2*time.Second, h.now().Sub(began), "the Timeout")
		h.memory.Outage(false)
		require.NotEmpty(t, h.row(1).Nonce)
		h.acquire(l)
	})
}
