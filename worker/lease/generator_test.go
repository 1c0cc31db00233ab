package lease_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/worker/lease"
)

var generators = map[string]func(w uid.Worker, now func() time.Time) (uid.Generator, error){
	"cached": func(w uid.Worker, now func() time.Time) (uid.Generator, error) {
		return cached.New(w, cached.Config{Layout: milliseconds, Now: now})
	},
	"uncached": func(w uid.Worker, now func() time.Time) (uid.Generator, error) {
		return uncached.New(w, uncached.Config{Layout: milliseconds, Now: now})
	},
}

var milliseconds = bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond})

// eachGenerator runs a test with both generators on both kinds of stores.
func eachGenerator(t *testing.T, test func(t *testing.T, h *house, make func(uid.Worker) uid.Generator)) {
	for name, fresh := range generators {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				test(t, h, func(w uid.Worker) uid.Generator {
					g, err := fresh(w, h.now)
					require.NoError(t, err)
					t.Cleanup(func() { g.Close() })
					return g
				})
			})
		})
	}
}

// brisk is for generators that are to need several renewals, some of them while a test sets
// the clock of the store and then theirs.
var brisk = lease.Config{Window: 800 * time.Millisecond, TTL: ttl}

// Everything issued lies in ticks that the row reserved beforehand.
func TestLeasedGenerator(t *testing.T) {
	eachGenerator(t, func(t *testing.T, h *house, make func(uid.Worker) uid.Generator) {
		l := h.lease(brisk)
		g := make(l)
		var last uid.UID
		for range 20 {
			var u uid.UID
			for range 5000 {
				var err error
				u, err = g.GetUID()
				require.NoError(t, err)
				require.Greater(t, u, last)
				last = u
			}
			p, err := milliseconds.Parse(u)
			require.NoError(t, err)
			require.Zero(t, p.WorkerID)
			tick, err := milliseconds.Tick(u)
			require.NoError(t, err)
			require.LessOrEqual(t, tick, h.row(0).High)
		}
		require.NoError(t, g.Close())
		tick, err := milliseconds.Tick(last)
		require.NoError(t, err)
		row := h.row(0)
		require.Empty(t, row.Nonce)
		require.Equal(t, tick, row.High, "the last tick that was issued")
	})
}

// What was ready when the process was cloned is not issued by this copy any more, and it
// goes on under another ID.
func TestLeaseInvalidate(t *testing.T) {
	eachGenerator(t, func(t *testing.T, h *house, make func(uid.Worker) uid.Generator) {
		var told events
		l := h.lease(lease.Config{OnEvent: told.add, Losses: lease.Never})
		l.Invalidate() // nothing happens
		g := make(l)
		_, err := g.GetUID()
		require.NoError(t, err)
		row := h.row(0)
		l.Invalidate()
		u, err := g.GetUID()
		require.NoError(t, err)
		p, err := milliseconds.Parse(u)
		require.NoError(t, err)
		require.EqualValues(t, 1, p.WorkerID)
		require.Equal(t, []lease.EventKind{lease.Acquired, lease.Lost, lease.Acquired}, told.kinds())
		require.ErrorContains(t, told.all[1].Err, "invalidated")
		require.Equal(t, row, h.row(0), "the row may be another's")
		require.NoError(t, g.Close())
		require.Equal(t, row, h.row(0))
	})
}

// What was invalidated is not released: the row may be the other copy's by now.
func TestLeaseInvalidateAndRelease(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, _ := h.held(lease.Config{})
		row := h.row(0)
		l.Invalidate()
		require.NoError(t, l.Release(t.Context(), -1))
		require.Equal(t, row, h.row(0))
		require.EqualValues(t, 1, h.acquire(l).WorkerID)
	})
}

// A lease that is taken over while its owner stands still costs it the ID, and nothing
// else: what it has ready and what the new owner issues are of different ticks.
func TestLeaseTakenFromGenerator(t *testing.T) {
	eachGenerator(t, func(t *testing.T, h *house, make func(uid.Worker) uid.Generator) {
		var told events
		cfg := brisk
		cfg.OnEvent = told.add
		g := make(h.lease(cfg))
		seen := map[uid.UID]bool{}
		draw := func(g uid.Generator, n int) (workers map[int64]bool) {
			workers = map[int64]bool{}
			for range n {
				u, err := g.GetUID()
				require.NoError(t, err)
				require.False(t, seen[u])
				seen[u] = true
				p, err := milliseconds.Parse(u)
				require.NoError(t, err)
				workers[p.WorkerID] = true
			}
			return workers
		}
		require.Equal(t, map[int64]bool{0: true}, draw(g, 10000))
		// All at once, as it is for a process that was stopped.
		h.pass(ttl + quarantine + 100*time.Millisecond)
		var wg sync.WaitGroup
		var other uid.Generator
		wg.Go(func() { other = make(h.lease(brisk)) })
		wg.Wait()
		for range 10 {
			draw(g, 20000)
			draw(other, 20000)
		}
		// One of the two was quicker to have ID 0.
		a, b := draw(g, 20000), draw(other, 20000)
		require.Len(t, a, 1)
		require.Len(t, b, 1)
		require.NotEqual(t, a, b)
		require.Contains(t, told.kinds(), lease.Lost)
	})
}
