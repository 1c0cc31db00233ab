package measure

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid/benchmarks/subject"
)

// A counted subject makes the numbers 0, 1, 2 … modulo `modulo`, and fails at `fails`.
type counted struct {
	modulo, fails         int64
	drawn, opened, closed atomic.Int64
}

var errCounted = errors.New("no more")

func (c *counted) subject() subject.Subject {
	return subject.Subject{Name: "counted", Open: func() (subject.Source, error) { c.opened.Add(1); return c, nil }}
}

func (c *counted) Close() error     { c.closed.Add(1); return nil }
func (c *counted) Draw(n int) error { return c.Keys(make([]subject.Key, n)) }

func (c *counted) Keys(dst []subject.Key) error {
	for i := range dst {
		n := c.drawn.Add(1) - 1
		if c.fails > 0 && n >= c.fails {
			return errCounted
		}
		if c.modulo > 0 {
			n %= c.modulo
		}
		dst[i][0] = uint64(n)
	}
	return nil
}

// TestRateCountsWhatIsDrawn, by each goroutine once at least: else a rate could be that of nothing.
func TestRateCountsWhatIsDrawn(t *testing.T) {
	for _, d := range []time.Duration{0, 5 * time.Millisecond} {
		c := &counted{}
		n, took, err := rate(c.subject(), 50, 7, d)
		require.NoError(t, err)
		require.Positive(t, took)
		require.GreaterOrEqual(t, n, 50*7)
		require.EqualValues(t, c.drawn.Load()-1, n, "all but the first one, which was drawn before")
		require.EqualValues(t, 1, c.closed.Load())
	}
}

func TestFailuresAreTold(t *testing.T) {
	p := Smoke()
	p.Latency, p.LatencyMost, p.LatencySamples = time.Hour, time.Hour, math.MaxInt
	for _, fails := range []int64{1, 2, 1000} {
		for name, measure := range map[string]func(subject.Subject) error{
			"rate":  func(s subject.Subject) error { _, _, err := rate(s, 3, 1, time.Hour); return err },
			"timed": func(s subject.Subject) error { _, err := timed(s, 3, p); return err },
			"keep":  func(s subject.Subject) error { _, _, err := keep(s, 0, 1e5); return err },
			"many":  func(s subject.Subject) error { return many(s, func() error { return errCounted }) },
		} {
			c := &counted{fails: fails}
			require.ErrorIs(t, measure(c.subject()), errCounted, name)
			require.Equal(t, c.opened.Load(), c.closed.Load(), name)
		}
	}
}

func TestLatencyCountsEveryCall(t *testing.T) {
	c := &counted{}
	h, err := timed(c.subject(), 4, Profile{LatencySamples: 4000, LatencyMost: time.Hour})
	require.NoError(t, err)
	require.EqualValues(t, 4000, h.TotalCount())
	require.EqualValues(t, 4001, c.drawn.Load())
}

// reported returns what f reports.
func reported(f func(b *testing.B)) map[string]float64 { return testing.Benchmark(f).Extra }

// TestPercentilesNeedSamples: the 99.9th of a hundred calls would be the longest of them.
func TestPercentilesNeedSamples(t *testing.T) {
	h := newCalls()
	for i := range int64(100) {
		require.NoError(t, h.RecordValue(i+1))
	}
	require.Equal(t, map[string]float64{"p50-ns": 50, "p90-ns": 90, "p99-ns": 99, "max-ns": 100, "calls": 100},
		reported(func(b *testing.B) { percentiles(b, h) }))
}

// TestMerged: merged calls are those of one histogram that was there all the time.
func TestMerged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, m := newCalls(), make(merged)
		for range 3 {
			h := newCalls()
			for _, v := range rapid.SliceOfN(rapid.Int64Range(1, int64(time.Hour)), 1, 50).Draw(t, "calls") {
				require.NoError(t, h.RecordValue(v))
				require.NoError(t, all.RecordValue(v))
			}
			m.add(h)
		}
		require.Equal(t, all.TotalCount(), m.histogram().TotalCount())
		for _, q := range Percentiles {
			require.Equal(t, all.ValueAtPercentile(q), m.histogram().ValueAtPercentile(q))
		}
	})
}

// TestDuplicates: of words that differ in their low bits only, and in their high bits only; and of many.
func TestDuplicates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.Uint64Range(0, 30)
		word := rapid.OneOf(small, rapid.Map(small, func(v uint64) uint64 { return v << 58 }))
		ids := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) subject.Key {
			return subject.Key{word.Draw(t, "a"), word.Draw(t, "b")}
		}), 0, 300).Draw(t, "ids")
		different := make(map[subject.Key]bool)
		for _, k := range ids {
			different[k] = true
		}
		require.Equal(t, len(ids)-len(different), duplicates(ids))
	})
	const most = 80_000
	ids, took, err := keep((&counted{modulo: most / 4}).subject(), 0, most)
	require.NoError(t, err)
	require.Positive(t, took)
	require.Len(t, ids, most)
	require.Equal(t, most-most/4, duplicates(ids))
}

// TestKeepHoldsThePace: no more than the pace allows in the time that it took, and the
// chunks that goroutines were at; each of them once.
func TestKeepHoldsThePace(t *testing.T) {
	const pace = 50_000
	c := &counted{}
	ids, took, err := keep(c.subject(), pace, 9e5)
	require.NoError(t, err)
	require.LessOrEqual(t, float64(len(ids)), pace*took.Seconds()+uniqueGoroutines*chunk)
	require.EqualValues(t, c.drawn.Load()-1, len(ids))
	require.Zero(t, duplicates(ids))
}

func TestLoads(t *testing.T) {
	for _, p := range []Profile{Full(), Quick(), Smoke()} {
		loads := p.loads()
		require.Contains(t, loads, load{runtime.GOMAXPROCS(0), 1})
		for i, l := range loads {
			require.NotContains(t, loads[:i], l)
		}
	}
	require.Equal(t, []int{1, 2, 4, 6}, powers(6))
	require.GreaterOrEqual(t, min(Full().Rounds, Quick().Rounds), 10)
}

// TestLead: what is drawn beyond a tick's UIDs is borrowed, less the time that passes.
func TestLead(t *testing.T) {
	began := time.Now()
	n, _, ahead, err := borrowed("twitter", 0, 20*time.Millisecond)
	passed := time.Since(began)
	require.NoError(t, err)
	ticks := time.Duration(n/4096) * time.Millisecond
	require.LessOrEqual(t, ahead, ticks+time.Millisecond)
	require.GreaterOrEqual(t, ahead, ticks-passed-2*time.Millisecond)
}

func TestProcessorTimeIsCounted(t *testing.T) {
	busy, took, err := processorTimeOf(func() error {
		before, err := processorTime()
		for after := before; err == nil && after == before; { // works until it is seen
			after, err = processorTime()
		}
		return err
	})
	require.NoError(t, err)
	require.Positive(t, busy)
	require.Positive(t, took)
}

// TestRepeats: a round that lacked processor time is measured again, and that is said. An attempt
// takes 100 ms.
func TestRepeats(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		procs           int
		waited          []time.Duration
		repeats, lacked float64
	}{
		"none":                    {1, []time.Duration{0}, 0, 0},
		"little":                  {1, []time.Duration{10 * ms}, 0, 0.1},
		"too long":                {1, []time.Duration{11 * ms, 2 * ms}, 1, 0.02},
		"of two processors":       {2, []time.Duration{20 * ms}, 0, 0.1},
		"always, which is said":   {1, []time.Duration{50 * ms, 50 * ms, 50 * ms, 40 * ms}, 3, 0.4},
		"two of two, for so long": {2, []time.Duration{30 * ms, 30 * ms, 0}, 2, 0},
	} {
		var now time.Time
		var sum time.Duration
		attempts, other := 0, 0
		v := supervisor{
			// Others begin and end meanwhile.
			read: func() waits { other++; return waits{1: sum, other + 1: time.Hour} },
			now:  func() time.Time { now = now.Add(100 * ms); return now },
		}
		got := reported(func(b *testing.B) {
			require.NoError(t, v.run(b, c.procs, func() error { sum += c.waited[attempts]; attempts++; return nil }))
		})
		require.Equal(t, len(c.waited), attempts, name)
		require.Equal(t, c.repeats, got[RepeatsUnit], name)
		require.InDelta(t, c.lacked, got[WaitedUnit], 1e-9, name)
	}
	require.Empty(t, reported(func(b *testing.B) {
		require.ErrorIs(t, supervised.run(b, 1, func() error { return errCounted }), errCounted)
		served := alone(subject.Subject{Engine: subject.Redis}, 2)
		require.NoError(t, supervisor{}.run(b, served, func() error { return nil }))
	}), "who shares the processors with a server waits for it")
	require.Equal(t, 2, alone(subject.Subject{}, 2))
}

// TestReadWaits: on Linux every thread is known, and times only grow.
func TestReadWaits(t *testing.T) {
	before := readWaits()
	require.GreaterOrEqual(t, readWaits().since(before), time.Duration(0))
	if runtime.GOOS == "linux" {
		require.NotEmpty(t, before)
	}
}

// A served is a counted subject on a server that counts three round trips for each number, but only
// half of what is left at a time.
type served struct {
	counted
	trips  int64
	broken error // of the server
}

func (s *served) subject() subject.Subject {
	return subject.Subject{
		Name: "served", Engine: subject.MariaDB,
		Open: func() (subject.Source, error) { s.opened.Add(1); return s, nil },
		Trips: func() (int64, error) {
			s.trips += (3*s.drawn.Load() - s.trips + 1) / 2
			return s.trips, s.broken
		},
	}
}

func (s *served) Step() int64 { return 10 + s.drawn.Load() }

// TestPacedCountsAll: every number but the first of a source is counted, and every round trip for
// them, those that the server counts late, too. The source stays open from round to round.
func TestPacedCountsAll(t *testing.T) {
	s := &served{}
	cells, closeAll := paced(Profile{PacedFor: time.Millisecond, Paces: []float64{1e5}}, []subject.Subject{s.subject()})
	require.Equal(t, "subject=served/rate=100000", cells[0].name)
	numbers := 0.0
	for range 3 {
		got := reported(func(b *testing.B) {
			calls, err := cells[0].measure(b)
			require.NoError(t, err)
			percentiles(b, calls)
		})
		numbers += got["IDs"]
		require.Equal(t, got["IDs"], got["calls"])
		require.Equal(t, 3*got["IDs"], got[TripsUnit])
		require.Equal(t, 10+1+numbers, got[StepUnit])
	}
	require.EqualValues(t, s.drawn.Load(), 1+numbers)
	require.NoError(t, closeAll())
	require.EqualValues(t, 1, s.opened.Load())
	require.EqualValues(t, 1, s.closed.Load())
}

// TestPacedHoldsThePace: no more is drawn than has become due, however late a goroutine runs.
func TestPacedHoldsThePace(t *testing.T) {
	const each = 20 // of a goroutine
	c := &counted{}
	h, _, err := atPace(slices.Repeat([]subject.Drawer{c}, pacedGoroutines), 1e4*pacedGoroutines, each*time.Second/1e4)
	require.NoError(t, err)
	require.LessOrEqual(t, h.TotalCount(), int64(each*pacedGoroutines))
	require.Positive(t, h.TotalCount())
	require.Equal(t, c.drawn.Load(), h.TotalCount())
}

// TestPacedSubjects: those that need a server and make an ID a call, and nothing at all.
func TestPacedSubjects(t *testing.T) {
	var names []string
	cells, _ := paced(Profile{Paces: []float64{0}}, subjects)
	for _, c := range cells {
		names = append(names, c.name)
	}
	require.Equal(t, "subject=segment-mysql/rate=full "+
		"subject=mysql-auto-increment/rate=full subject=mysql-hilo/rate=full "+
		"subject=segment-redis/rate=full subject=redis-incr/rate=full subject=nothing/rate=full",
		strings.Join(names, " "))
	for what, s := range map[string]*served{
		"first draw": {counted: counted{fails: 1}},
		"a draw":     {counted: counted{fails: 5}},
		"the server": {broken: errCounted},
	} {
		if what == "first draw" {
			s.drawn.Store(1)
		}
		cells, closeAll := paced(Profile{Paces: []float64{0}}, []subject.Subject{s.subject()})
		_, err := cells[0].measure(nil)
		require.ErrorIs(t, err, errCounted, what)
		require.NoError(t, closeAll())
		require.EqualValues(t, 1, s.closed.Load(), what)
	}
}
