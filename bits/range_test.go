package bits

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
)

// drawTime draws a time that the layout has a tick for.
func drawTime(t *rapid.T, l Layout, name string) time.Time {
	at := l.TimeOf(within(t, name+" tick", l.MaxTick()))
	return at.Add(time.Duration(within(t, name+" offset", int64(l.Unit()-1)))).In(time.FixedZone("", 7200))
}

func TestFirstAndLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t)
		at := drawTime(t, l, "at")
		first := must(l.First(at))
		_, last, err := l.Range(at, at.Add(1))
		require.NoError(t, err)
		require.LessOrEqual(t, first, last)

		// Both are of the tick of that time, and their neighbours are not.
		for _, u := range []uid.UID{first, last} {
			p := must(l.Parse(u))
			require.False(t, p.Time.After(at))
			require.True(t, at.Before(p.Time.Add(l.Unit())))
		}
		if p, err := l.Parse(first - 1); first > 0 {
			require.NoError(t, err)
			require.True(t, p.Time.Add(l.Unit()).Compare(at) <= 0)
		}
		if last < math.MaxInt64 {
			if p, err := l.Parse(last + 1); err == nil {
				require.True(t, p.Time.After(at))
			}
		}
	})
}

func TestRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t)
		from, to := drawTime(t, l, "from"), drawTime(t, l, "to")
		lo, hi, err := l.Range(from, to)
		if !from.Before(to) {
			refused(t, err, uid.ErrRange, stamp(from))
			require.Zero(t, lo)
			require.Zero(t, hi)
			return
		}
		require.NoError(t, err)
		require.LessOrEqual(t, lo, hi)
		// A UID is in the range exactly if its tick overlaps from..to.
		u := uid.UID(rapid.Int64Range(0, 1<<(l.TimeBits()+l.WorkerBits()+l.SequenceBits())-1).Draw(t, "u"))
		for _, u := range []uid.UID{u, lo, hi, max(0, lo-1)} {
			p := must(l.Parse(u))
			overlaps := p.Time.Before(to) && p.Time.Add(l.Unit()).After(from)
			require.Equal(t, overlaps, lo <= u && u <= hi)
		}
	})
}

func TestRangesMeet(t *testing.T) {
	l := Default()
	noon := now.Truncate(time.Hour)
	_, hi, err := l.Range(noon, noon.Add(time.Hour))
	require.NoError(t, err)
	lo, _, err := l.Range(noon.Add(time.Hour), noon.Add(2*time.Hour))
	require.NoError(t, err)
	require.Equal(t, hi+1, lo)
	lo, hi, err = l.Range(l.Epoch(), l.end())
	require.NoError(t, err)
	require.Zero(t, lo)
	require.Equal(t, uid.Max, hi)
}

func TestTimesOutsideTheLayout(t *testing.T) {
	ns := mustBuild(Config{TimeBits: 63, Unit: time.Nanosecond})
	for _, l := range []Layout{Default(), twitter, ns} {
		for _, at := range []time.Time{
			{}, l.Epoch().Add(-1), l.end(), l.end().Add(time.Hour), time.Date(-5000, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(math.MaxInt64>>1, 0), time.Unix(math.MinInt64>>1, 0),
			// 2^64 ns: where a count of nanoseconds is round again
			l.Epoch().Add(math.MaxInt64).Add(math.MaxInt64).Add(time.Hour),
		} {
			u, err := l.First(at)
			require.ErrorIs(t, err, uid.ErrRange, "%v %v", l, at)
			require.ErrorContains(t, err, stamp(l.Epoch()))
			require.Zero(t, u)
			_, _, err = l.Range(at, at.Add(1))
			require.ErrorIs(t, err, uid.ErrRange)
			_, _, err = l.Range(at, at.Add(time.Hour))
			require.ErrorIs(t, err, uid.ErrRange)
		}
		_, _, err := l.Range(l.Epoch(), l.end().Add(1))
		require.ErrorIs(t, err, uid.ErrRange)
	}
}
