package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The parts are all mutants, each once.
func TestParts(t *testing.T) {
	for _, n := range []int{1, 2, 3, len(all), len(all) + 1} {
		times := map[string]int{}
		for k := range n {
			for _, m := range part(all, k, n) {
				times[m.name]++
			}
		}
		require.Len(t, times, len(all))
		for name, n := range times {
			require.Equal(t, 1, n, name)
		}
	}
}

// The same sources choose the same part, and others another; each is chosen by some.
func TestSourcesChoose(t *testing.T) {
	const n = 3
	t.Chdir("../../..")
	chosen, err := choose(all, n)
	require.NoError(t, err)
	require.InDelta(t, len(all)/n, len(chosen), 1)
	again, err := choose(all, n)
	require.NoError(t, err)
	require.Equal(t, chosen, again)

	seen := map[int]bool{}
	for b := range 100 {
		k := partOf([]byte{1, 2, 3, 4, 5, 6, 7, byte(b), 9}, n)
		require.True(t, k >= 0 && k < n)
		seen[k] = true
	}
	require.Len(t, seen, n)

	_, err = choose(all, 0)
	require.ErrorContains(t, err, "-of 0")
	_, err = choose([]mutant{{file: "missing.go"}}, n)
	require.ErrorIs(t, err, os.ErrNotExist)
}
