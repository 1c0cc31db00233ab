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

// A UID is in the range exactly if its tick overlaps from..to.
func TestRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t)
		from := drawTime(t, l, "from")
		to := rapid.SampledFrom([]time.Time{drawTime(t, l, "to"), from.Add(1), l.end()}).Draw(t, "until")
		lo, hi, err := l.Range(from, to)
		if !from.Before(to) {
			refused(t, err, uid.ErrRange, stamp(from))
			require.Zero(t, lo)
			require.Zero(t, hi)
			return
		}
		require.NoError(t, err)
		require.Equal(t, lo, must(l.First(from)))
		most := must(l.Compose(l.MaxTick(), l.MaxWorkerID(), l.MaxSequence()))
		u := uid.UID(rapid.Int64Range(0, int64(most)).Draw(t, "u"))
		for _, u := range []uid.UID{u, lo, hi, max(0, lo-1), min(hi, most-1) + 1} {
			p := must(l.Parse(u))
			overlaps := p.Time.Before(to) && p.Time.Add(l.Unit()).After(from)
			require.Equal(t, overlaps, lo <= u && u <= hi)
		}
	})
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
