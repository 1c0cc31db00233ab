package ticks_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/ticks"
)

// All UIDs of the tick are above the number, and of the tick before not all.
func TestAbove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sequenceBits := rapid.IntRange(0, 20).Draw(t, "sequence")
		l, err := bits.NewLayout(bits.Config{
			TimeBits:   rapid.IntRange(20, 40).Draw(t, "time"),
			WorkerBits: rapid.IntRange(0, 22-sequenceBits).Draw(t, "worker"), SequenceBits: sequenceBits,
			Unit: time.Millisecond,
		})
		require.NoError(t, err)
		u := uid.UID(rapid.Int64Min(0).Draw(t, "u"))
		tick, err := ticks.Above(l, u)
		if end, _ := l.Compose(l.MaxTick(), 0, 0); u >= end {
			require.ErrorIs(t, err, uid.ErrRange)
			return
		}
		require.NoError(t, err)
		first, err := l.Compose(tick, 0, 0)
		require.NoError(t, err)
		require.Greater(t, first, u)
		first, err = l.Compose(tick-1, 0, 0)
		require.NoError(t, err)
		require.LessOrEqual(t, first, u)
	})
}

func TestAboveRefuses(t *testing.T) {
	for u, says := range map[uid.UID]string{
		-1: "UID -1 is negative",
		math.MaxInt64: "is above UID 9223372036854775807: it lies in tick 268435455, " +
			"the last one is 268435455",
		268435455 << 35:              "it lies in tick 268435455",
		math.MinInt64:                "is negative",
		uid.UID(268435455<<35 + 1e9): "it lies in tick 268435455",
	} {
		_, err := ticks.Above(bits.Default(), u)
		logtest.Error(t, err, uid.ErrRange, says)
	}
	tick, err := ticks.Above(bits.Default(), 268435455<<35-1)
	require.NoError(t, err)
	require.EqualValues(t, 268435455, tick)
	_, err = ticks.Above(bits.Layout{}, 1)
	require.Error(t, err)
	_, err = ticks.Above(bits.MustLayout(bits.Config{TimeBits: 32, WorkerBits: 4, SequenceBits: 17}), 1<<60)
	require.ErrorContains(t, err, "no tick")
	_, err = ticks.Above(bits.MustParseLayout("41ms/0/0"), uid.Max) // a tick more has no number
	logtest.Error(t, err, uid.ErrRange, "it lies in tick 9223372036854775807, the last one is 2199023255551")
}
