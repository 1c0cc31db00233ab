// Package conformance is the suite that the generators have to pass. [Every] is for all of them, [Waiting] for those
// whose calls wait, [Handled] for those that ask a handler whether to, and [Worker] for those that issue ticks under
// a worker ID.
package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
)

// A draw is one way to get UIDs.
type draw func() ([]uid.UID, error)

func single(get func() (uid.UID, error)) draw {
	return func() ([]uid.UID, error) {
		u, err := get()
		return []uid.UID{u}, err
	}
}

func filling(ctx context.Context, g uid.Generator, n int) draw {
	return func() ([]uid.UID, error) {
		dst := make([]uid.UID, n)
		n, err := g.FillContext(ctx, dst)
		return dst[:n], err
	}
}

// draws are all ways to draw from any generator.
func draws(ctx context.Context, g uid.Generator) []draw {
	return []draw{
		single(g.GetUID), single(g.TryGetUID), single(func() (uid.UID, error) { return g.GetUIDContext(ctx) }),
		filling(ctx, g, 3), func() ([]uid.UID, error) {
			dst := make([]uid.UID, 5)
			n, err := g.Fill(dst)
			return dst[:n], err
		},
	}
}

// healthOf is what the generator says of itself.
func healthOf(g uid.Generator) health.Health { return g.(health.Reporter).Health() }

// Every tests what holds for every generator. start makes one that has UIDs to give, on which nobody else draws.
func Every(t *testing.T, start func(testing.TB) uid.Generator) {
	for name, test := range map[string]func(*testing.T, uid.Generator){
		"Order":      order,
		"Goroutines": func(t *testing.T, g uid.Generator) { Draw(t, g, 8, 500) },
		"Context":    endedContext,
		"Close":      closed,
	} {
		t.Run(name, func(t *testing.T) {
			g := start(t)
			defer func() { require.NoError(t, g.Close()) }()
			test(t, g)
		})
	}
}

// order: each UID is larger than those before, in whatever ways they are drawn.
func order(t *testing.T, g uid.Generator) {
	n, err := g.Fill(nil)
	require.NoError(t, err)
	require.Zero(t, n)
	last := uid.UID(-1)
	for range 1000 {
		for way, draw := range draws(t.Context(), g) {
			all, err := draw()
			if way == 1 && notNow(err) {
				continue
			}
			require.NoError(t, err)
			for _, u := range all {
				require.Greater(t, u, last)
				last = u
			}
		}
	}
}

// notNow reports whether an error is TryGetUID's own.
func notNow(err error) bool {
	return errors.Is(err, uid.ErrRejectedTake) || errors.Is(err, uid.ErrNoReservation)
}

// Draw has goroutines draw in all ways, so many times each. It returns what they got, sorted. No UID came twice, and
// each is larger than all that were returned when its call began.
func Draw(t *testing.T, g uid.Generator, goroutines, each int) (all []uid.UID) {
	var newest atomic.Int64 // of what was returned
	var mu sync.Mutex
	var drawing sync.WaitGroup
	for i := range goroutines {
		drawing.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			ways := draws(t.Context(), g)
			var own []uid.UID
			for range each {
				way, before := random.IntN(len(ways)), newest.Load()
				got, err := ways[way]()
				if err != nil && !(way == 1 && notNow(err)) {
					t.Errorf("way %d: %v", way, err)
				}
				if err != nil {
					continue
				}
				for _, u := range got {
					if int64(u) <= before {
						t.Errorf("way %d: %d came after %d", way, u, before)
					}
					before = int64(u)
				}
				Raise(&newest, before)
				own = append(own, got...)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, own...)
		})
	}
	drawing.Wait()
	Distinct(t, all)
	return all
}

// Distinct sorts UIDs, and requires that each is there once.
func Distinct(t testing.TB, all []uid.UID) {
	t.Helper()
	slices.Sort(all)
	for i := range len(all) - 1 {
		require.NotEqual(t, all[i], all[i+1], "it was issued twice")
	}
}

// Raise sets n to at least to.
func Raise(n *atomic.Int64, to int64) {
	for was := n.Load(); to > was && !n.CompareAndSwap(was, to); was = n.Load() {
	}
}

// endedContext: a call whose context has ended takes nothing, though there is something.
func endedContext(t *testing.T, g uid.Generator) {
	for range 100 { // the next tick may begin meanwhile
		ctx, cancel := context.WithCancel(t.Context())
		before, err := g.GetUIDContext(ctx)
		require.NoError(t, err)
		cancel()
		_, err = g.GetUIDContext(ctx)
		require.ErrorIs(t, err, context.Canceled)
		n, err := g.FillContext(ctx, make([]uid.UID, 3))
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, n)
		after, err := g.GetUID()
		require.NoError(t, err)
		if after == before+1 {
			return
		}
	}
	t.Error("UIDs are left out")
}

// closed: after Close, which may be repeated, nothing is issued, and UIDs are parsed.
func closed(t *testing.T, g uid.Generator) {
	u, err := g.GetUID()
	require.NoError(t, err)
	require.NoError(t, g.Close())
	require.NoError(t, g.Close())
	requireFails(t, g, nil, uid.ErrClosed)
	if p, parses := g.(Parser); parses {
		parts, err := p.ParseUID(u)
		require.NoError(t, err)
		require.Equal(t, u, parts.UID)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, g.CloseContext(ended), "even then")
}

// requireFails: every way to draw gets nothing, and the error.
func requireFails(t *testing.T, g uid.Generator, more []draw, is error) {
	t.Helper()
	for _, draw := range append(draws(t.Context(), g), more...) {
		all, err := draw()
		require.ErrorIs(t, err, is)
		require.Zero(t, append(all, 0)[0])
	}
}
