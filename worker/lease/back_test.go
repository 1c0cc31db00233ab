package lease_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

// backs are ways in which a row of worker ID 0 is put back to what it was, by its owner's own name.
var backs = map[string]func(h *house, row storage.Lease){
	"as it was": func(h *house, row storage.Lease) { h.memory.SetRow(orders, row) },
	"its lease long over": func(h *house, row storage.Lease) {
		row.Until = h.now().Add(-time.Hour)
		h.memory.SetRow(orders, row)
	},
	"an older number alone": func(h *house, row storage.Lease) {
		h.edit(0, func(r *storage.Lease) { r.Nonce = row.Nonce })
	},
	"fewer ticks alone": func(h *house, _ storage.Lease) {
		h.edit(0, func(r *storage.Lease) { r.High-- })
	},
}

// older has an owner renew its lease, and then the store go back, behind the back of the one that is returned.
func (h *house) older(l *lease.Lease, back func(h *house, row storage.Lease)) (was uid.Reservation) {
	h.t.Helper()
	h.acquire(l)
	row := h.row(0)
	h.pass(window / 2)
	was = h.extend(l, h.tick()+ms(reach)+100)
	back(h, row)
	h.pass(window / 2)
	return was
}

// witnessed requires that the namespace has been told at some time since then that the store went back, and the row.
func (h *house) witnessed(since int64, was uid.Reservation) {
	h.t.Helper()
	ns, row := h.namespace(), h.row(0)
	require.GreaterOrEqual(h.t, ns.Floor, since+ms(lease.Burn))
	require.Equal(h.t, "writes were lost 0 times", ns.History)
	require.Empty(h.t, row.Nonce)
	require.GreaterOrEqual(h.t, row.High, was.Last)
	require.False(h.t, row.Until.After(h.now()))
}

// An owner that reads an older write of its own has the namespace know before anybody takes a lease, and loses its own.
func TestStoreWentBack(t *testing.T) {
	eachTrustOf(t, backs, func(t *testing.T, h *house, losses lease.Losses, back func(*house, storage.Lease)) {
		h.found()
		h.editNamespace(func(ns *storage.Namespace) { ns.History = "a former one" })
		var told events
		f := &meddled{Store: h.memory.Store(orders)}
		l := h.on(f, lease.Config{OnEvent: told.add, Losses: losses})
		was := h.older(l, back)
		before := h.tick()
		f.call = func(context.Context, int) error {
			if h.row(0).Nonce == "" { // this is the acquisition
				return errBroken
			}
			return nil
		}
		require.ErrorIs(t, h.extendError(l, was.Last+10), errBroken)
		h.witnessed(before, was)
		require.Equal(t, []string{"acquired", "lost"}, told.kinds())
		require.ErrorContains(t, told.last().Err, "the store went back")

		f.call = nil
		floor := h.namespace().Floor
		h.pass(time.Second)
		require.Greater(t, h.extend(l, 0).First, floor)
		require.Greater(t, h.acquire(h.lease(lease.Config{Losses: losses})).First, floor)
		h.pass(time.Second)
		h.extend(l, h.tick()+ms(time.Hour))
		require.Equal(t, floor, h.namespace().Floor, "once told, it is not told again")
	})
}

// Until a write that says so is acknowledged, each one of the worker says it, whatever becomes of the row.
func TestStoreWentBackUnacknowledged(t *testing.T) {
	type trouble struct {
		fault storetest.Fault
		then  func(h *house)
	}
	each(t, map[string]trouble{
		"the reply is lost": {storetest.LoseReply, func(*house) {}},
		"the write is lost": {storetest.LoseWrite, func(*house) {}},
		"and the lease ended": {storetest.LoseWrite, func(h *house) {
			h.edit(0, func(r *storage.Lease) { r.Nonce = "" })
		}},
		"and somebody has the ID": {storetest.LoseWrite, func(h *house) {
			h.edit(0, func(r *storage.Lease) { r.Until = h.now().Add(-quarantine - time.Second) })
			require.Zero(h.t, h.acquire(h.lease(lease.Config{})).WorkerID)
		}},
	}, func(t *testing.T, h *house, c trouble) {
		var told events
		l, client := h.client(lease.Config{OnEvent: told.add})
		was := h.older(l, backs["as it was"])
		client.Fault(c.fault)
		require.Error(t, h.extendError(l, 0))
		require.Equal(t, []string{"acquired"}, told.kinds(), "it keeps its lease so long")
		require.Equal(t, was, lease.ReservationOf(l))
		c.then(h)
		before := h.tick()
		r := h.extend(l, 0)
		require.NotZero(t, r.WorkerID)
		require.GreaterOrEqual(t, h.namespace().Floor, before+ms(lease.Burn))
		require.Greater(t, r.First, before+ms(lease.Burn))
		floor := h.namespace().Floor
		h.acquire(h.lease(lease.Config{}))
		h.pass(window / 2)
		h.extend(l, 0)
		require.Equal(t, floor, h.namespace().Floor)
	})
}

// So says an owner that gives its lease back.
func TestReleaseOfAnOlderWrite(t *testing.T) {
	eachTrustOf(t, backs, func(t *testing.T, h *house, losses lease.Losses, back func(*house, storage.Lease)) {
		l := h.lease(lease.Config{Losses: losses})
		was, before := h.older(l, back), h.tick()
		require.NoError(t, l.Release(t.Context(), was.First))
		h.witnessed(before, was)
		floor := h.namespace().Floor
		require.Greater(t, h.acquire(l).First, floor)
		require.Equal(t, floor, h.namespace().Floor)
	})
}

// And so does one that takes it up.
func TestResumeOfAnOlderWrite(t *testing.T) {
	eachTrustOf(t, backs, func(t *testing.T, h *house, losses lease.Losses, back func(*house, storage.Lease)) {
		l := h.lease(lease.Config{Losses: losses})
		was, before := h.older(l, back), h.tick()
		held, _ := l.Held()
		require.NoError(t, l.Leave())
		r := must(l.Resume(t.Context(), millis(1023), held))
		require.NotZero(t, r.WorkerID)
		require.Greater(t, r.First, before+ms(lease.Burn))
		h.witnessed(before, was)
	})
}

// What was not acknowledged is no proof, nor is a row that is gone or another owner's: the namespace stays as it is.
func TestNoProof(t *testing.T) {
	eachTrustOf(t, map[string]func(h *house, row storage.Lease){
		"an unacknowledged write is gone": func(h *house, row storage.Lease) { h.memory.SetRow(orders, row) },
		"the row is gone":                 func(h *house, _ storage.Lease) { h.memory.RemoveRow(orders, 0) },
		"another owner's row": func(h *house, row storage.Lease) {
			row.Nonce, row.High = strings.Repeat("a", 22)+row.Nonce[22:], row.High-1
			h.memory.SetRow(orders, row)
		},
	}, func(t *testing.T, h *house, losses lease.Losses, become func(h *house, row storage.Lease)) {
		l, client := h.client(lease.Config{Losses: losses})
		h.acquire(l)
		h.pass(window / 2)
		h.extend(l, 0)
		row, before := h.row(0), h.namespace()
		h.pass(window / 2)
		client.Fault(storetest.LoseReply)
		require.Error(t, h.extendError(l, 0))
		become(h, row)
		h.extend(l, 0)
		require.Equal(t, before.Floor, h.namespace().Floor)
		require.Equal(t, before.History, h.namespace().History)
	})
}

// What a store reads may be old. It refuses to write on that, and what it reads anew counts.
func TestOldReadIsNoProof(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, storetest.MemoryConfig{Versions: true})
		h.found()
		stale := &meddled{Store: h.memory.Store(orders)}
		l := h.on(stale, lease.Config{})
		h.acquire(l)
		older, before := h.row(0), h.namespace()
		h.pass(window / 2)
		h.extend(l, 0)
		stale.offered = []offer{func(_ *storage.Namespace, row *storage.Lease) {
			*row = older
			h.edit(0, func(*storage.Lease) {}) // so that the write is refused
		}}
		h.pass(window / 2)
		require.Zero(t, h.extend(l, 0).WorkerID)
		require.Equal(t, 4, stale.runs)
		require.Equal(t, before, h.namespace())
	})
}
