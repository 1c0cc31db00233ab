package lease_test

import (
	"math"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A lease that is lost before its first reservation is replaced, and not by a failure of
// the start.
func TestLeaseLostWhileStarting(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		var told events
		var l *lease.Lease
		l = h.lease(lease.Config{OnEvent: func(e lease.Event) {
			told.add(e)
			if e.Kind == lease.Acquired && e.WorkerID == 0 {
				h.edit(0, func(row *lease.Row) { row.Nonce, row.Holder = "another", "another" })
			}
		}})
		r := h.acquire(l)
		require.EqualValues(t, 1, r.WorkerID)
		require.GreaterOrEqual(t, r.Last, r.First)
		require.Equal(t, []lease.EventKind{lease.Acquired, lease.Lost, lease.Acquired}, told.kinds())

		// But not for ever.
		told.all = nil
		l = h.lease(lease.Config{OnEvent: func(e lease.Event) {
			told.add(e)
			for _, id := range h.ids()[2:] {
				h.edit(id, func(row *lease.Row) { row.Nonce = "another" })
			}
		}})
		_, err := l.Acquire(t.Context(), millis(1023))
		require.ErrorContains(t, err, "its row has another nonce")
		require.Len(t, told.kinds(), 7)
	})
}

// Where another owner's Window is long a new owner has to wait for longer than its own lease
// lasts, which it renews meanwhile.
func TestLeaseRenewedWhileStarting(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.acquire(h.lease(lease.Config{Window: 3 * time.Second}))
		var told events
		r := h.acquire(h.lease(lease.Config{Window: time.Second, TTL: 1500 * time.Millisecond, OnEvent: told.add}))
		require.EqualValues(t, 1, r.WorkerID)
		require.GreaterOrEqual(t, r.Last, r.First)
		require.Equal(t, []lease.EventKind{lease.Acquired}, told.kinds())
	})
}

// A program that makes many generators, one after another, does not wait for each.
func TestLeaseNoWait(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		const n = 14
		require.NoError(t, h.foundWith(0, 0, 1023))
		var made []uid.Generator
		began := h.tick()
		for i := range n {
			l := h.lease(lease.Config{NoWait: true, MaxClockSkew: 10 * time.Second})
			var g uid.Generator
			var err error
			if i%2 == 0 {
				g, err = cached.New(l, cached.Config{Layout: milliseconds, Now: h.now})
			} else {
				g, err = uncached.New(l, uncached.Config{Layout: milliseconds, Now: h.now})
			}
			require.NoError(t, err)
			t.Cleanup(func() { g.Close() })
			made = append(made, g)
			require.EqualValues(t, -1, h.lastReserved(int64(i), began), "nothing is reserved yet")
		}
		for _, g := range made {
			_, err := g.TryGetUID()
			require.Error(t, err)
		}
		h.pass(11 * time.Second)
		seen := map[uid.UID]bool{}
		for _, g := range made {
			u, err := g.GetUID()
			require.NoError(t, err)
			require.False(t, seen[u])
			seen[u] = true
		}
	})
}

// lastReserved returns the last tick that is reserved for the ID's owner, as far as that is
// more than was burnt, or -1.
func (h *house) lastReserved(id, since int64) int64 {
	row := h.row(id)
	if row.Acquired.Equal(row.Renewed) && row.High > since {
		return -1
	}
	return row.High
}

// A state file that cannot be written costs no worker ID.
func TestLeaseUnwritableStateFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no /dev/full")
	}
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := offlineConfig(t)
		h.found(orders)
		cfg.StateFile = "/dev/full"
		for range 9 {
			_, err := h.bare(cfg).Acquire(t.Context(), millis(7))
			require.ErrorIs(t, err, worker.ErrState)
		}
		require.Empty(t, h.ids())
	})
}

// One that cannot be written any more once the ID is leased ends the lease, with High as it
// is: the file may have the record all the same.
func TestLeaseStateFileFailsAfterAcquiring(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := offlineConfig(t)
		cfg.OnEvent = func(e lease.Event) {
			if e.Kind == lease.Acquired {
				require.NoError(t, os.Remove(cfg.StateFile))
			}
		}
		before := h.tick()
		_, err := h.lease(cfg).Acquire(t.Context(), millis(7))
		require.ErrorIs(t, err, worker.ErrState)
		row := h.row(0)
		require.Empty(t, row.Nonce)
		require.GreaterOrEqual(t, row.High, before+ms(offline), "not lowered")
		require.Less(t, row.Until.Sub(row.Acquired), offline)
	})
}

// Nobody is to use ticks that a later start would refuse.
func TestMaxLeadBeyondMaxAhead(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		_, err := cached.New(h.lease(lease.Config{DurableStore: true}), cached.Config{Layout: milliseconds, MaxLead: time.Hour, Now: h.now})
		require.ErrorIs(t, err, uid.ErrConfig)
		require.ErrorContains(t, err, "the generator's MaxLead 1h0m0s is more than MaxAhead 16m32s")
		_, err = cached.New(h.lease(lease.Config{DurableStore: true}), cached.Config{Layout: milliseconds, MaxLead: cached.Unbounded, Now: h.now})
		require.ErrorIs(t, err, uid.ErrConfig)
		for _, cfg := range []lease.Config{{DurableStore: true, MaxAhead: time.Hour}, {DurableStore: true, MaxAhead: math.MaxInt64}, {}} {
			g, err := cached.New(h.lease(cfg), cached.Config{Layout: milliseconds, MaxLead: time.Hour, Now: h.now})
			require.NoError(t, err)
			require.NoError(t, g.Close())
		}
	})
}

// A burst that goes as far ahead as it may leaves an ID that the next start passes over,
// until the clock is near enough.
func TestLeaseAfterABurst(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l := h.lease(lease.Config{DurableStore: true, MaxAhead: math.MaxInt64})
		h.acquire(l)
		r := h.extend(l, h.tick()+ms(time.Hour))
		require.NoError(t, l.Release(t.Context(), r.Last))
		h.pass(quarantine + time.Second)
		other := lease.Config{DurableStore: true}
		require.EqualValues(t, 1, h.acquire(h.lease(other)).WorkerID)
		h.pass(time.Hour)
		next := h.acquire(h.lease(other))
		require.Zero(t, next.WorkerID)
		require.Greater(t, next.First, r.Last)
	})
}
