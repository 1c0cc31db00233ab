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

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
	"pgregory.net/rapid"

	"github.com/uidgen/uid/benchmarks/subject"
	"github.com/uidgen/uid/bits"
)

// A counted subject makes the numbers 0, 1, 2 … modulo `modulo`, and fails at `fails`.
type counted struct {
	modulo, fails int64
	drawn         atomic.Int64
	closed        atomic.Int64
}

var errCounted = errors.New("no more")

func (c *counted) subject() subject.Subject {
	return subject.Subject{Name: "counted", Open: func() (subject.Source, error) { return c, nil }}
}

func (c *counted) Drawer() subject.Drawer { return c }
func (c *counted) Close() error           { c.closed.Add(1); return nil }

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

func one() (int, error) { return 1, nil }

func TestRateCountsWhatIsDrawn(t *testing.T) {
	c := &counted{}
	n, took, err := rate(c.subject(), 5, func() (int, error) { return 7, nil }, 5*time.Millisecond)
	require.NoError(t, err)
	require.Positive(t, took)
	require.EqualValues(t, c.drawn.Load()-1, n, "all but the first one, which was drawn before")
	require.Zero(t, n%7)
	require.EqualValues(t, 1, c.closed.Load())
}

// TestRateOfNoTime: each goroutine draws once, or a rate could be that of nothing.
func TestRateOfNoTime(t *testing.T) {
	n, _, err := rate((&counted{}).subject(), 50, one, 0)
	require.NoError(t, err)
	require.GreaterOrEqual(t, n, 50)
}

func TestFailuresAreTold(t *testing.T) {
	for _, fails := range []int64{1, 2, 1000} {
		c := &counted{fails: fails}
		_, _, err := rate(c.subject(), 3, one, 50*time.Millisecond)
		require.ErrorIs(t, err, errCounted)
		require.EqualValues(t, 1, c.closed.Load())
		c = &counted{fails: fails}
		_, err = timed(c.subject(), 3, Profile{Latency: time.Hour, LatencyMost: time.Hour, LatencySamples: math.MaxInt})
		require.ErrorIs(t, err, errCounted)
		c = &counted{fails: fails}
		_, _, err = keep(c.subject(), 0, 1e5)
		require.ErrorIs(t, err, errCounted)
	}
	broken := subject.Subject{Name: "broken", Open: func() (subject.Source, error) { return nil, errCounted }}
	p := Smoke()
	for _, tasks := range [][]Task{
		scale(p, []subject.Subject{broken}), latency(p, []subject.Subject{broken})[:1], allocations(p, []subject.Subject{broken}),
		memory(p, []subject.Subject{broken}), unique(p, []subject.Subject{broken}),
	} {
		require.ErrorIs(t, tasks[0].Run(NewRecorder(benchfmt.NewWriter(&bytes.Buffer{}), nil)), errCounted)
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
	h := hdrhistogram.New(1, longest, 3)
	for i := range int64(100) {
		require.NoError(t, h.RecordValue(i+1))
	}
	require.Equal(t, []benchfmt.Value{value(50, "p50-ns"), value(90, "p90-ns"), value(99, "p99-ns"), value(100, "max-ns")}, percentiles(h))
	require.NoError(t, h.RecordValues(200, 10_000-100))
	require.Len(t, percentiles(h), len(Percentiles)+1)
}

func TestDuplicates(t *testing.T) {
	require.Zero(t, Duplicates(nil))
	rapid.Check(t, func(t *rapid.T) {
		// Words that differ in their low bits only, and in their high bits only.
		word := rapid.OneOf(rapid.Uint64Range(0, 30), rapid.Map(rapid.Uint64Range(0, 30), func(v uint64) uint64 { return v << 58 }))
		ids := rapid.SliceOfN(rapid.Map(rapid.SliceOfN(word, 2, 2), func(w []uint64) subject.Key { return subject.Key{w[0], w[1]} }), 0, 300).Draw(t, "ids")
		different := make(map[subject.Key]bool)
		for _, k := range ids {
			different[k] = true
		}
		require.Equal(t, len(ids)-len(different), Duplicates(ids))
	})
	// Many, so that buckets hold many; each second one comes twice.
	var ids []subject.Key
	for i := range uint64(200_000) {
		ids = append(ids, subject.Key{i, i << 32})
		if i%2 == 0 {
			ids = append(ids, subject.Key{i, i << 32})
		}
	}
	require.Equal(t, 100_000, Duplicates(ids))
}

func TestKeepKeepsAll(t *testing.T) {
	const most = 80_000
	c := &counted{modulo: 1000}
	ids, took, err := keep(c.subject(), 0, most)
	require.NoError(t, err)
	require.Positive(t, took)
	require.Len(t, ids, most)
	require.Equal(t, most-1000, Duplicates(ids))

	c = &counted{}
	ids, _, err = keep(c.subject(), 0, most)
	require.NoError(t, err)
	slices.SortFunc(ids, func(a, b subject.Key) int { return int(a[0]) - int(b[0]) })
	for i, k := range ids {
		require.Equal(t, subject.Key{uint64(i)}, k)
	}
}

// TestKeepHoldsThePace: no more than the pace allows in the time that it took, and the
// chunks that goroutines were at.
func TestKeepHoldsThePace(t *testing.T) {
	const pace = 50_000
	ids, took, err := keep((&counted{}).subject(), pace, 9e5)
	require.NoError(t, err)
	require.LessOrEqual(t, float64(len(ids)), pace*took.Seconds()+uniqueGoroutines*chunk)
	require.NotEmpty(t, ids)
}

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
		require.Positive(t, task.Estimate, task.Phase)
		phases[task.Phase]++
	}
	require.Equal(t, 3*len(p.loads())*len(subjects), phases["scale"])
	require.Equal(t, 3*2, phases["memory"], "xid has no generator of its own")
	require.Equal(t, 2+1, phases["unique"], "xid again at the rate that it can bear; an add makes no IDs")
	require.Equal(t, 3*len(p.Paces), phases["paced"], "none of them needs a server: the timer alone")
	require.Equal(t, 3*len(subject.AtCeiling()), phases["fairness"])
	require.Equal(t, 3*len(keyKinds), phases["insert"])
	_, err = Plan(p, subjects, []string{"speed"}, noDB)
	require.ErrorContains(t, err, `"speed"`)
	require.ErrorContains(t, err, "scale")
	err = tasks[len(tasks)-1].Run(NewRecorder(benchfmt.NewWriter(&bytes.Buffer{}), nil))
	require.ErrorIs(t, err, errCounted)
}

// TestRounds: every cell once in each round, in another order each time, in the same
// orders in every run.
func TestRounds(t *testing.T) {
	var cells []Task
	for i := range 20 {
		cells = append(cells, Task{Phase: fmt.Sprint(i)})
	}
	order := func() (out []string) {
		for _, task := range inRounds(3, cells) {
			out = append(out, task.Phase)
		}
		return out
	}
	got := order()
	require.Equal(t, got, order())
	require.Len(t, got, 60)
	for round := range slices.Chunk(got, 20) {
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(round))), 20)
	}
	require.NotEqual(t, got[:20], got[20:40])
	require.NotEqual(t, got[20:40], got[40:])
}

func TestLoads(t *testing.T) {
	all := runtime.GOMAXPROCS(0)
	for _, p := range []Profile{Full(), Quick(), Smoke()} {
		loads := p.loads()
		require.Equal(t, len(loads), len(slices.Compact(slices.SortedFunc(slices.Values(loads), func(a, b load) int {
			return (a.procs-b.procs)*1000 + a.goroutines - b.goroutines
		}))))
		require.Contains(t, loads, load{all, 1})
	}
	require.Equal(t, []int{1, 2, 4, 8, 16, 32, 64}, Full().Goroutines)
	require.Equal(t, []int{1, 2, 4, 6}, powers(6))
	require.GreaterOrEqual(t, Full().Rounds, 10)
	require.GreaterOrEqual(t, Quick().Rounds, 10)
}

// TestResultsAreReadable runs the phases that need no server, and reads the lines.
func TestResultsAreReadable(t *testing.T) {
	p := Smoke()
	p.UniqueIDs = 8000
	subjects, err := subject.Matching(subject.Local(), "^(uid-cached|uid-lane|xid)$")
	require.NoError(t, err)
	tasks, err := Plan(p, subjects, []string{"scale", "latency", "allocations", "memory", "idle", "lead", "paced", "fairness", "unique"}, nil)
	require.NoError(t, err)
	var out bytes.Buffer
	recorder := NewRecorder(benchfmt.NewWriter(&out), []benchfmt.Config{{Key: "cpu", Value: []byte("A Processor"), File: true}})
	for _, task := range tasks {
		require.NoError(t, task.Run(recorder))
	}
	found := make(map[string]int)
	in := benchfmt.NewReader(&out, "out")
	for in.Scan() {
		result, ok := in.Result().(*benchfmt.Result)
		require.True(t, ok, in.Result())
		require.Equal(t, "A Processor", result.GetConfig("cpu"))
		base, parts := result.Name.Parts()
		found[string(base)]++
		require.True(t, strings.HasPrefix(string(parts[len(parts)-1]), "-"), string(result.Name))
		for _, v := range result.Values {
			require.False(t, math.IsNaN(v.Value) || math.IsInf(v.Value, 0), string(result.Name))
		}
		if string(base) == "Unique" {
			duplicates, ok := result.Value("duplicates")
			require.True(t, ok)
			require.Zero(t, duplicates)
		}
	}
	require.NoError(t, in.Err())
	for _, base := range []string{"Scale", "Latency", "Allocations", "Memory", "Idle", "Lead", "Paced", "Fairness", "Unique"} {
		require.Positive(t, found[base], base)
	}
}

func TestWithProcs(t *testing.T) {
	was := runtime.GOMAXPROCS(0)
	require.ErrorIs(t, withProcs(was+1, func() error {
		require.Equal(t, was+1, runtime.GOMAXPROCS(0))
		return errCounted
	}), errCounted)
	require.Equal(t, was, runtime.GOMAXPROCS(0))
}

// TestLead: what is drawn beyond a tick's UIDs is borrowed, less the time that passes.
func TestLead(t *testing.T) {
	layout := leadLayout(t, "twitter")
	began := time.Now()
	n, _, ahead, err := borrowed(layout, 0, 20*time.Millisecond)
	passed := time.Since(began)
	require.NoError(t, err)
	ticks := time.Duration(n/4096) * time.Millisecond
	require.LessOrEqual(t, ahead, ticks+time.Millisecond)
	require.GreaterOrEqual(t, ahead, ticks-passed-2*time.Millisecond)
}

func TestWatchCountsTheProcessor(t *testing.T) {
	before, err := processorTime()
	require.NoError(t, err)
	after := before
	for i := 0; after == before; i++ { // works until it is seen
		after, err = processorTime()
		require.NoError(t, err)
	}
	require.Greater(t, after, before)
}

func TestValue(t *testing.T) {
	for v, want := range map[float64]float64{123456: 123456, 1.23456789: 1.2346, 2.6123456e9: 2.6123e9, 0: 0, 48e6: 48e6} {
		require.Equal(t, benchfmt.Value{Value: want, Unit: "u"}, value(v, "u"))
	}
}

func leadLayout(t *testing.T, name string) bits.Layout {
	t.Helper()
	l, err := bits.Preset(name)
	require.NoError(t, err)
	return l
}
