package main

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"github.com/uidgen/uid/benchmarks/measure"
	"github.com/uidgen/uid/benchmarks/report"
)

// TestMeasureAndShow is the whole way from measurements to pictures, of what needs no server.
func TestMeasureAndShow(t *testing.T) {
	const pattern = "(Scale|Latency|Allocations|Memory|Idle|Lead|Paced|Fairness|Unique)//" +
		"(subject=(uid-cached|xid|nothing|uid-cached-256)|layout=.*)$"
	run := exec.Command("go", "test", "./measure", "-run", "^$", "-bench", pattern, "-profile", "smoke")
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	file := filepath.Join(t.TempDir(), "results.txt")
	require.NoError(t, os.WriteFile(file, out, 0o644))

	lines, calls, orders := make(map[string]int), make(map[string]float64), make(map[string][]string)
	for in := benchfmt.NewReader(bytes.NewReader(out), file); in.Scan(); {
		r, ok := in.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		base, _, _ := strings.Cut(string(r.Name), "/")
		lines[base]++
		for _, v := range r.Values {
			require.False(t, math.IsNaN(v.Value) || math.IsInf(v.Value, 0), string(r.Name))
		}
		n, _ := r.Value("calls")
		calls[base] += n
		if duplicates, ok := r.Value("duplicates"); ok {
			require.Zero(t, duplicates)
		}
		if parts := strings.Split(string(r.Name), "/"); base == "Scale" {
			orders[parts[1]] = append(orders[parts[1]], strings.Join(parts[2:], "/"))
		}
	}
	smoke := measure.Smoke()
	require.Equal(t, 2, smoke.Rounds)
	require.Equal(t, 2, lines["Memory"], "xid has no generator of its own")
	require.Equal(t, 2*smoke.Windows, lines["Idle"])
	require.Equal(t, 2*2*len(smoke.LeadRates), lines["Lead"])
	require.Equal(t, 3*smoke.UniqueRounds, lines["Unique"], "xid again at the rate that it can bear")
	for _, name := range []string{"Latency", "Paced", "Fairness"} {
		require.Positive(t, lines[name], name)
		require.Equal(t, lines[name], 2*lines[name+measure.MergedSuffix], name)
		require.Equal(t, calls[name], calls[name+measure.MergedSuffix], "%s: a call was lost or counted twice", name)
	}
	// Each round measures everything once, in an order of its own.
	require.Len(t, orders, 2)
	require.NotEqual(t, orders["round=1"], orders["round=2"])
	require.ElementsMatch(t, orders["round=1"], orders["round=2"])
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(orders["round=1"]))), len(orders["round=1"]))

	// Where it was, without the machine's name: results are published.
	results, err := report.Read(file)
	require.NoError(t, err)
	host, err := os.Hostname()
	require.NoError(t, err)
	for key, value := range results.Config {
		require.NotEqual(t, host, value, key)
		require.NotContains(t, value, string(filepath.Separator)+"home")
	}
	require.Equal(t, strconv.Itoa(smoke.Rounds), results.Config["rounds"])
	require.Contains(t, results.Config["peers"], "github.com/rs/xid@v1.")
	for _, key := range []string{"cpu", "cores", "gomaxprocs", "go", "date", "command", "profile"} {
		require.NotEmpty(t, results.Config[key], key)
	}
	require.NotContains(t, results.Config, "database", "nothing needed one")

	charts := filepath.Join(t.TempDir(), "charts")
	var text strings.Builder
	require.NoError(t, show(&text, file, charts, nil))
	require.Contains(t, text.String(), "rs/xid")
	require.FileExists(t, filepath.Join(charts, "scale.svg"))
	require.NoFileExists(t, filepath.Join(charts, "insert.svg"))
}
