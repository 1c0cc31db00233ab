package gen

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid/bits"
)

// TestRoom checks the arithmetic of leads against that of numbers without a limit.
func TestRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		time_ := rapid.IntRange(1, 40).Draw(t, "time bits")
		sequence := rapid.IntRange(0, 63-time_).Draw(t, "sequence bits")
		unit := rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, time.Hour}).Draw(t, "unit")
		l, err := bits.NewLayout(bits.Config{
			TimeBits: time_, SequenceBits: sequence, WorkerBits: 63 - time_ - sequence, Unit: unit,
		})
		require.NoError(t, err)
		n := rapid.Int64Range(1, 1<<63-1).Draw(t, "n")
		now := l.TimeOf(rapid.Int64Range(0, l.MaxTick()).Draw(t, "tick"))

		room := new(big.Int).Lsh(big.NewInt(l.MaxTick()-l.TickAt(now)+1), uint(sequence))
		require.Equal(t, room.Cmp(big.NewInt(n)) < 0, checkRoom(l, n, now) != nil)

		ticks := new(big.Int).Rsh(big.NewInt(n-1), uint(sequence))
		want := ticks.Mul(ticks, big.NewInt(int64(unit)))
		if !want.IsInt64() {
			want.SetInt64(1<<63 - 1)
		}
		require.Equal(t, want.Int64(), int64(leadAfter(l, n)))
	})
}
