package bits

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
)

// drawIssuer draws some workers of a layout of few bits, so that all its numbers can be
// tried, and perhaps a span of time that may lie beside the time field.
func drawIssuer(t *rapid.T, name string) Issuer {
	const most = 11
	cfg := Config{
		TimeBits: rapid.IntRange(1, most).Draw(t, name+" time bits"),
		Epoch: time.Unix(1e9+rapid.Int64Range(0, 100).Draw(t, name+" epoch"),
			rapid.Int64Range(0, 999999999).Draw(t, name+" ns")),
		Unit: rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, 3 * time.Second,
			time.Minute}).Draw(t, name+" unit"),
	}
	cfg.WorkerBits = rapid.IntRange(0, most-cfg.TimeBits).Draw(t, name+" worker bits")
	cfg.SequenceBits = rapid.IntRange(0, most-cfg.TimeBits-cfg.WorkerBits).Draw(t, name+" sequence bits")
	i := mustBuild(cfg).Issuer()
	i.FirstWorker = within(t, name+" first worker", i.LastWorker)
	i.LastWorker = rapid.Int64Range(i.FirstWorker, i.LastWorker).Draw(t, name+" last worker")
	instant := func(what string) time.Time {
		ns := int64(i.Layout.Unit()) << cfg.TimeBits
		at := cfg.Epoch.Add(time.Duration(rapid.Int64Range(-ns/4, ns+ns/4).Draw(t, name+what)))
		if rapid.Bool().Draw(t, name+what+" is when a tick begins") {
			at = i.Layout.TimeOf(i.Layout.TickAt(at))
		}
		return at
	}
	if rapid.Bool().Draw(t, name+" has a from") {
		i.From = instant(" from")
	}
	if rapid.Bool().Draw(t, name+" has a to") {
		i.To = instant(" to")
		if !i.From.IsZero() && !i.From.Before(i.To) {
			i.To = i.From.Add(1)
		}
	}
	return i
}

// makes says whether i can make u, without any of the code under test but Parse.
func (i Issuer) makes(u uid.UID) bool {
	p, err := i.Layout.Parse(u)
	return err == nil && i.FirstWorker <= p.WorkerID && p.WorkerID <= i.LastWorker &&
		(i.From.IsZero() || p.Time.Add(i.Layout.Unit()).After(i.From)) && (i.To.IsZero() || p.Time.Before(i.To))
}

func TestFindOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawIssuer(t, "a"), drawIssuer(t, "b")
		var want Overlap
		some := false
		for u := range uid.UID(1 << 11) {
			if !a.makes(u) || !b.makes(u) {
				continue
			}
			pa, pb := must(a.Layout.Parse(u)), must(b.Layout.Parse(u))
			if !some {
				some, want.First, want.FirstA, want.FirstB = true, u, pa.Time, pb.Time
			}
			want.Last, want.LastA, want.LastB = u, pa.Time, pb.Time
		}
		got, found, err := FindOverlap(a, b)
		require.NoError(t, err)
		require.Equal(t, some, found)
		require.Equal(t, want, got)
	})
}

// Layouts of any size: what is found belongs to both, the other order finds the same, and an
// issuer overlaps with itself in all it has.
func TestFindOverlapOfAnyLayouts(t *testing.T) {
	draw := func(t *rapid.T, name string) Issuer {
		i := drawLayout(t).Issuer()
		i.FirstWorker = within(t, name+" first worker", i.LastWorker)
		i.LastWorker = rapid.Int64Range(i.FirstWorker, i.LastWorker).Draw(t, name+" last worker")
		return i
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, "a"), draw(t, "b")
		o, found, err := FindOverlap(a, b)
		require.NoError(t, err)
		back, foundBack, err := FindOverlap(b, a)
		require.NoError(t, err)
		require.Equal(t, found, foundBack)
		require.Equal(t, Overlap{o.First, o.Last, o.FirstB, o.LastB, o.FirstA, o.LastA}, back)
		if found {
			require.True(t, a.makes(o.First) && b.makes(o.First) && a.makes(o.Last) && b.makes(o.Last))
			require.LessOrEqual(t, o.First, o.Last)
		}

		self, found, err := FindOverlap(a, a)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, must(a.Layout.Compose(0, a.FirstWorker, 0)), self.First)
		last := must(a.Layout.Compose(a.Layout.MaxTick(), a.LastWorker, a.Layout.MaxSequence()))
		require.Equal(t, last, self.Last)
		require.Equal(t, a.Layout.Epoch(), self.FirstA)
		require.Equal(t, a.Layout.Expires(), self.LastB)
	})
}

func TestFindOverlapRefuses(t *testing.T) {
	ok := twitter.Issuer()
	for _, c := range []struct {
		change func(*Issuer)
		want   string
	}{
		{func(i *Issuer) { i.Layout = Layout{} }, "zero Layout"},
		{func(i *Issuer) { i.FirstWorker = -1 }, "worker IDs -1 to 1023 are no range within 0 and 1023"},
		{func(i *Issuer) { i.LastWorker = 1024 },
			"worker IDs 0 to 1024 are no range within 0 and 1023, the most that 41/10/12 bits hold"},
		{func(i *Issuer) { i.FirstWorker, i.LastWorker = 5, 4 }, "worker IDs 5 to 4 are no range"},
		{func(i *Issuer) { i.From, i.To = now, now },
			"the span begins at 2026-02-01T12:00:00Z and ends at 2026-02-01T12:00:00Z"},
	} {
		bad := ok
		c.change(&bad)
		for _, pair := range [][2]Issuer{{bad, ok}, {ok, bad}} {
			o, found, err := FindOverlap(pair[0], pair[1])
			refused(t, err, uid.ErrRange, c.want)
			require.False(t, found)
			require.Zero(t, o)
		}
	}
}

// A span beyond the time field has no numbers, however far it is: not even where the ticks'
// numbers wrap.
func TestNoOverlapAfterTheEnd(t *testing.T) {
	for _, l := range []Layout{twitter, Default()} {
		wraps := int64(1) << (64 - l.WorkerBits() - l.SequenceBits())
		for _, from := range []time.Time{l.end(), l.TimeOf(wraps), l.TimeOf(wraps + 5), l.Epoch().AddDate(1000, 0, 0)} {
			late := l.Issuer()
			late.From = from
			_, found, err := FindOverlap(late, l.Issuer())
			require.NoError(t, err)
			require.False(t, found, from)
		}
	}
}

// One process after the other, the second from the beginning of a tick on.
func TestNoOverlapOfOneAfterTheOther(t *testing.T) {
	before, after := twitter.Issuer(), twitter.Issuer()
	before.To, after.From = now, now
	_, found, err := FindOverlap(before, after)
	require.NoError(t, err)
	require.False(t, found)
}

func TestFindOverlapDoesNotAllocate(t *testing.T) {
	a, b := uidGenerator.Issuer(), twitter.Issuer()
	require.Zero(t, testing.AllocsPerRun(10, func() { _, _, _ = FindOverlap(a, b) }))
}

func BenchmarkFindOverlap(b *testing.B) {
	x, y := uidGenerator.Issuer(), twitter.Issuer()
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := FindOverlap(x, y); err != nil {
			b.Fatal(err)
		}
	}
}
