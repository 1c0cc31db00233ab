package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// An acquisition whose reply was lost is confirmed by a write with a nonce of its own: a row that can be read need not
// be durable.
func TestRetake(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		var told events
		var pending, first storage.Lease
		h.found()
		client := h.memory.Store(orders)
		counted := &meddled{Store: client}
		l := h.on(counted, lease.Config{Losses: losses, Logger: onRetry(func() { pending = h.row(0) }),
			OnEvent: func(e lease.Event) {
				told.add(e)
				first = h.row(0)
			}})
		client.Fault(storetest.LoseReply)
		r := h.acquire(l)
		require.Equal(t, 2, counted.runs)
		require.Zero(t, r.WorkerID)
		require.Equal(t, []int64{0}, h.ids())
		require.Equal(t, []string{"acquired"}, told.kinds())
		require.NotEqual(t, pending.Nonce, first.Nonce)
		require.Equal(t, pending.High, first.High)
		require.Equal(t, pending.Acquired, first.Acquired)
		require.True(t, first.Until.After(pending.Until))
		require.Equal(t, first.Until.Sub(first.Renewed), ttl)
		require.Equal(t, pending.High, r.Last)
		h.pass(window / 2)
		require.Zero(t, h.extend(l, 0).WorkerID)
	})
}

// A pending acquisition of an ID whose owner did not release it is an event "taken over" once it is confirmed.
func TestRetakenTakeover(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.acquire(h.named("gone", lease.Config{}))
		h.pass(ttl + quarantine + time.Second)
		var told events
		l, client := h.client(lease.Config{OnEvent: told.add})
		client.Fault(storetest.LoseReply)
		require.Zero(t, h.acquire(l).WorkerID)
		require.Equal(t, []string{"taken over"}, told.kinds())
		require.Equal(t, "gone", told.last().Holder)
	})
}

// Whatever happens to the confirming write, the ID is leased once.
func TestRetakeIsLostAgain(t *testing.T) {
	eachTrustOf(t, map[string][]storetest.Fault{
		"refused":           {storetest.LoseReply, storetest.Refuse},
		"stored":            {storetest.LoseReply, storetest.LoseReply, storetest.LoseReply},
		"not heard of":      {storetest.LoseReply, storetest.LoseWrite, storetest.LoseWrite},
		"on its way":        {storetest.LoseReply, storetest.Delay, storetest.Delay},
		"stored, then lost": {storetest.LoseReply, storetest.LoseReply, storetest.LoseWrite, storetest.Refuse},
		"lost, then stored": {storetest.LoseReply, storetest.LoseWrite, storetest.LoseReply,
			storetest.LoseWrite},
		"on its way, then stored":   {storetest.LoseReply, storetest.Delay, storetest.LoseReply},
		"nothing to take up, twice": {storetest.LoseWrite, storetest.OK, storetest.LoseWrite},
		"each of many, and stored": {storetest.LoseReply, storetest.Delay, storetest.LoseWrite, storetest.LoseReply,
			storetest.Refuse, storetest.Delay, storetest.LoseReply, storetest.LoseReply},
	}, func(t *testing.T, h *house, losses lease.Losses, ways []storetest.Fault) {
		var told events
		l, client := h.client(lease.Config{Losses: losses, OnEvent: told.add})
		client.Fault(ways...)
		r := h.acquire(l)
		require.Zero(t, r.WorkerID)
		require.GreaterOrEqual(t, r.Last, r.First)
		require.Equal(t, r.Last, h.row(0).High)
		require.Equal(t, []int64{0}, h.ids())
		require.Equal(t, []string{"acquired"}, told.kinds())
		require.Zero(t, h.memory.Deliver(), "what was on its way comes too late")
		h.pass(window / 2)
		require.Zero(t, h.extend(l, 0).WorkerID)
	})
}

// An acquisition that is still on its way when somebody looks for it, and arrives after
// that: its ID is leased to nobody for a while, and nothing is issued under it.
func TestDoubtedAcquisitionArrivesAfterTheLook(t *testing.T) {
	eachTrustOf(t, map[string]int{"before the next one reads": 1, "before the next one is stored": 2},
		func(t *testing.T, h *house, losses lease.Losses, hooks int) {
			h.found()
			client := h.memory.Store(orders)
			late := &meddled{Store: client}
			for range hooks {
				late.decided = append(late.decided, func() {})
			}
			late.decided = append(late.decided, func() { require.Equal(t, 1, h.memory.Deliver()) })
			var told events
			l := h.on(late, lease.Config{Losses: losses, OnEvent: told.add})
			client.Fault(storetest.Delay)
			r := h.acquire(l)
			require.EqualValues(t, 1, r.WorkerID)
			require.Equal(t, []string{"acquired"}, told.kinds())
			_, pending := lease.Pending(l)
			require.False(t, pending)
			row := h.row(0)
			require.NotEmpty(t, row.Nonce)
			h.pass(window / 2)
			require.EqualValues(t, 1, h.extend(l, 0).WorkerID)
			require.NoError(t, l.Release(t.Context(), r.First))
			require.Equal(t, row, h.row(0))

			// It ends by itself.
			h.pass(ttl + quarantine + time.Second)
			ids := map[int64]uid.Reservation{}
			for range 2 {
				r := h.acquire(h.lease(lease.Config{Losses: losses}))
				ids[r.WorkerID] = r
			}
			require.Len(t, ids, 2)
			require.Greater(t, ids[0].First, row.High)
		})
}

// What is not as it was written, by its nonce, its ticks and its end, is not taken up, nor is what begins below the
// floor.
func TestRetakeLeavesWhatIsNotItsOwn(t *testing.T) {
	eachTrustOf(t, map[string]func(h *house){
		"another nonce": func(h *house) { h.edit(0, func(row *storage.Lease) { row.Nonce = "another" }) },
		"released":      func(h *house) { h.edit(0, func(row *storage.Lease) { row.Nonce, row.Until = "", h.now() }) },
		"more ticks":    func(h *house) { h.edit(0, func(row *storage.Lease) { row.High++ }) },
		"fewer ticks":   func(h *house) { h.edit(0, func(row *storage.Lease) { row.High-- }) },
		"over":          func(h *house) { h.pass(ttl + time.Millisecond) },
		"the floor has risen": func(h *house) {
			h.editNamespace(func(n *storage.Namespace) { n.Floor = h.row(0).High })
		},
		"somebody else has had it": func(h *house) {
			was := h.row(0)
			h.pass(ttl + quarantine + time.Second)
			theirs := h.acquire(h.lease(lease.Config{}))
			require.Zero(h.t, theirs.WorkerID)
			require.Greater(h.t, theirs.First, was.High)
		},
	}, func(t *testing.T, h *house, losses lease.Losses, change func(h *house)) {
		var row storage.Lease
		l, client := h.client(lease.Config{Losses: losses, Logger: onRetry(func() {
			change(h)
			row = h.row(0)
		})})
		client.Fault(storetest.LoseReply)
		require.EqualValues(t, 1, h.acquire(l).WorkerID)
		require.Equal(t, row, h.row(0))
	})
	eachHouse(t, func(t *testing.T, h *house) {
		l, client := h.client(lease.Config{Losses: lease.Never, Logger: onRetry(func() {
			h.memory.RemoveRow(orders, 0)
		})})
		client.Fault(storetest.LoseReply)
		require.EqualValues(t, 1, h.acquire(l).WorkerID, "an ID whose row is gone is nobody's")
	})
}

// The release of a pending acquisition is retried like that of a lease, and for as long.
func TestPendingIsReleased(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		l, client := h.client(lease.Config{Losses: losses})
		lost := func() (id int64) {
			h.memory.RemoveRow(orders, h.acquire(l).WorkerID)
			h.pass(window / 2)
			client.Fault(storetest.OK, storetest.LoseReply)
			require.Error(t, h.extendError(l, 0))
			id, pending := lease.Pending(l)
			require.True(t, pending)
			require.NotEmpty(t, h.row(id).Nonce)
			return id
		}
		id := lost()
		client.Fault(storetest.Refuse, storetest.LoseWrite)
		require.NoError(t, l.Release(t.Context(), -1))
		require.Empty(t, h.row(id).Nonce)
		require.NotEqual(t, id, h.acquire(l).WorkerID, "it is in quarantine")
		require.NoError(t, l.Release(t.Context(), -1))

		h.empty()
		h.found()
		id = lost()
		h.memory.Outage(true)
		began := h.now()
		require.Error(t, l.Release(t.Context(), -1))
		require.Equal(t, 5*time.Second, h.now().Sub(began))
		h.memory.Outage(false)
		require.NotEmpty(t, h.row(id).Nonce)
	})
}

// A clock that is off is refused there as well.
func TestRetakeComparesClocks(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, client := h.client(lease.Config{Losses: lease.Never,
			Logger: onRetry(func() { h.shiftStore(time.Minute) })})
		client.Fault(storetest.LoseReply)
		require.ErrorIs(t, h.acquireError(l, millis(1023)), worker.ErrClock)
		require.Empty(t, h.row(0).Nonce, "it is given back")
	})
}
