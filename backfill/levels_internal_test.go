package backfill

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A call that has walked a run of full ticks shortens the way of the next one, from each of them.
func TestWayIsShortened(t *testing.T) {
	l := newLevels(1)
	for tick := range int64(100) {
		require.EqualValues(t, 0, l.take(99-tick, 1)) // each leads to its neighbour only
	}
	require.EqualValues(t, 100, l.open(0))
	for tick := range int64(100) {
		require.EqualValues(t, 100, l.next[tick])
	}
}
