package ticks_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/ticks"
)

var units = []time.Duration{
	1, 250, time.Microsecond, time.Millisecond, 10 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 3 * time.Second, time.Minute, 24 * time.Hour,
}

func TestCount(t *testing.T) {
	for _, c := range []struct {
		d, unit time.Duration
		want    int64
	}{
		{0, time.Second, 0}, {-1, time.Second, 0}, {math.MinInt64, 1, 0},
		{1, time.Second, 1}, {time.Second, time.Second, 1}, {time.Second + 1, time.Second, 2},
		{10 * time.Second, 250 * time.Millisecond, 40}, {10*time.Second + 1, 250 * time.Millisecond, 41},
		{time.Minute, 3 * time.Second, 20}, {time.Minute + 1, 3 * time.Second, 21}, {time.Second, time.Hour, 1},
		{math.MaxInt64, 1, math.MaxInt64}, {math.MaxInt64, time.Second, 9223372037}, {math.MaxInt64, math.MaxInt64, 1},
	} {
		require.Equal(t, c.want, ticks.Count(c.d, c.unit), "%v of %v", c.d, c.unit)
	}
}

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		n          int64
		unit, want time.Duration
	}{
		{0, time.Second, 0}, {3, time.Millisecond, 3 * time.Millisecond}, {2, 3 * time.Second, 6 * time.Second},
		{9223372036, time.Second, 9223372036 * time.Second}, {9223372037, time.Second, math.MaxInt64},
		{math.MaxInt64, 1, math.MaxInt64}, {math.MaxInt64, time.Hour, math.MaxInt64},
	} {
		require.Equal(t, c.want, ticks.Span(c.n, c.unit), "%d of %v", c.n, c.unit)
	}
}

// A duration lies within the ticks that it begins, and reaches into the last of them.
func TestCountAndSpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom(units).Draw(t, "unit")
		d := time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "d"))
		n := ticks.Count(d, unit)
		require.GreaterOrEqual(t, ticks.Span(n, unit), d)
		require.Less(t, ticks.Span(n-1, unit), d)
	})
}

func TestPlus(t *testing.T) {
	require.EqualValues(t, 5, ticks.Plus(2, 3))
	require.EqualValues(t, 2, ticks.Plus(-1, 3))
	require.EqualValues(t, int64(math.MaxInt64), ticks.Plus(math.MaxInt64-3, 3))
	require.EqualValues(t, int64(math.MaxInt64), ticks.Plus(math.MaxInt64-3, 4))
	require.EqualValues(t, int64(math.MaxInt64), ticks.Plus(math.MaxInt64, math.MaxInt64))
	require.EqualValues(t, -1, ticks.Plus(math.MinInt64, math.MaxInt64))
}

func TestUntil(t *testing.T) {
	epoch := time.Date(2026, 1, 1, 0, 0, 0, 250_000_000, time.UTC)
	terms := func(unit time.Duration) uid.Terms { return uid.Terms{Epoch: epoch, Unit: unit} }
	for _, c := range []struct {
		unit time.Duration
		now  time.Duration // since the epoch
		tick int64
		want time.Duration
	}{
		{time.Second, 0, 0, 0}, {time.Second, 0, 1, time.Second}, {time.Second, 1, 1, time.Second - 1},
		{time.Second, time.Second - 1, 1, 1}, {time.Second, time.Second, 1, 0}, {time.Second, time.Hour, 1, 0},
		{time.Second, -1, 0, 1}, {time.Second, -time.Second, 0, time.Second},
		{time.Second, -1500 * time.Millisecond, 1, 2500 * time.Millisecond},
		{time.Millisecond, 800*time.Millisecond + 300, 801, time.Millisecond - 300},
		{10 * time.Millisecond, 5 * time.Millisecond, 3, 25 * time.Millisecond},
		{time.Minute, 61 * time.Second, 3, 119 * time.Second}, {time.Minute, -time.Second, 1, 61 * time.Second},
		{time.Second, 0, math.MaxInt64, math.MaxInt64}, {time.Second, -time.Hour, math.MaxInt64, math.MaxInt64},
		{1, 5, math.MaxInt64, math.MaxInt64 - 5},
	} {
		require.Equal(t, c.want, ticks.Until(terms(c.unit), epoch.Add(c.now), c.tick), "%+v", c)
	}
}

// It is exact however far from the epoch.
func TestUntilIsExact(t *testing.T) {
	nanoseconds := func(at time.Time) *big.Int {
		n := new(big.Int).Mul(big.NewInt(at.Unix()), big.NewInt(1e9))
		return n.Add(n, big.NewInt(int64(at.Nanosecond())))
	}
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom(units).Draw(t, "unit")
		// As far from each other as a count of units fits 64 bits.
		reach := int64(math.MaxInt64/2) / int64(max(1, time.Second/unit)) >> 4
		draw := func(name string) time.Time {
			return time.Unix(rapid.Int64Range(-reach, reach).Draw(t, name),
				rapid.Int64Range(0, 999999999).Draw(t, name+" ns"))
		}
		terms, now := uid.Terms{Epoch: draw("epoch"), Unit: unit}, draw("now")
		clock := terms.TickAt(now)
		tick := rapid.Int64().Draw(t, "tick")
		if rapid.Bool().Draw(t, "near") {
			tick = ticks.Plus(clock, tick&1023)
		}
		want := new(big.Int).Mul(big.NewInt(tick), big.NewInt(int64(unit)))
		want.Sub(want.Add(want, nanoseconds(terms.Epoch)), nanoseconds(now))
		got := ticks.Until(terms, now, tick)
		switch {
		case want.Sign() <= 0:
			require.Zero(t, got)
		case !want.IsInt64() || want.Int64() > math.MaxInt64-int64(unit):
			require.Greater(t, got, math.MaxInt64-unit) // exact or saturated
		default:
			require.EqualValues(t, want.Int64(), got)
		}
	})
}

func TestLasting(t *testing.T) {
	for _, c := range []struct {
		left, drawn int64
		over, unit  time.Duration
		want        time.Duration
	}{
		{0, 5, time.Second, time.Second, 0},
		{-7, 5, time.Second, time.Second, 0},
		{100, 0, 0, time.Second, 100 * time.Second},
		{100, -9, time.Minute, time.Second, 100 * time.Second},
		{100, 60, time.Minute, time.Second, 100 * time.Second},
		{100, 120, time.Minute, time.Second, 50 * time.Second},
		{100, 5, time.Second, time.Hour, 20 * time.Second},
		{math.MaxInt64, 3, time.Second, time.Second, math.MaxInt64},
	} {
		require.Equal(t, c.want, ticks.Lasting(c.left, c.drawn, c.over, c.unit), "%+v", c)
	}
}
