package lease_test

import (
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

// Of two copies of a process that write at once, with the same nonce, one is the owner: the one whose write was refused
// does not take the other's for its own.
func TestACopyIsQuicker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, storetest.MemoryConfig{Versions: true})
		h.found()
		client := h.memory.Store(orders)
		store := &meddled{Store: client}
		copyWrites := func(id int64) func() {
			return func() {
				h.edit(id, func(row *storage.Lease) {
					owner := row.Nonce[:22]
					number := must(strconv.ParseInt(row.Nonce[22:], 16, 64))
					row.Nonce = fmt.Sprintf("%s%010x", owner, number+1)
				})
			}
		}
		l := h.on(store, lease.Config{})
		require.Zero(t, h.acquire(l).WorkerID)
		h.pass(window / 2)
		store.decided = []func(){copyWrites(0)}
		require.EqualValues(t, 1, h.extend(l, 0).WorkerID)

		client.Fault(storetest.LoseReply)
		store.decided = []func(){func() {}, copyWrites(2)}
		require.EqualValues(t, 3, h.acquire(h.on(store, lease.Config{})).WorkerID)
	})
}

// An acquisition whose reply was lost before the process was cloned may be taken up by the other copy.
func TestLeaseInvalidatePending(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, client := h.client(lease.Config{})
		h.acquire(l)
		h.edit(0, func(row *storage.Lease) { row.Nonce = "another's" })
		h.pass(window / 2)
		client.Fault(storetest.OK, storetest.LoseReply)
		require.Error(t, h.extendError(l, 0))
		id, pending := lease.Pending(l)
		require.True(t, pending)
		require.EqualValues(t, 1, id)
		l.Invalidate()
		for range 2 {
			require.EqualValues(t, 2, h.extend(l, 0).WorkerID)
		}
	})
}
