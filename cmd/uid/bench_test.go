package main

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var benchCalls = []string{"atomic add", "cached GetUID", "cached Unordered", "cached Lane", "cached Fill", "uncached GetUID"}

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
		require.LessOrEqual(t, r.Low, r.NS)
		require.LessOrEqual(t, r.NS, r.High)
		require.InEpsilon(t, 1e9/r.NS, r.Rate, 0.001)
		if r.Call == benchCalls[0] {
			require.Equal(t, 1.0, r.TimesAdd)
		}
		most = max(most, r.Goroutines)
	}
	require.Equal(t, 8*runtime.GOMAXPROCS(0), most)
}

// A long bench ends with the interruption, as gen does.
func TestBenchInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, stderr bytes.Buffer
	p := &program{stdout: &out, stderr: &stderr, getenv: noEnv}
	p.begin()
	c := &bench{program: p, length: spanFlag(10_000 * time.Hour), format: table}
	require.Equal(t, exitInterrupted, p.end(c.run(ctx)))
	require.Equal(t, "uid: interrupted\n", stderr.String())
	require.Empty(t, out.String())
}

func TestTimesAdd(t *testing.T) {
	turns := func(goroutines int, ns ...float64) *heat { return &heat{goroutines: goroutines, ns: ns} }
	// The machine became slower in the third turn, for both: that says nothing.
	require.Equal(t, []float64{1, 3, 1, 0.5}, timesAdd([]*heat{
		turns(1, 10, 10, 100), turns(1, 30, 20, 300),
		turns(2, 4, 4, 4), turns(2, 2, 1, 3),
	}))
}

func TestRateBar(t *testing.T) {
	for rate, want := range map[float64]string{
		0: "", 5e5: "", 1e6: "", 2e6: "█", 1.0906e6: "▏", 4e6: "██", 3e6: "█▋", 1024e6: "██████████", 1.834e6: "▉",
	} {
		require.Equal(t, want, rateBar(rate), rate)
	}
}
