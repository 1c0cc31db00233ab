//go:build !race

package opaque

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Under the race detector a sync.Pool drops some of what it is given.
func TestAllocations(t *testing.T) {
	s := must(New(Config{Keys: []Key{{1, counting(16)}}, Current: 1}))
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = s.SealNumber(42) }))
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = s.OpenNumber(42) }))
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = s.Open("1000000000000z") }))
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = s.Seal(42) }), 2.0)
}
