package measure

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
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

func (c *counted) Drawer() subject.Drawer { return c }
func (c *counted) Close() error           { c.closed.Add(1); return nil }
func (c *counted) Draw(n int) error       { return c.Keys(make([]subject.Key, n)) }

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

// recorded runs tasks, and returns the lines that they write.
func recorded(t *testing.T, tasks []Task) (out []*benchfmt.Result) {
	t.Helper()
	var text bytes.Buffer
	for _, task := range tasks {
		require.Positive(t, task.Estimate, task.Phase)
		require.NoError(t, task.Run(&Recorder{Out: benchfmt.NewWriter(&text)}))
	}
	for in := benchfmt.NewReader(&text, "out"); in.Scan(); {
		r, ok := in.Result().(*benchfmt.Result)
		require.True(t, ok, in.Result())
		out = append(out, r.Clone())
	}
	return out
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

// TestPercentilesNeedSamples: the 99.9th of a hundred calls would be the longest of them.
func TestPercentilesNeedSamples(t *testing.T) {
	h := newCalls()
	for i := range int64(100) {
		require.NoError(t, h.RecordValue(i+1))
	}
	require.Equal(t, []benchfmt.Value{value(50, "p50-ns"), value(90, "p90-ns"), value(99, "p99-ns"), value(100, "max-ns")}, percentiles(h))
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
		require.Equal(t, percentiles(all), percentiles(m.histogram()))
	})
}

// TestDuplicates: of words that differ in their low bits only, and in their high bits only; and of
// so many that buckets hold many.
func TestDuplicates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.Uint64Range(0, 30), rapid.Map(rapid.Uint64Range(0, 30), func(v uint64) uint64 { return v << 58 }))
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

// TestPlan: every cell once in each round, in another order each time, in the same orders in every run.
func TestPlan(t *testing.T) {
	p := Smoke()
	p.Rounds = 3
	subjects, err := subject.Matching(subject.Local(), "^(uid-cached|xid|atomic-add)$")
	require.NoError(t, err)
	noDB := func() (*sqlx.DB, error) { return nil, errCounted }
	tasks, err := Plan(p, subjects, Phases, noDB)
	require.NoError(t, err)
	phases := make(map[string]int)
	for _, task := range tasks {
		phases[task.Phase]++
	}
	require.Equal(t, map[string]int{
		"scale": 3 * len(p.loads()) * len(subjects), "latency": phases["latency"], "allocations": 3 * 3,
		"memory": 3 * 2, // xid has no generator of its own
		// None of these needs a server: the timer alone.
		"idle": 2, "lead": 3 * 2 * len(p.LeadRates), "paced": 3 * len(p.Paces),
		"fairness": 3 * len(subject.AtCeiling()), "insert": 3 * len(keyKinds),
		"unique": 2 + 1, // xid again at the rate that it can bear; an add makes no IDs
	}, phases)
	require.ErrorIs(t, tasks[len(tasks)-1].Run(&Recorder{}), errCounted)
	_, err = Plan(p, subjects, []string{"speed"}, noDB)
	require.ErrorContains(t, err, `"speed": there are scale`)

	orders := func() []string {
		var measured, orders []string
		for i := range 20 {
			open := func() (subject.Source, error) {
				measured = append(measured, fmt.Sprint(i))
				return nil, errCounted
			}
			subjects = append(subjects[:i:i], subject.Subject{Name: fmt.Sprint(i), Open: open})
		}
		for i, task := range inRounds("memory", 3, memory(p, subjects)) {
			require.ErrorIs(t, task.Run(&Recorder{}), errCounted)
			if i%20 == 19 {
				orders = append(orders, strings.Join(measured[i-19:], " "))
				require.Len(t, slices.Compact(slices.Sorted(slices.Values(measured[i-19:]))), 20)
			}
		}
		return orders
	}
	require.Equal(t, orders(), orders())
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(orders()))), 3)
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

// TestResultsAreReadable runs the phases that need no server, and reads the lines: those of the
// calls of all rounds count every call once.
func TestResultsAreReadable(t *testing.T) {
	p := Smoke()
	p.UniqueIDs, p.Rounds = 8000, 3
	subjects, err := subject.Matching(subject.Local(), "^(uid-cached|xid)$")
	require.NoError(t, err)
	phases := []string{"scale", "latency", "allocations", "memory", "idle", "lead", "paced", "fairness", "unique"}
	was := runtime.GOMAXPROCS(0)
	tasks, err := Plan(p, subjects, phases, nil)
	require.NoError(t, err)
	found, calls := make(map[string]int), make(map[string]int)
	for _, r := range recorded(t, tasks) {
		base, parts := r.Name.Parts()
		found[string(base)]++
		calls[string(base)] += r.Iters
		procs := string(parts[len(parts)-1])
		require.True(t, procs == fmt.Sprintf("-%d", was) || string(base) == "Scale" && procs == "-1", string(r.Name))
		for _, v := range r.Values {
			require.False(t, math.IsNaN(v.Value) || math.IsInf(v.Value, 0), string(r.Name))
		}
		if duplicates, ok := r.Value("duplicates"); ok {
			require.Zero(t, duplicates)
		}
	}
	require.Equal(t, was, runtime.GOMAXPROCS(0))
	for _, phase := range phases {
		require.Positive(t, found[strings.ToUpper(phase[:1])+phase[1:]], phase)
	}
	for _, name := range []string{"Latency", "Paced"} {
		require.Positive(t, found[name+MergedSuffix])
		require.Equal(t, found[name], 3*found[name+MergedSuffix])
		require.Equal(t, calls[name], calls[name+MergedSuffix], "a call was lost or counted twice")
	}
	require.Equal(t, len(subject.AtCeiling()), found["Fairness"])
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

func TestValue(t *testing.T) {
	for v, want := range map[float64]float64{123456: 123456, 1.23456789: 1.2346, 2.6123456e9: 2.6123e9, 0: 0, 48e6: 48e6} {
		require.Equal(t, benchfmt.Value{Value: want, Unit: "u"}, value(v, "u"))
	}
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
		got, err := v.run(c.procs, func() error { sum += c.waited[attempts]; attempts++; return nil })
		require.NoError(t, err)
		require.Equal(t, len(c.waited), attempts, name)
		require.Equal(t, []benchfmt.Value{value(c.repeats, RepeatsUnit), value(c.lacked, WaitedUnit)}, got, name)
	}
	_, err := supervised.run(1, func() error { return errCounted })
	require.ErrorIs(t, err, errCounted)
	got, err := supervisor{}.run(alone(subject.Subject{Engine: subject.Redis}, 2), func() error { return nil })
	require.NoError(t, err)
	require.Nil(t, got, "who shares the processors with a server waits for it")
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

func (s *served) Drawer() subject.Drawer { return s }
func (s *served) Step() int64            { return 10 + s.drawn.Load() }

func (s *served) cell(paces ...float64) []Task {
	return inRounds("paced", 3,
		paced(Profile{PacedFor: time.Millisecond, Paces: paces}, []subject.Subject{s.subject()})[:1])
}

// TestPacedCountsAll: every number but the first of a source is counted, and every round trip for
// them, those that the server counts late, too. The source stays open from round to round.
func TestPacedCountsAll(t *testing.T) {
	s := &served{}
	lines := recorded(t, s.cell(1e5))
	require.Len(t, lines, 3+1)
	numbers := 0.0
	for _, r := range lines[:3] {
		require.Regexp(t, "^Paced/subject=served/rate=100000-", string(r.Name))
		ids, _ := r.Value("IDs")
		trips, _ := r.Value(TripsUnit)
		step, _ := r.Value(StepUnit)
		numbers += ids
		require.EqualValues(t, r.Iters, ids)
		require.Equal(t, 3*ids, trips)
		require.Equal(t, 10+1+numbers, step)
	}
	require.Regexp(t, "^PacedMerged/subject=served/rate=100000-", string(lines[3].Name))
	require.EqualValues(t, numbers, lines[3].Iters)
	require.EqualValues(t, s.drawn.Load(), 1+numbers)
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
	for _, c := range paced(Profile{Paces: []float64{0}}, append(subject.Local(), subject.Served(nil, nil)...)) {
		names = append(names, c.name)
	}
	require.Equal(t, "Paced/subject=segment-mysql/rate=full "+
		"Paced/subject=mysql-auto-increment/rate=full Paced/subject=mysql-hilo/rate=full "+
		"Paced/subject=segment-redis/rate=full Paced/subject=redis-incr/rate=full Paced/subject=nothing/rate=full",
		strings.Join(names, " "))
	for what, s := range map[string]*served{
		"first draw": {counted: counted{fails: 1}},
		"a draw":     {counted: counted{fails: 5}},
		"the server": {broken: errCounted},
	} {
		if what == "first draw" {
			s.drawn.Store(1)
		}
		err := s.cell(0)[0].Run(&Recorder{})
		require.ErrorIs(t, err, errCounted, what)
		require.ErrorContains(t, err, "served/rate=full", what)
		require.EqualValues(t, 1, s.closed.Load(), what)
	}
}
