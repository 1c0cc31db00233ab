package ringbuffer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzConfig makes rings of any shape, and puts a run into those that there can be.
func FuzzConfig(f *testing.F) {
	f.Add(8, 13, 22)
	f.Add(1, 0, 0)
	f.Add(1<<16, 62, 0)
	f.Add(-8, -1, math.MaxInt)
	f.Fuzz(func(t *testing.T, slots, sequenceBits, workerBits int) {
		r, p, err := New(Config{Slots: slots, SequenceBits: sequenceBits, WorkerBits: workerBits})
		if err != nil {
			require.Nil(t, r)
			return
		}
		require.Equal(t, 0, slots&(slots-1))
		require.True(t, slots > 0 && sequenceBits >= 0 && workerBits >= 0 && sequenceBits+workerBits <= 62)
		require.NoError(t, p.Restart(0, 0, 0))
		p.Open()
		u, _, ok := r.Take()
		require.True(t, ok)
		require.Zero(t, u)
	})
}
