package main

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var someTime = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// TestGeometry holds bits against what they are worked out from.
func TestGeometry(t *testing.T) {
	const ticks = 50
	g, err := newGeometry(soakLayout, someTime, someTime.Add(ticks*tickUnit-1))
	require.NoError(t, err)
	require.EqualValues(t, ticks, g.ticks)
	seen := map[int64][3]int64{}
	rapid.Check(t, func(t *rapid.T) {
		tick := rapid.Int64Range(-2, ticks+1).Draw(t, "tick")
		id := rapid.Int64Range(0, soakLayout.MaxWorkerID()).Draw(t, "worker ID")
		sequence := rapid.Int64Range(0, soakLayout.MaxSequence()).Draw(t, "sequence")
		u, err := soakLayout.Compose(g.first+tick, id, sequence)
		require.NoError(t, err)
		bit, ok := g.bit(u)
		require.Equal(t, 0 <= tick && tick < ticks, ok)
		if !ok {
			return
		}
		require.True(t, 0 <= bit && bit < g.size())
		was, found := seen[bit]
		require.True(t, !found || was == [3]int64{tick, id, sequence}, "two UIDs have the bit %d", bit)
		seen[bit] = [3]int64{tick, id, sequence}
		gotTick, gotID := g.run(bit >> sequenceBits)
		require.Equal(t, [2]int64{g.first + tick, id}, [2]int64{gotTick, gotID})
	})
}

func TestGeometryRefuses(t *testing.T) {
	_, err := newGeometry(soakLayout, someTime, someTime.Add(-time.Second))
	require.ErrorContains(t, err, "soak: -9 ticks of 100ms: between 1 and ")
	_, err = newGeometry(soakLayout, time.Unix(0, 0), time.Unix(math.MaxInt32*100, 0))
	require.ErrorContains(t, err, "fit the addresses of this machine")
}

func newTestMemory(t testing.TB) *memory {
	g, err := newGeometry(soakLayout, time.Now().Add(-margin), time.Now().Add(margin))
	require.NoError(t, err)
	m, err := newMemory(g)
	require.NoError(t, err)
	t.Cleanup(m.close)
	return m
}

// TestCountBits counts bits far apart, and those of a second mapping.
func TestCountBits(t *testing.T) {
	m := newTestMemory(t)
	set, bytes, err := m.count()
	require.NoError(t, err)
	require.Zero(t, set)
	require.Zero(t, bytes)
	for _, bit := range []int64{0, 1, 64, 1 << 20, m.size() - 1} {
		m.bits[bit/64] |= 1 << (bit % 64)
	}
	set, bytes, err = m.count()
	require.NoError(t, err)
	require.EqualValues(t, 5, set)
	require.Less(t, bytes, int64(1<<20))
	other, err := openMemory(m.geometry, m.file)
	require.NoError(t, err)
	require.EqualValues(t, 3, other.bits[0])
	other.bits[1] |= 2
	set, _, err = m.count()
	require.NoError(t, err)
	require.EqualValues(t, 6, set)
	require.NoError(t, unmap(other.data))
}
