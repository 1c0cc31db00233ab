package main

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var benchCalls = []string{
	"atomic add", "cached GetUID", "cached Unordered", "cached Lane", "cached Fill", "uncached GetUID",
}

// TestBenchTable looks at the form, since the numbers are another each time.
func TestBenchTable(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(ok(t, "bench", "--time", "30ms"), "\n"), "\n")
	require.Regexp(t, `^  at + million$`, lines[0])
	require.Regexp(t, `^once + ns/UID + from +to +× add + UIDs/s$`, lines[1])
	require.Regexp(t, `^─+$`, lines[2])
	row := regexp.MustCompile(`^ +\d+  (.{16})  +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d +\d+\.\d(  [█▏▎▍▌▋▊▉]+)?$`)
	var calls []string
	for _, line := range lines[3:] {
		require.Regexp(t, row, line)
		calls = append(calls, strings.TrimSpace(row.FindStringSubmatch(line)[1]))
	}
	require.Equal(t, slices.Concat(benchCalls, benchCalls, benchCalls)[:len(calls)], calls)
	require.GreaterOrEqual(t, len(calls), 2*len(benchCalls))
}

func TestBenchJSON(t *testing.T) {
	type row struct {
		Goroutines int
		Call       string
		NS         float64
		Low        float64 `json:"ns_low"`
		High       float64 `json:"ns_high"`
		TimesAdd   float64 `json:"times_add"`
		Rate       float64 `json:"uids_per_second"`
	}
	var most int
	for line := range strings.Lines(ok(t, "bench", "--time", "30ms", "--format", "json")) {
		var r row
		decode := json.NewDecoder(strings.NewReader(line))
		decode.DisallowUnknownFields()
		require.NoError(t, decode.Decode(&r))
		require.Contains(t, benchCalls, r.Call)
		require.Positive(t, r.Low)
		require.IsNonDecreasing(t, []float64{r.Low, r.NS, r.High})
		require.InEpsilon(t, 1e9/r.NS, r.Rate, 0.001)
		if r.Call == benchCalls[0] {
			require.Equal(t, 1.0, r.TimesAdd)
		}
		most = max(most, r.Goroutines)
	}
	require.Equal(t, 8*runtime.GOMAXPROCS(0), most)
}

func TestTimesAdd(t *testing.T) {
	turns := func(goroutines int, ns ...float64) *heat { return &heat{goroutines: goroutines, ns: ns} }
	// The machine became slower in the third turn, for both: that says nothing.
	for i, r := range summed([]*heat{
		turns(1, 10, 10, 100), turns(1, 30, 20, 300),
		turns(2, 4, 4, 4), turns(2, 2, 1, 3),
	}) {
		require.Equal(t, []float64{1, 3, 1, 0.5}[i], r.TimesAdd)
	}
}

func TestRateBar(t *testing.T) {
	for rate, want := range map[float64]string{
		0: "", 5e5: "", 1e6: "", 2e6: "█", 1.0906e6: "▏", 4e6: "██", 3e6: "█▋", 1024e6: "██████████", 1.834e6: "▉",
	} {
		require.Equal(t, want, rateBar(rate), rate)
	}
}

// TestBenchCores measures on one core, and looks at the form.
func TestBenchCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	people, block, found := strings.Cut(ok(t, "bench", "--cores", "--time", "10ms"), "\nTo send in:\n\n")
	require.True(t, found)
	lines := strings.Split(strings.TrimSuffix(people, "\n"), "\n")
	require.Regexp(t, `^cores +ns/UID +from +to +× add +from +to +UIDs/s$`, lines[1])
	require.Len(t, lines, 3+coreCalls)
	require.Regexp(t, `^ +1  atomic add .* 1\.00 +1\.00 +1\.00 +\d+\.\d$`, lines[3])

	r := reportIn(t, block)
	require.Equal(t, runtime.Version(), r.Go)
	require.Equal(t, []string{runtime.GOOS, runtime.GOARCH}, []string{r.GOOS, r.GOARCH})
	require.Equal(t, runtime.NumCPU(), r.Cores)
	require.Equal(t, 1, r.Procs)
	require.NotEmpty(t, r.CPU)
	require.Len(t, r.Results, coreCalls)
	for i, x := range r.Results {
		require.Equal(t, benchCalls[i], x.Call)
		require.Equal(t, 1, x.Cores)
		require.Positive(t, x.Low)
		require.IsNonDecreasing(t, []float64{x.Low, x.NS, x.High})
		require.IsNonDecreasing(t, []float64{x.TimesLow, x.TimesAdd, x.TimesHigh})
	}
}

const coreCalls = 5 // all but the uncached generator's

func reportIn(t *testing.T, text string) (r coresReport) {
	t.Helper()
	decode := json.NewDecoder(strings.NewReader(text))
	decode.DisallowUnknownFields()
	require.NoError(t, decode.Decode(&r))
	require.Equal(t, "\n", text[decode.InputOffset():], "something behind it")
	return r
}

// listed returns what bench --cores prints of made-up turns on three cores.
func listed(t *testing.T, f format) string {
	t.Helper()
	contenders := make([]contender, len(benchCalls))
	for i, name := range benchCalls {
		contenders[i].name = name
	}
	heats := coreHeats(contenders, 3)
	for i, h := range heats {
		require.Equal(t, h.goroutines, h.procs)
		h.ns = []float64{30 + float64(i), 10 + float64(i), 20 + float64(i)}
	}
	o := inProcess(f, func(r tables) error {
		(&bench{program: r.program, format: f}).listCores(summed(heats))
		return nil
	})
	require.Zero(t, o.code)
	return o.out
}

// TestBenchCoresFormats: a table with a block to send in, the block alone, or rows.
func TestBenchCoresFormats(t *testing.T) {
	_, block, found := strings.Cut(listed(t, table), "\nTo send in:\n\n")
	require.True(t, found)
	line := listed(t, asJSON)
	require.Equal(t, 1, strings.Count(line, "\n"))
	r := reportIn(t, block)
	require.Equal(t, r, reportIn(t, line))
	rows := strings.Split(strings.TrimSuffix(listed(t, plain), "\n"), "\n")
	require.Len(t, rows, 3*coreCalls)
	require.Equal(t, "2\tatomic add\t25\t15\t35\t1\t1\t1\t40000000", rows[coreCalls])
	require.Equal(t, benchResult{Cores: 2, Call: "cached GetUID", NS: 26, Low: 16, High: 36, TimesAdd: 1.04,
		TimesLow: 1.029, TimesHigh: 1.067}, r.Results[coreCalls+1])
}

// TestBenchCoresIsAnonymous: what is sent in has no word of whose machine it is.
func TestBenchCoresIsAnonymous(t *testing.T) {
	var all map[string]any
	require.NoError(t, json.Unmarshal([]byte(listed(t, asJSON)), &all))
	require.Equal(t, []string{"cores", "cpu", "go", "goarch", "gomaxprocs", "goos", "results", "rounds", "seconds",
		"uid"}, slices.Sorted(maps.Keys(all)))
	delete(all, "results")
	rest := must(json.Marshal(all))
	for _, word := range []string{must(os.Hostname()), must(os.Getwd()), "/home"} {
		require.NotContains(t, string(rest), word)
	}
}

func TestCoreCounts(t *testing.T) {
	for most, want := range map[int][]int{
		1: {1}, 2: {1, 2}, 3: {1, 2, 3}, 8: {1, 2, 4, 8}, 12: {1, 2, 4, 8, 12}, 96: {1, 2, 4, 8, 16, 32, 64, 96},
	} {
		require.Equal(t, want, coreCounts(most), most)
	}
}

// A long bench ends with the interruption, as gen does, and as it began: the last heat's GOMAXPROCS is not the
// process's.
func TestBenchInterrupted(t *testing.T) {
	const before = 2 // the first heat has 1
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(before))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, cores := range []bool{false, true} {
		o := inProcess(table, func(r tables) error {
			return (&bench{program: r.program, length: 10_000 * time.Hour, format: table, cores: cores}).run(ctx)
		})
		require.Equal(t, outcome{exitInterrupted, "", "uid: interrupted\n"}, o)
		require.Equal(t, before, runtime.GOMAXPROCS(0))
	}
}
