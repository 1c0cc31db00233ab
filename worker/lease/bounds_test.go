package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

// A change of the history lowers no floor: that of a generator whose start still waits is beyond a Burn.
func TestBurnLowersNoFloor(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.found()
		ns := h.namespace()
		ns.Floor = h.tick() + ms(lease.Burn+20*time.Second)
		h.memory.SetNamespace(orders, ns)
		h.memory.LoseHistory()
		_, r := h.held(lease.Config{})
		require.Equal(t, ns.Floor+1, r.First)
		require.Equal(t, ns.Floor, h.namespace().Floor)
	})
}

// Nothing is reserved or burnt beyond the layout's last tick.
func TestNothingBeyondTheLayout(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		terms := millis(1023)
		terms.MaxTick = h.tick() + ms(reach/2)
		l := h.lease(lease.Config{})
		require.Equal(t, terms.MaxTick, h.acquireFor(l, terms).Last)
		h.memory.LoseHistory()
		h.pass(window / 2)
		h.extend(l, 0)
		require.Equal(t, terms.MaxTick, h.namespace().Floor)
		require.Equal(t, terms.MaxTick, h.row(0).High)
	})
}

// A start that burns writes again when it can reserve, not before, and if a reply was lost not later.
func TestBurnWaitsOnce(t *testing.T) {
	each(t, map[string]storetest.Fault{"": storetest.OK, "lost reply": storetest.LoseReply},
		func(t *testing.T, h *house, fault storetest.Fault) {
			h.found()
			h.memory.LoseHistory()
			client := h.memory.Store(orders)
			client.Fault(fault)
			store, began := &meddled{Store: client}, time.Now()
			h.acquire(h.on(store, lease.Config{}))
			require.Equal(t, skew+time.Millisecond, time.Since(began).Truncate(time.Millisecond))
			require.Equal(t, map[storetest.Fault]int{storetest.OK: 2, storetest.LoseReply: 3}[fault], store.runs)
		})
}

// A generator that has lost its lease, and whose next one reserves nothing at first, asks when more can be reserved.
func TestAsksWhenMoreCanBeReserved(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, _ := h.held(lease.Config{})
		h.memory.RemoveRow(orders, 0)
		h.memory.LoseHistory()
		h.pass(window / 2)
		r := h.extend(l, 0)
		require.Less(t, r.Last, r.First)
		require.Equal(t, h.tick()+ms(skew)+1, r.Renew)
	})
}

// A lease that waits for its first ticks for longer than half a Window is renewed meanwhile, as any other.
func TestRenewedWhileItWaits(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, _ := h.held(lease.Config{Window: skew})
		h.memory.RemoveRow(orders, 0)
		h.memory.LoseHistory()
		h.pass(skew / 2)
		r := h.extend(l, 0)
		require.Less(t, r.Last, r.First)
		require.LessOrEqual(t, r.Renew, h.tick()+ms(skew/2))
		leased := h.row(r.WorkerID).Until
		h.pass(skew / 2)
		h.extend(l, 0)
		require.True(t, h.row(r.WorkerID).Until.After(leased))
	})
}

// The number of a nonce is not negative.
func TestNonceWithASign(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		held := h.resumable()
		held.Nonce = held.Nonce[:22] + "-000000001"
		_, err := h.lease(lease.Config{}).Resume(t.Context(), millis(1023), held)
		require.ErrorIs(t, err, uid.ErrRange)
	})
}
