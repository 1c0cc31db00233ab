package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/benchmarks/measure"
	"github.com/uidgen/uid/benchmarks/report"
)

func small() measure.Profile {
	p := measure.Smoke()
	p.Rounds = 2
	return p
}

// TestRunAndDraw is the whole way from a measurement to a picture, without servers.
func TestRunAndDraw(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "results", "x.txt")
	require.NoError(t, run(t.Context(), small(), "^(uid-|xid|atomic-add)", []string{"scale", "latency"}, out))
	results, err := report.Read(out)
	require.NoError(t, err)
	require.Equal(t, "2", results.Config["rounds"])
	require.Contains(t, results.Config["peers"], "github.com/rs/xid@v1.")
	require.NotContains(t, results.Config, "database", "nothing needed one")
	require.NoError(t, report.Draw(results, filepath.Join(folder, "charts")))
	require.FileExists(t, filepath.Join(folder, "charts", "scale.svg"))
	require.NoFileExists(t, filepath.Join(folder, "charts", "insert.svg"))
	onlyResults(t, out)
}

// TestRunThatEnds leaves the former results alone, and nothing else behind.
func TestRunThatEnds(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.txt")
	require.NoError(t, os.WriteFile(out, []byte("before"), 0o644))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, run(ctx, small(), "^xid$", []string{"scale"}, out), context.Canceled)
	require.ErrorContains(t, run(t.Context(), small(), "^xid$", []string{"speed"}, out), `"speed"`)
	require.Error(t, run(t.Context(), small(), "(", []string{"scale"}, out))
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, "before", string(text))
	onlyResults(t, out)
}

func onlyResults(t *testing.T, out string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(out))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// TestMachineHasNoName: results are published.
func TestMachineHasNoName(t *testing.T) {
	host, err := os.Hostname()
	require.NoError(t, err)
	keys := make(map[string]string)
	for _, c := range localMachine(measure.Full()) {
		keys[c.Key] = string(c.Value)
		require.True(t, c.File)
		require.NotEqual(t, host, string(c.Value))
		require.NotContains(t, string(c.Value), string(filepath.Separator)+"home")
	}
	for _, k := range []string{"cpu", "cores", "gomaxprocs", "go", "date", "command", "profile", "rounds"} {
		require.NotEmpty(t, keys[k], k)
	}
	require.Equal(t, "go run . run --out x.txt --profile full", commandLine([]string{"/tmp/go-build1/exe/benchmarks", "run", "--out", "/home/me/x.txt", "--profile", "full"}))
}

func TestProgress(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	defer f.Close()
	tasks := []measure.Task{{Phase: "scale", Estimate: 30 * time.Second}, {Phase: "lead", Estimate: 10 * time.Second}}
	p := newProgress(f, tasks)
	require.Equal(t, 40*time.Second, p.left(0))
	p.begin(tasks[0])
	p.done(tasks[0])
	// It took twice as long as estimated, and so will the rest.
	require.Equal(t, 20*time.Second, p.left(time.Minute))
	p.begin(tasks[1])
	p.done(tasks[1])
	require.Zero(t, p.left(80*time.Second))
	p.end()
	text, err := os.ReadFile(f.Name())
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Equal(t, "2 measurements, about 40s", lines[0])
	require.Equal(t, "scale: 0 % done, about 40s left", lines[1])
	require.Regexp(t, `^lead: 75 % done, about \d+`, lines[2])
}
