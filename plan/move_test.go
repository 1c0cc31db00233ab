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
	draw := func(t *rapid.T, name string) bits.Issuer {
		cfg := bits.Config{
			TimeBits:     rapid.IntRange(1, 9).Draw(t, name+" time bits"),
			WorkerBits:   rapid.IntRange(0, 3).Draw(t, name+" worker bits"),
			SequenceBits: rapid.IntRange(0, 3).Draw(t, name+" sequence bits"),
			Unit: rapid.SampledFrom([]time.Duration{200 * time.Millisecond, time.Second,
				3 * time.Second}).Draw(t, name+" unit"),
			Epoch: base.Add(
				time.Duration(rapid.IntRange(-300, 300).Draw(t, name+" epoch")) * 100 * time.Millisecond),
		}
		i := bits.MustLayout(cfg).Issuer()
		i.FirstWorker = rapid.Int64Range(0, i.LastWorker).Draw(t, name+" first")
		i.LastWorker = rapid.Int64Range(i.FirstWorker, i.LastWorker).Draw(t, name+" last")
		if rapid.Bool().Draw(t, name+" ends") {
			i.To = cfg.Epoch.Add(time.Duration(rapid.IntRange(1, 9000).Draw(t, name+" to")) * 100 * time.Millisecond)
		}
		return i
	}
	rapid.Check(t, func(t *rapid.T) {
		m := Move{From: draw(t, "from"), To: draw(t, "to"),
			Lead: time.Duration(rapid.IntRange(0, 50).Draw(t, "lead")) * 100 * time.Millisecond}
		to := m.To.Layout
		end := to.Expires().Add(to.Unit())
		if !m.To.To.IsZero() && m.To.To.Before(end) {
			end = m.To.To
		}
		instant := func(name string, from time.Time) time.Time {
			return from.Add(time.Duration(rapid.Int64Range(0, int64(end.Sub(from))-1).Draw(t, name)))
		}
		m.At = instant("at", to.Epoch())
		c := must(m.Cost())

		// highest is the largest that From has made by a time, -1 if none.
		highest := func(by time.Time) uid.UID {
			from := m.From
			if until := by.Add(m.Lead + 1); from.To.IsZero() || until.Before(from.To) {
				from.To = until
			}
			o, found, err := bits.FindOverlap(from, from)
			require.NoError(t, err)
			if !found {
				return -1
			}
			return o.Last
		}
		lowest := func(at time.Time) uid.UID {
			return must(to.Compose(to.TickAt(at), m.To.FirstWorker, 0))
		}
		require.Equal(t, c.Begun, highest(m.At) >= 0)
		require.Equal(t, lowest(m.At), c.Lowest)
		require.Equal(t, c.Above, len(c.Safe) > 0 && c.Safe[0].From.Equal(m.At))
		if !c.Begun {
			require.True(t, c.Above)
			return
		}
		require.Equal(t, highest(m.At), c.Highest)
		if c.Above {
			require.Nil(t, c.Repeats)
			require.Greater(t, c.Lowest, c.Highest)
		}
		if c.Repeats != nil {
			require.NotNil(t, c.Ever)
			require.GreaterOrEqual(t, c.Repeats.First, c.Lowest)
			require.LessOrEqual(t, c.Repeats.Last, c.Highest)
		}

		for i, w := range c.Safe {
			require.True(t, w.From.Before(w.To))
			require.False(t, w.From.Before(m.At))
			require.False(t, w.To.After(end))
			require.True(t, i == 0 || c.Safe[i-1].To.Before(w.From))
		}
		tick := func(i bits.Issuer) uid.UID { return 1 << (i.Layout.WorkerBits() + i.Layout.SequenceBits()) }
		judge := func(at time.Time) {
			if at.Before(m.At) || !at.Before(end) {
				return
			}
			room := lowest(at) - highest(at)
			if slices.ContainsFunc(c.Safe, func(w Window) bool { return !at.Before(w.From) && at.Before(w.To) }) {
				require.Positive(t, room, at)
			} else {
				require.LessOrEqual(t, room, tick(m.From)+tick(m.To), at)
			}
		}
		judge(instant("switch", m.At))
		// From is nearest above To when a tick of its begins, and just before one of To's does.
		around := func(l bits.Layout, at time.Time) {
			for i := range int64(50) {
				judge(l.TimeOf(l.TickAt(at) + i - 25))
				judge(l.TimeOf(l.TickAt(at) + i - 25).Add(-m.Lead))
				judge(l.TimeOf(l.TickAt(at) + i - 25).Add(-1))
			}
		}
		for _, w := range c.Safe {
			for _, l := range []bits.Layout{m.From.Layout, to} {
				around(l, w.From)
				around(l, w.To)
			}
		}

		// The first tick whose UIDs are all above the floor.
		passes := time.Time{}
		for tick := range to.MaxTick() + 1 {
			u := must(to.Compose(tick, m.To.FirstWorker, 0))
			if u > c.Highest && to.TimeOf(tick).Before(end) {
				passes = to.TimeOf(tick)
				break
			}
		}
		require.Equal(t, c.Passable, !passes.IsZero())
		if c.Passable {
			if passes.Before(m.At) {
				passes = m.At
			}
			require.Equal(t, passes, c.Passes)
		}
	})
}

// Where the old layout gains on the new one slowly, its worker IDs bring the end of the safe time
// forward by many ticks.
func TestWorkersCloseTheWindow(t *testing.T) {
	epoch := time.Unix(1.7e9, 0).UTC()
	from := bits.MustLayout(bits.Config{TimeBits: 20, WorkerBits: 4, SequenceBits: 10, Unit: 15 * time.Second,
		Epoch: epoch.Add(time.Hour)})
	to := bits.MustLayout(bits.Config{TimeBits: 20, WorkerBits: 0, SequenceBits: 10, Epoch: epoch})
	windowEnd := func(lastWorker int64) time.Time {
		old := from.Issuer()
		old.LastWorker = lastWorker
		c := must(Move{From: old, To: to.Issuer(), At: epoch.Add(2 * time.Hour)}.Cost())
		require.True(t, c.Above)
		end := c.Safe[0].To
		highest := must(from.Compose(from.TickAt(end.Add(-1)), lastWorker, from.MaxSequence()))
		require.Greater(t, must(to.Compose(to.TickAt(end.Add(-1)), 0, 0)), highest)
		return end
	}
	require.Greater(t, windowEnd(0).Sub(windowEnd(15)), 3*time.Minute)
}
