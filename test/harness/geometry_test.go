package harness

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid/bits"
)

// testLayout is as wide as the soak's.
var testLayout = bits.MustLayout(bits.Config{TimeBits: 34, WorkerBits: 11, SequenceBits: 18, Unit: testTick})

const testTick = 100 * time.Millisecond

var someTime = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// TestGeometry holds bits against what they are worked out from.
func TestGeometry(t *testing.T) {
	const ticks = 50
	g := must(NewGeometry(testLayout, someTime, someTime.Add(ticks*testTick-1)))
	require.EqualValues(t, ticks, g.Ticks)
	seen := map[int64][3]int64{}
	rapid.Check(t, func(t *rapid.T) {
		tick := rapid.Int64Range(-2, ticks+1).Draw(t, "tick")
		id := rapid.Int64Range(0, testLayout.MaxWorkerID()).Draw(t, "worker ID")
		sequence := rapid.Int64Range(0, testLayout.MaxSequence()).Draw(t, "sequence")
		bit, ok := g.Bit(must(testLayout.Compose(g.First+tick, id, sequence)))
		require.Equal(t, 0 <= tick && tick < ticks, ok)
		if !ok {
			return
		}
		require.True(t, 0 <= bit && bit < g.Size())
		was, found := seen[bit]
		require.True(t, !found || was == [3]int64{tick, id, sequence}, "two UIDs have the bit %d", bit)
		seen[bit] = [3]int64{tick, id, sequence}
		gotTick, gotID := g.Run(bit >> testLayout.SequenceBits())
		require.Equal(t, [2]int64{g.First + tick, id}, [2]int64{gotTick, gotID})
	})
}

func TestGeometryRefuses(t *testing.T) {
	_, err := NewGeometry(testLayout, someTime, someTime.Add(-time.Second))
	require.ErrorContains(t, err, "harness: -9 ticks of 100ms: between 1 and ")
	_, err = NewGeometry(testLayout, time.Unix(0, 0), time.Unix(math.MaxInt32*100, 0))
	require.ErrorContains(t, err, "fit the addresses of this machine")
}
