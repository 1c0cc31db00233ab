package lease_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

// A lease is renewed any number of times: the numbers of its writes are read as they are written.
func TestManyRenewals(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		l, _ := h.held(lease.Config{Losses: losses})
		for n := 1; n <= 20; n++ {
			h.pass(window / 2)
			require.Zero(t, h.extend(l, 0).WorkerID)
			require.Equal(t, fmt.Sprintf("%010x", n), h.row(0).Nonce[22:])
		}
	})
}

// A renewal prolongs the lease though no more ticks can be reserved. It is the owner's own when its reply was lost.
func TestLostReplyToARenewalWithoutTicks(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		l, client := h.client(lease.Config{Losses: losses})
		h.acquire(l)
		for range 2 {
			h.pass(time.Second)
			h.extend(l, h.tick()+ms(time.Hour)) // as far as it may
		}
		h.shiftStore(-window) // from now on there is no more to be had
		l.SetNow(h.storeNow)
		high := h.row(0).High
		h.pass(window / 2)
		client.Fault(storetest.LoseReply)
		require.Error(t, h.extendError(l, 0))
		require.Equal(t, high, h.row(0).High)
		require.Zero(t, h.extend(l, 0).WorkerID)
		require.Equal(t, high, h.row(0).High)
	})
}

// A start that takes a lease up believes what its process may have written before it ended. Once it has renewed, it
// does not: what comes then is of a copy.
func TestCopyOfAResumedLease(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		held := h.resumable()
		later := func(by int64) {
			h.edit(0, func(row *storage.Lease) {
				var number int64
				_, err := fmt.Sscanf(row.Nonce[22:], "%x", &number)
				require.NoError(t, err)
				row.Nonce = fmt.Sprintf("%s%010x", row.Nonce[:22], number+by)
			})
		}
		later(3)
		l := h.lease(lease.Config{Losses: losses})
		r := must(l.Resume(t.Context(), millis(1023), held))
		require.Zero(t, r.WorkerID)
		h.pass(window / 2)
		require.Zero(t, h.extend(l, 0).WorkerID)
		later(1)
		h.pass(window / 2)
		require.EqualValues(t, 1, h.extend(l, 0).WorkerID)
	})
}

// An acquisition that is taken up after the store has lost writes tells the namespace, as every write does.
func TestRetakeWritesTheHistory(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, client := h.client(lease.Config{Logger: onRetry(h.memory.LoseHistory)})
		before := h.namespace()
		client.Fault(storetest.LoseReply)
		require.Zero(t, h.acquire(l).WorkerID)
		require.NotEqual(t, before.History, h.namespace().History)
		require.GreaterOrEqual(t, h.namespace().Floor, h.tick()+ms(lease.Burn-time.Second))
	})
}

// A namespace that was founded as lost keeps its floor when it gets its IDs after that.
func TestFoundLostThenIDs(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		store := h.memory.Store(orders)
		require.NoError(t, lease.Found(t.Context(), store, lease.Founding{Layout: milliseconds, Lost: true}))
		floor := h.namespace().Floor
		require.Equal(t, h.tick()+ms(lease.Burn), floor)
		ids := lease.Range{First: 0, Last: 7}
		require.NoError(t, lease.Found(t.Context(), store, lease.Founding{Layout: milliseconds, IDs: ids}))
		require.Equal(t, ids, h.namespace().IDs)
		require.Equal(t, floor, h.namespace().Floor)
	})
}

// An ID is free when its quarantine is over by every client's clock; each may be off by the error of the store's.
func TestClockErrorOfAQuarantine(t *testing.T) {
	const off = time.Second
	eachStore(t, storetest.MemoryConfig{Error: off}, func(t *testing.T, h *house) {
		f := &meddled{Store: h.memory.Store(orders)}
		h.found()
		over := func(by time.Duration) offer {
			return func(_ *storage.Namespace, row *storage.Lease) { row.Until = h.now().Add(-quarantine - by) }
		}
		f.offered = append(f.offered, over(off), over(off+time.Microsecond)) // the first one by a store that errs
		var early bool
		l := h.on(f, lease.Config{Losses: lease.Never, Logger: onRetry(func() { early = true })})
		h.acquire(l)
		require.True(t, early, "the first offer is refused")
	})
}
