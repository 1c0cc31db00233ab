package plan

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/logtest"
)

func utc(y int, m time.Month, d, h, min, s int) time.Time {
	return time.Date(y, m, d, h, min, s, 0, time.UTC)
}

var twitter, uidGenerator = bits.MustParseLayout("twitter"), bits.MustParseLayout("uidgenerator")

// workers narrows an issuer to some workers.
func workers(l bits.Layout, first, last int64) bits.Issuer {
	return bits.Issuer{Layout: l, FirstWorker: first, LastWorker: last}
}

// The moves that people make.
func TestCostOfMoves(t *testing.T) {
	now := utc(2026, 11, 21, 10, 0, 0)

	t.Run("bwmarrin to Twitter", func(t *testing.T) {
		l := twitter
		c := must(Move{From: l.Issuer(), To: l.Issuer(), At: now}.Cost())
		require.Equal(t, &bits.Overlap{First: 0, Last: uid.Max, FirstA: l.Epoch(), LastA: l.Expires(),
			FirstB: l.Epoch(), LastB: l.Expires()}, c.Ever)
		// One process after the other: the millisecond of the switch is both's.
		require.NotNil(t, c.Repeats)
		require.Equal(t, now, c.Repeats.FirstA)
		require.Equal(t, now, c.Repeats.LastB)
		require.False(t, c.Above)
		require.Empty(t, c.Safe)
		_, last, err := l.Range(now, now.Add(1))
		require.NoError(t, err)
		require.Equal(t, last, c.Highest)
		require.True(t, c.Passable)
		require.Equal(t, now.Add(time.Millisecond), c.Passes)
	})

	t.Run("UidGenerator to Default", func(t *testing.T) {
		c := must(Move{From: uidGenerator.Issuer(), To: bits.Default().Issuer(), At: now}.Cost())
		require.True(t, c.Full)
		require.NotNil(t, c.Ever)
		require.Equal(t, utc(2017, 4, 9, 2, 0, 0), c.Repeats.FirstA) // what Default makes now
		require.Equal(t, now, c.Repeats.FirstB)
		require.Equal(t, utc(2024, 11, 20, 13, 24, 15), c.Repeats.LastA)
		require.False(t, c.Above)
		require.Empty(t, c.Safe)
		require.Equal(t, uid.Max, c.Highest)
		require.False(t, c.Passable, "nothing is above the largest UID")
		c = must(Move{From: uidGenerator.Issuer(), To: bits.MustParseLayout("41ms/0/0").Issuer(), At: now}.Cost())
		require.False(t, c.Passable, "nor where a tick is a UID")

		// With the old table's next worker IDs nothing is made twice, but new UIDs are
		// not above the old ones.
		c = must(Move{From: workers(uidGenerator, 1, 1000),
			To: workers(bits.Default(), 1001, 2000), At: now}.Cost())
		require.Nil(t, c.Ever)
		require.Nil(t, c.Repeats)
		require.False(t, c.Above)

		// It was used for a year only: then a floor does, which Default passes in a year.
		year := uidGenerator.Issuer()
		year.To = utc(2017, 5, 20, 0, 0, 0)
		c = must(Move{From: year, To: bits.Default().Issuer(), At: now}.Cost())
		require.True(t, c.Passable)
		require.Equal(t, utc(2027, 1, 1, 8, 0, 0), c.Passes)
		require.Equal(t, []Window{{utc(2027, 1, 1, 8, 0, 1), bits.Default().Expires().Add(time.Second)}}, c.Safe)
	})

	t.Run("widened on the old epoch", func(t *testing.T) {
		wide := bits.MustLayout(bits.Config{TimeBits: 29, WorkerBits: 21, SequenceBits: 13,
			Epoch: uidGenerator.Epoch()})
		at := utc(2026, 11, 21, 15, 52, 32)
		c := must(Move{From: uidGenerator.Issuer(), To: wide.Issuer(), At: at}.Cost())
		require.Equal(t, uid.UID(5696891900414435328-5<<13), c.Repeats.First) // of worker 0
		require.Equal(t, "2021-08-20", c.Repeats.FirstA.Format(time.DateOnly))
		require.False(t, c.Passable)
	})

	t.Run("Default to Twitter", func(t *testing.T) {
		// Twitter's began earlier, and grows more slowly: today it is ahead.
		c := must(Move{From: bits.Default().Issuer(), To: twitter.Issuer(), At: now}.Cost())
		require.True(t, c.Above)
		require.Len(t, c.Safe, 1)
		require.Equal(t, now, c.Safe[0].From)
		require.Equal(t, "2028-02-09", c.Safe[0].To.Format(time.DateOnly)) // Default's grow 8.2 times as fast
		require.True(t, c.Passable)
		require.Equal(t, now, c.Passes)
		// It never catches up if it ends before that.
		old := bits.Default().Issuer()
		old.To = utc(2028, 1, 1, 0, 0, 0)
		c = must(Move{From: old, To: twitter.Issuer(), At: now}.Cost())
		require.Equal(t, []Window{{now, twitter.Expires().Add(time.Millisecond)}}, c.Safe)
	})

	t.Run("overtaken for a time", func(t *testing.T) {
		// The old layout grows faster, but ends at 2^62.
		old := bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 21, SequenceBits: 13})
		c := must(Move{From: old.Issuer(), To: twitter.Issuer(), At: now}.Cost())
		require.Len(t, c.Safe, 2)
		require.Equal(t, now, c.Safe[0].From)
		require.Equal(t, "2030-11-24", c.Safe[0].To.Format(time.DateOnly))
		require.Equal(t, "2045-09-06", c.Safe[1].From.Format(time.DateOnly))
		require.Equal(t, twitter.Expires().Add(time.Millisecond), c.Safe[1].To)
	})

	t.Run("to a layout that is yet to be", func(t *testing.T) {
		from := bits.Default().Issuer()
		from.From = now.Add(time.Hour)
		c := must(Move{From: from, To: bits.Default().Issuer(), At: now}.Cost())
		require.False(t, c.Begun)
		require.True(t, c.Above)
		require.True(t, c.Passable)
		require.Equal(t, now, c.Passes)
		require.Nil(t, c.Repeats)
		require.NotNil(t, c.Ever)
	})
}

func TestCostRefuses(t *testing.T) {
	now := utc(2026, 11, 21, 10, 0, 0)
	ok := Move{From: twitter.Issuer(), To: bits.Default().Issuer(), At: now}
	for _, c := range []struct {
		change func(*Move)
		err    error
		want   string
	}{
		{func(m *Move) { m.Lead = -1 }, uid.ErrRange, "-1ns is below 0"},
		{func(m *Move) { m.At = utc(2025, 1, 1, 0, 0, 0) }, uid.ErrRange,
			"2025-01-01T00:00:00Z, before the epoch 2026-01-01T00:00:00Z of the new layout"},
		{func(m *Move) { m.To = uidGenerator.Issuer() }, uid.ErrExhausted,
			"is full at 2024-11-20T13:24:16Z, before the switch at 2026-11-21T10:00:00Z"},
		{func(m *Move) { m.To.LastWorker = 1 << 22 }, uid.ErrRange, "worker IDs 0 to 4194304"},
		{func(m *Move) { m.From.LastWorker = -1 }, uid.ErrRange, "worker IDs 0 to -1"},
		{func(m *Move) { m.To.To = now }, uid.ErrRange,
			"the span begins at 2026-11-21T10:00:00Z and ends at 2026-11-21T10:00:00Z"},
		{func(m *Move) { m.From = bits.Issuer{} }, uid.ErrRange, "zero Layout"},
	} {
		m := ok
		c.change(&m)
		got, err := m.Cost()
		logtest.Error(t, err, c.err, c.want)
		require.Zero(t, got)
	}
	ok.At = time.Time{} // now
	must(ok.Cost())
	ok.Lead = math.MaxInt64 // that of a generator which may be anywhere
	require.Equal(t, uid.Max, must(ok.Cost()).Highest)
}

// Within its windows a switch is safe; out of them, but for two ticks, it is not; and the rest of the
// cost is what a count over all numbers says.
func TestCostIsExact(t *testing.T) {
	base := time.Unix(1.7e9, 0).UTC()
	draw := func(t *rapid.T) bits.Issuer {
		n := func(least, most int) int { return rapid.IntRange(least, most).Draw(t, "n") }
		tenths := func(least, most int) time.Duration { return time.Duration(n(least, most)) * 100 * time.Millisecond }
		i := bits.MustLayout(bits.Config{TimeBits: n(1, 9), WorkerBits: n(0, 3), SequenceBits: n(0, 3),
			Unit:  []time.Duration{200 * time.Millisecond, time.Second, 3 * time.Second}[n(0, 2)],
			Epoch: base.Add(tenths(-300, 300))}).Issuer()
		i.FirstWorker = int64(n(0, int(i.LastWorker)))
		i.LastWorker = int64(n(int(i.FirstWorker), int(i.LastWorker)))
		if n(0, 1) == 1 {
			i.To = i.Layout.Epoch().Add(tenths(1, 9000))
		}
		return i
	}
	rapid.Check(t, func(t *rapid.T) {
		m := Move{From: draw(t), To: draw(t), Lead: time.Duration(rapid.Int64Range(0, 5e9).Draw(t, "lead"))}
		to := m.To.Layout
		end := endOf(to)
		if !m.To.To.IsZero() && m.To.To.Before(end) {
			end = m.To.To
		}
		instant := func(from time.Time) time.Time {
			return from.Add(time.Duration(rapid.Int64Range(0, int64(end.Sub(from))-1).Draw(t, "at")))
		}
		m.At = instant(to.Epoch())
		c := must(m.Cost())

		// highest is the largest that From has made by a time, -1 if none.
		highest := func(by time.Time) uid.UID {
			from := m.From
			if until := by.Add(m.Lead + 1); from.To.IsZero() || until.Before(from.To) {
				from.To = until
			}
			if o := must(overlap(from, from)); o != nil {
				return o.Last
			}
			return -1
		}
		lowest := func(at time.Time) uid.UID { return must(to.Compose(to.TickAt(at), m.To.FirstWorker, 0)) }
		require.Equal(t, c.Begun, highest(m.At) >= 0)
		require.Equal(t, lowest(m.At), c.Lowest)
		require.Equal(t, c.Above, c.Safe != nil && c.Safe[0].From.Equal(m.At))
		if !c.Begun {
			require.True(t, c.Above)
			return
		}
		require.Equal(t, highest(m.At), c.Highest)
		require.True(t, !c.Above || c.Repeats == nil && c.Lowest > c.Highest)
		if c.Repeats != nil {
			require.NotNil(t, c.Ever)
			require.True(t, c.Repeats.First >= c.Lowest && c.Repeats.Last <= c.Highest)
		}

		judge := func(at time.Time) {
			if at.Before(m.At) || !at.Before(end) {
				return
			}
			room := lowest(at) - highest(at)
			if slices.ContainsFunc(c.Safe, func(w Window) bool { return !at.Before(w.From) && at.Before(w.To) }) {
				require.Positive(t, room, at)
			} else {
				require.LessOrEqual(t, room, uid.UID(1)<<shift(m.From.Layout)+1<<shift(to), at)
			}
		}
		judge(instant(m.At))
		for i, w := range c.Safe {
			require.False(t, w.From.Before(m.At) || !w.From.Before(w.To) || w.To.After(end))
			require.True(t, i == 0 || c.Safe[i-1].To.Before(w.From))
			// From is nearest above To when a tick of its begins, and just before one of To's does.
			for _, l := range []bits.Layout{m.From.Layout, to} {
				for ticks := int64(-25); ticks < 25; ticks++ {
					for _, edge := range []time.Time{w.From, w.To} {
						begin := l.TimeOf(l.TickAt(edge) + ticks)
						judge(begin)
						judge(begin.Add(-m.Lead))
						judge(begin.Add(-1))
					}
				}
			}
		}

		// The first tick whose UIDs are all above the floor.
		first := int64(0)
		for first <= to.MaxTick() && must(to.Compose(first, m.To.FirstWorker, 0)) <= c.Highest {
			first++
		}
		passes := to.TimeOf(min(first, to.MaxTick()))
		require.Equal(t, first <= to.MaxTick() && passes.Before(end), c.Passable)
		if passes.Before(m.At) {
			passes = m.At
		}
		require.True(t, !c.Passable || passes.Equal(c.Passes))
	})
}
