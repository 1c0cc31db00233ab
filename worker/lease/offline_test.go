package lease_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/storetest"
)

const (
	offline       = time.Hour
	offlineWindow = 20 * time.Second
	offlineReach  = offlineWindow + offlineWindow/2
	patience      = 300 * time.Millisecond // of a start that will not reach the store
)

func offlineConfig(t testing.TB) lease.Config {
	return lease.Config{
		Window: offlineWindow, TTL: 2 * offlineWindow,
		StateFile: filepath.Join(t.TempDir(), "lease"), Offline: offline, DurableStore: true, Timeout: 10 * time.Second,
	}
}

// A service restarts while the store is down, in good order or not, and goes on above what
// it may have issued, for as long as Offline after the store was seen last.
func TestLeaseOffline(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, l *lease.Lease, r uid.Reservation) (next int64){
		"closed": func(t *testing.T, l *lease.Lease, r uid.Reservation) int64 {
			require.NoError(t, l.Release(t.Context(), r.First+100))
			return r.First + 101
		},
		"crashed": func(_ *testing.T, l *lease.Lease, r uid.Reservation) int64 {
			lease.Crash(l)
			return r.Last + 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				cfg := offlineConfig(t)
				var told events
				cfg.OnEvent = told.add
				l := h.lease(cfg)
				before := h.tick()
				r := h.acquire(l)
				require.GreaterOrEqual(t, r.First, before-ms(skew))
				require.GreaterOrEqual(t, r.Last, before+ms(offlineReach))
				require.LessOrEqual(t, r.Last, h.tick()+ms(offlineReach), "the file reserves no more than a window")
				row := h.row(0)
				require.GreaterOrEqual(t, row.High, before+ms(offline))
				require.Equal(t, offline, row.Until.Sub(row.Renewed))

				away := cfg
				away.Timeout = patience
				for range 3 {
					next := end(t, l, r)
					require.Equal(t, row, h.row(0), "the lease is kept")
					h.pass(time.Second)
					h.memory.Outage(true)
					l = h.lease(away)
					r = h.acquire(l)
					require.Equal(t, next, r.First)
					require.Zero(t, r.WorkerID)
					require.GreaterOrEqual(t, r.Last, r.First)
					require.LessOrEqual(t, r.Last, max(h.tick()+ms(offlineReach), next+ms(offlineWindow/8)))
					// The file reserves more as time goes by.
					h.shiftProcesses(offlineWindow)
					more := h.extend(l, 0)
					require.GreaterOrEqual(t, more.Last, h.tick()+ms(offlineWindow))
					require.Equal(t, more.Last+1000+ms(offlineWindow/8), h.extend(l, more.Last+1000).Last)
					r = h.extend(l, 0)
					h.memory.Outage(false)
				}

				// Up to what the store had reserved.
				h.memory.Outage(true)
				h.shiftProcesses(millis(0).Epoch.Add(time.Duration(row.High)*time.Millisecond).Sub(h.now()) - offlineWindow/4)
				last := h.extend(l, 0)
				require.Equal(t, row.High, last.Last)
				require.Equal(t, []lease.EventKind{lease.Acquired, lease.Low}, told.kinds())
				h.shiftProcesses(offlineWindow)
				_, err := l.Extend(t.Context(), 0)
				require.Error(t, err)
				require.NoError(t, l.Release(t.Context(), last.Last))
				_, err = h.lease(away).Acquire(t.Context(), millis(1023))
				require.ErrorIs(t, err, uid.ErrNoReservation)
				require.ErrorContains(t, err, "reserved up to")
				h.memory.Outage(false)

				// The store has seen nothing of all this.
				h.shiftStore(offline - offlineWindow)
				r = h.acquire(h.lease(cfg))
				require.Zero(t, r.WorkerID)
				require.Equal(t, last.Last+1, r.First)
				require.NotEqual(t, row.Nonce, h.row(0).Nonce)
			})
		})
	}
}

// Ticks that somebody else may have by now are not issued from the file, and a row that
// a lost reply has left behind is still the owner's.
func TestLeaseOfflineTakesUp(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := offlineConfig(t)
		var told events
		cfg.OnEvent = told.add
		l, client := h.client(cfg)
		h.acquire(l)
		h.pass(offlineWindow / 2)
		client.Fault(storetest.LoseReply)
		h.extend(l, 0) // from the file
		row := h.row(0)
		lease.Crash(l)
		r := h.acquire(l)
		require.Zero(t, r.WorkerID)
		require.NotEqual(t, row.Nonce, h.row(0).Nonce)

		// The process ends before the file has heard that a renewal went well.
		row = h.row(0)
		require.NoError(t, lease.RenewAndCrash(t.Context(), l))
		require.NotEqual(t, row.Nonce, h.row(0).Nonce)
		require.Zero(t, h.acquire(l).WorkerID)
		require.Equal(t, []lease.EventKind{lease.Acquired}, told.kinds())

		// Or it never went through.
		h.pass(offlineWindow / 2)
		client.Fault(storetest.LoseWrite)
		h.extend(l, 0)
		lease.Crash(l)
		require.Zero(t, h.acquire(l).WorkerID)

		lease.Crash(l)
		h.pass(offline + quarantine + time.Second)
		other := h.acquire(h.lease(lease.Config{DurableStore: true, Holder: "other"}))
		require.Zero(t, other.WorkerID)
		r = h.acquire(l)
		require.EqualValues(t, 1, r.WorkerID)
		require.Equal(t, []lease.EventKind{lease.Acquired, lease.Lost, lease.Acquired}, told.kinds())
		require.Equal(t, "other", told.all[1].Holder)
	})
}

// A judged store says something else of itself than before.
type judged struct {
	lease.Store
	lossy []string
	err   error
}

func (j judged) Inspect(context.Context) ([]string, error) { return j.lossy, j.err }

// A lease that is taken up again asks its store what a new one asks: it may be a node that writes
// alone by now.
func TestLeaseOfflineAsksTheStore(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := offlineConfig(t)
		l := h.lease(cfg)
		r := h.acquire(l)
		require.NoError(t, l.Release(t.Context(), r.First))
		row := h.row(r.WorkerID)

		_, err := h.on(judged{h.memory.Store(orders), []string{"fsync is off"}, nil}, cfg).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrConfig)
		require.ErrorContains(t, err, "fsync is off")
		refused := fmt.Errorf("%w: it writes alone", uid.ErrConfig)
		_, err = h.on(judged{h.memory.Store(orders), nil, refused}, cfg).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, refused)
		require.Equal(t, row, h.row(r.WorkerID), "nothing is written to such a store")

		again := h.acquire(h.lease(cfg))
		require.Equal(t, r.WorkerID, again.WorkerID)
		require.Equal(t, r.First+1, again.First)
	})
}

func TestLeaseOfflineFile(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := offlineConfig(t)
		l := h.lease(cfg)
		r := h.acquire(l)
		_, err := h.lease(cfg).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrWorkerInUse)
		require.NoError(t, l.Release(t.Context(), r.First))

		for text, c := range map[string]struct {
			in     string
			change func(*lease.Config)
			is     error
		}{
			`was written on host "`: {orders, func(c *lease.Config) { c.Host = "elsewhere" }, worker.ErrState},
			`"namespace \"orders\" in memory", not "lease" for "namespace \"other\" in memory"`: {"other", func(*lease.Config) {}, worker.ErrState},
			"more than MaxAhead": {orders, func(c *lease.Config) {
				c.Now = func() time.Time { return h.now().Add(-2 * time.Hour) }
				c.MaxClockOffset = 3 * time.Hour
			}, worker.ErrClock},
		} {
			other := cfg
			c.change(&other)
			if c.is == worker.ErrClock {
				// The ticks of a whole window have been used.
				lease.Crash(func() *lease.Lease { h.acquire(l); return l }())
			}
			_, err := h.in(c.in, other).Acquire(t.Context(), millis(1023))
			require.ErrorIs(t, err, c.is, text)
			require.ErrorContains(t, err, text)
		}
		layout := millis(1023)
		layout.Layout = "another"
		_, err = l.Acquire(t.Context(), layout)
		require.ErrorIs(t, err, worker.ErrLayout)
		_, err = h.lease(cfg).Acquire(t.Context(), millis(1023))
		require.NoError(t, err)

		// A lease of before the cloning is not taken up again.
		cfg = offlineConfig(t)
		l = h.lease(cfg)
		r = h.acquire(l)
		l.Invalidate()
		require.NoError(t, l.Release(t.Context(), -1))
		require.Equal(t, r.WorkerID+1, h.acquire(l).WorkerID)

		// Nothing is granted that the file does not have.
		r = h.extend(l, 0)
		require.NoError(t, os.Remove(cfg.StateFile))
		h.pass(offlineWindow)
		_, err = l.Extend(t.Context(), 0)
		require.ErrorIs(t, err, worker.ErrState)
		require.Equal(t, r.Last, lease.ReservationOf(l).Last)
	})
}

// Generators that are made and closed in turns, with and without the store, never
// issue a UID twice.
func TestLeaseOfflineGenerators(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := offlineConfig(t)
		seen := map[uid.UID]bool{}
		for i := range 6 {
			away := i%2 == 1
			h.memory.Outage(away)
			if cfg.Timeout = 10 * time.Second; away {
				cfg.Timeout = patience
			}
			l := h.lease(cfg)
			var g uid.Generator
			var err error
			if i%3 == 0 {
				g, err = uncached.New(l, uncached.Config{Layout: milliseconds, Now: h.now})
			} else {
				g, err = cached.NewContext(context.Background(), l, cached.Config{Layout: milliseconds, Now: h.now})
			}
			require.NoError(t, err)
			for range 20000 {
				u, err := g.GetUID()
				require.NoError(t, err)
				require.False(t, seen[u])
				seen[u] = true
			}
			require.NoError(t, g.Close())
		}
	})
}
