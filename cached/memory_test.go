package cached_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
)

// memory returns the bytes in use on the heap and in stacks.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// memoryOf returns the bytes that a generator with a zero Config costs, its goroutine's
// stack included, as the mean of n of them.
func memoryOf(t testing.TB, n int) float64 {
	before := memory()
	all := make([]*cached.Generator, n)
	for i := range all {
		g, err := cached.New(&fake.Worker{}, cached.Config{})
		require.NoError(t, err)
		next(t, g.GetUID)
		all[i] = g
	}
	after := memory()
	for _, g := range all {
		require.NoError(t, g.Close())
	}
	return float64(after-before) / float64(n)
}

func TestMemoryOfAGenerator(t *testing.T) {
	// The stacks of what ran before come and go in between, and a busy machine's more often than not come: the
	// second of seven is not moved by it.
	var rounds []float64
	for range 7 {
		rounds = append(rounds, memoryOf(t, 300))
	}
	slices.Sort(rounds)
	require.Less(t, rounds[1], 7168.0) // no more than 2 KB of which is run's stack, which has not grown
}
