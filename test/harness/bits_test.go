package harness

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// holes are what Holes says, as pairs.
func holes(n *Bits, first, next int64) (all [][2]int64) {
	for from, to := range n.Holes(first, next) {
		all = append(all, [2]int64{from, to})
	}
	return all
}

// Whatever is marked twice is found, in whatever process, and nothing else.
func TestNumbers(t *testing.T) {
	n, o, err := OpenNumbers[own](1000, nil)
	require.NoError(t, err)
	t.Cleanup(n.Close)
	a, b := NewDrawer(1, 0), NewDrawer(2, 0)
	require.Equal(t, [][2]int64{{1, 999}}, holes(n, 1, 1000))
	n.MarkAll(1, 63, a)
	n.MarkAll(64, 64, b)
	n.MarkAll(66, 700, a)
	n.MarkAll(999, 999, b)
	require.Zero(t, n.Found(Duplicate))
	require.Equal(t, [][2]int64{{0, 0}, {65, 65}, {701, 998}}, holes(n, 0, 1000))
	require.Equal(t, [][2]int64{{65, 65}, {701, 701}}, holes(n, 1, 702))
	require.Empty(t, holes(n, 66, 701))

	// It is another process's memory, too.
	other, theirs, err := OpenNumbers[own](1000, n.File())
	require.NoError(t, err)
	o.n[2].Store(9)
	require.EqualValues(t, 9, theirs.n[2].Load())
	other.MarkAll(65, 65, b)
	require.Zero(t, n.Found(Duplicate))
	other.MarkAll(699, 702, b)
	require.EqualValues(t, 2, n.Found(Duplicate))
	found := n.Violations()
	require.Len(t, found, 2)
	require.EqualValues(t, 699, found[0].Number())
	require.EqualValues(t, 700, found[1].Number())
	require.Equal(t, b, found[1].Drawn())
	require.Equal(t, [][2]int64{{703, 998}}, holes(n, 1, 1000))

	n.MarkAll(0, 999, a) // more than are recorded
	require.EqualValues(t, 2+1000-1-296, n.Found(Duplicate))
	require.Len(t, n.Violations(), maxViolations)
	require.Zero(t, n.Found(Outside))
	n.MarkAll(999, 1000, a)
	n.MarkAll(-1, 0, a)
	require.EqualValues(t, 2, n.Found(Outside), "ranges")
}
