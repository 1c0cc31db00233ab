package lease_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/storetest"
)

// eachStore runs a test in a bubble, on a store of each kind with these settings.
func eachStore(t *testing.T, cfg storetest.MemoryConfig, test func(t *testing.T, h *house)) {
	for kind, versions := range kinds {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := cfg
				cfg.Versions = versions
				test(t, newHouse(t, cfg))
			})
		})
	}
}

// A store whose kind promises to lose nothing is trusted without further words, and one that
// seems to break its promise is refused.
func TestDurableByItself(t *testing.T) {
	eachStore(t, storetest.MemoryConfig{Durable: true}, func(t *testing.T, h *house) {
		_, err := h.bare(lease.Config{}).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, worker.ErrNoNamespace, "a start makes nothing")
		require.False(t, h.isThere())
		r := h.acquire(h.lease(lease.Config{}))
		require.LessOrEqual(t, r.First, h.tick()+1, "nothing is burnt")
		require.Zero(t, h.namespace().Reach)

		// It may be set, too.
		require.LessOrEqual(t, h.acquire(h.lease(lease.Config{DurableStore: true})).First, h.tick()+1)
	})
	eachStore(t, storetest.MemoryConfig{Durable: true, Lossy: []string{"its disk is of paper"}}, func(t *testing.T, h *house) {
		_, err := h.lease(lease.Config{}).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrConfig)
		require.ErrorContains(t, err, "DurableStore is set, or is what the store promises, but the store can lose what it has acknowledged: its disk is of paper")
		require.ErrorContains(t, err, "LossyStore")
		require.Empty(t, h.ids())
		require.LessOrEqual(t, h.acquire(h.lease(lease.Config{DurableStoreUnverified: true})).First, h.tick()+1)
		require.GreaterOrEqual(t, h.acquire(h.lease(lease.Config{LossyStore: true})).First, h.tick()+ms(reach))
	})
}

// Who does not trust such a store is served as by any other: ticks are burnt, and a start makes
// what is missing.
func TestLossyStore(t *testing.T) {
	eachStore(t, storetest.MemoryConfig{Durable: true}, func(t *testing.T, h *house) {
		cfg := short
		cfg.LossyStore = true
		_, err := h.bare(cfg).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation, "it rests")
		h.pass(rest + time.Second)
		began := h.tick()
		r := h.acquire(h.bare(cfg))
		require.Greater(t, r.First, began+ms(reach+skew)-1)
		require.Equal(t, reach+skew, h.namespace().Reach)
		// What is lost then is not issued twice, which those who trust the store do not know of.
		l := h.bare(cfg)
		restore := h.memory.Backup()
		lost := h.acquire(l)
		restore()
		again := h.acquire(h.bare(cfg))
		require.Equal(t, lost.WorkerID, again.WorkerID)
		require.Greater(t, again.First, lost.Last)
	})
	store := storetest.NewMemory(storetest.MemoryConfig{Durable: true}).Store(orders)
	_, err := lease.New(store, lease.Config{DurableStore: true, LossyStore: true})
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, "DurableStore and LossyStore exclude each other")
	_, err = lease.New(store, lease.Config{LossyStore: true, StateFile: "x", Offline: time.Hour})
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, "Offline 1h0m0s needs a durable store")
}

// A state file needs no more than the store's own promise.
func TestDurableByItselfWithAStateFile(t *testing.T) {
	eachStore(t, storetest.MemoryConfig{Durable: true}, func(t *testing.T, h *house) {
		cfg := lease.Config{StateFile: filepath.Join(t.TempDir(), "state"), Offline: time.Hour, Host: "h", Timeout: time.Second}
		l := h.lease(cfg)
		r := h.acquire(l)
		require.NoError(t, l.Release(t.Context(), r.First))
		h.memory.Outage(true)
		again := h.acquire(h.lease(cfg))
		require.Equal(t, r.WorkerID, again.WorkerID)
		require.Equal(t, r.First+1, again.First)
	})
}

// A start waits for its first reservation as long as the store's promise needs, and no longer.
func TestFirstReservationIsAwaited(t *testing.T) {
	for name, test := range map[string]struct {
		durable bool
		error   time.Duration // of the clock
		file    bool
		most    time.Duration
	}{
		"durable":                         {durable: true},
		"durable, no clock":               {durable: true, error: 5 * time.Second},
		"durable, a state file":           {durable: true, file: true},
		"durable, no clock, a state file": {durable: true, error: 5 * time.Second, file: true},
		"lossy":                           {most: skew + 2*time.Millisecond},
		"lossy, clocks that may be off":   {error: 500 * time.Millisecond, most: skew + 2*time.Millisecond},
		"lossy, clocks that may be off by more than that": {error: 5 * time.Second, most: 10*time.Second + 2*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			eachStore(t, storetest.MemoryConfig{Durable: test.durable, Error: test.error}, func(t *testing.T, h *house) {
				cfg := lease.Config{MaxClockOffset: time.Minute}
				if test.file {
					cfg.StateFile, cfg.Offline, cfg.Host = filepath.Join(t.TempDir(), "state"), time.Hour, "h"
				}
				start := func() uid.Reservation {
					began := time.Now()
					r := h.acquire(h.lease(cfg))
					require.LessOrEqual(t, r.First, r.Last, "it has ticks")
					require.LessOrEqual(t, time.Since(began), test.most)
					if !test.durable {
						require.GreaterOrEqual(t, time.Since(began), test.most-2*time.Millisecond, "an earlier owner may have these ticks")
					}
					return r
				}
				r := start()
				if test.file {
					return // the file is locked
				}
				// Nor for an ID that another one had.
				h.pass(ttl + quarantine + time.Minute)
				require.Equal(t, r.WorkerID, start().WorkerID)
			})
		})
	}
}
