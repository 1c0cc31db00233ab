package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTable reads what two revisions printed in two rounds each.
func TestTable(t *testing.T) {
	var rounds []round
	for r, want := range map[string]float64{"1": 1.367, "2": 1.361} {
		x := round{before: map[key]float64{}, after: map[key]float64{}}
		for when, results := range map[string]map[key]float64{"before": x.before, "after": x.after} {
			text, err := os.ReadFile(filepath.Join("testdata", when+r+".txt"))
			require.NoError(t, err)
			require.NoError(t, parse(string(text), "./cached", results, &x.order))
		}
		require.Len(t, x.before, 6)
		require.Len(t, x.order, 6)
		require.Equal(t, want, x.before[key{"./cached", "Ratio/GetUID/goroutines=1", "×add"}])
		idle := key{"./cached", "Ratio/GetUID/goroutines=1", "wait-op"}
		x.before[idle], x.after[idle] = 0, 0
		rounds = append(rounds, x)
	}
	rounds[0].order = []key{
		{"./cached", "Ratio/GetUID/goroutines=1", "×add"},
		{"./cached", "Ratio/GetUID/goroutines=1", "wait-op"},
		{"./cached", "Ratio/GetUID/goroutines=1", "ns/UID"},
		{"./cached", "Ratio/Fill64/goroutines=1", "×add"},
	}
	var out strings.Builder
	require.NoError(t, writeTable(&out, rounds, regexp.MustCompile("add$|op$")))
	require.Equal(t, `| benchmark | metric | before | after | after/before |
|---|---|---:|---:|---:|
| cached Ratio/GetUID/goroutines=1 | ×add | 1.364 | 1.368 | 1.003 [0.992–1.014] |
| cached Ratio/Fill64/goroutines=1 | ×add | 0.1241 | 0.08328 | 0.671 [0.664–0.678] |
`, out.String())

	delete(rounds[1].after, rounds[0].order[3])
	require.ErrorContains(t, writeTable(io.Discard, rounds, regexp.MustCompile(".")), "after, Ratio/Fill64/goroutines=1 reported no ×add")
	delete(rounds[1].before, rounds[0].order[0])
	require.ErrorContains(t, writeTable(io.Discard, rounds, regexp.MustCompile(".")), "before, Ratio/GetUID/goroutines=1 reported no ×add")
}

// TestNoRatio: of a metric that was zero there is no ratio.
func TestNoRatio(t *testing.T) {
	k := key{".", "A|B", "B/op"}
	var out strings.Builder
	require.NoError(t, writeTable(&out, []round{{map[key]float64{k: 0}, map[key]float64{k: 16}, []key{k}}}, regexp.MustCompile(".")))
	require.Contains(t, out.String(), `| . A\|B | B/op | 0 | 16 | – |`)
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"BenchmarkX 1 2.5 ns/op 3\n", "a number without its unit"},
		{"BenchmarkX 1 fast ns/op\n", "invalid syntax"},
		{"BenchmarkX 1 2 ns/op 3 ns/op\n", "ns/op of X was reported twice"},
		{"BenchmarkX 1 2 ns/op\nBenchmarkX 1 2 ns/op\n", "ns/op of X was reported twice"},
	} {
		var order []key
		require.ErrorContains(t, parse(c.text, ".", map[key]float64{}, &order), c.want, c.text)
	}
	var order []key
	results := map[key]float64{}
	require.NoError(t, parse("goos: linux\nBenchmarkY\nBenchmarkY says no\nBenchmarkZ \t 100\t 1e3 ns/op\t NaN x\nPASS\n", ".", results, &order))
	require.Equal(t, []key{{".", "Z", "ns/op"}, {".", "Z", "x"}}, order)
	require.Equal(t, 1000.0, results[order[0]])
}

func FuzzParse(f *testing.F) {
	f.Add("BenchmarkX-2   1\t 0.13 ×add\t 8 ns/op\nPASS\n")
	f.Add("BenchmarkX 1 2.5 ns/op 3\n")
	f.Fuzz(func(t *testing.T, text string) {
		var order []key
		results := map[key]float64{}
		if parse(text, ".", results, &order) == nil {
			require.Len(t, results, len(order))
			for _, k := range order {
				require.Contains(t, results, k)
				require.NotEmpty(t, k.metric)
			}
		}
	})
}

func TestMedian(t *testing.T) {
	require.Equal(t, 2.0, median([]float64{3, 1, 2}))
	require.Equal(t, 2.5, median([]float64{4, 1, 3, 2}))
}

func TestFlags(t *testing.T) {
	c, err := parseFlags([]string{"-before", "main"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, []string{"./cached", "./default"}, c.packages)
	c, err = parseFlags([]string{"-before", "main", "./bits"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, []string{"./bits"}, c.packages)
	for _, args := range [][]string{{}, {"-before", "main", "-rounds", "0"}, {"-before", "main", "-metrics", "("}, {"-after", "main"}} {
		_, err := parseFlags(args, io.Discard)
		require.Error(t, err, args)
	}
}

// repository makes a repository whose first commit has a slow package, and whose work tree a
// faster one with another benchmark. It becomes the working directory.
func repository(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	write := func(path, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("go.mod", "module example.org/it\n\ngo 1.26.0\n")
	write("it/it.go", "package it\n\nfunc Cost() float64 { return 4 }\n")
	write("it/old_bench_test.go", "package it\n\nimport \"testing\"\n\nfunc BenchmarkIt(b *testing.B) { b.Fatal(\"not today's\") }\n")
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "."},
		{"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "First"},
	} {
		out, err := exec.Command("git", args...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	require.NoError(t, os.Remove("it/old_bench_test.go"))
	write("it/it.go", "package it\n\nfunc Cost() float64 { return 3 }\n")
	write("it/bench_test.go", "package it\n\nimport \"testing\"\n\nfunc BenchmarkIt(b *testing.B) { b.ReportMetric(Cost(), \"cost\") }\n")
}

// clean checks that nothing is left of a comparison.
func clean(t *testing.T) {
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	for _, x := range left {
		require.NotContains(t, x.Name(), "uid-revisions")
	}
	list, err := exec.Command("git", "worktree", "list").Output()
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(list), "\n"), string(list))
}

func TestRun(t *testing.T) {
	repository(t)
	c := config{before: "HEAD", bench: ".", benchtime: "1x", metrics: regexp.MustCompile("cost"), rounds: 2, packages: []string{"./it"}}
	var out strings.Builder
	require.NoError(t, run(t.Context(), c, &out, io.Discard))
	require.Regexp(t, `(?m)^\| it It(-\d+)? \| cost \| 4 \| 3 \| 0\.750 \[0\.750–0\.750\] \|$`, out.String())
	clean(t)

	for _, bad := range []struct {
		change func(*config)
		want   string
	}{
		{func(c *config) { c.before = "nothing" }, `there is no revision "nothing"`},
		{func(c *config) { c.bench = "Other" }, `no benchmark of ["./it"] matches "Other"`},
		{func(c *config) { c.packages = []string{"./other"} }, "package ./other: no file"},
		{func(c *config) { c.packages = []string{"../it"} }, "want a folder of the repository"},
	} {
		c := c
		bad.change(&c)
		require.ErrorContains(t, run(t.Context(), c, io.Discard, io.Discard), bad.want)
		clean(t)
	}

	// An interrupt.
	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, run(ctx, c, io.Discard, writerFunc(func(p []byte) (int, error) {
		if strings.HasPrefix(string(p), "building") {
			cancel()
		}
		return len(p), nil
	})), context.Canceled)
	clean(t)

	// What builds in one revision only.
	require.NoError(t, os.WriteFile("it/new.go", []byte("package it\n\nconst New = 1\n"), 0o644))
	require.NoError(t, os.WriteFile("it/bench_test.go", []byte("package it\n\nvar _ = New\n"), 0o644))
	require.ErrorContains(t, run(t.Context(), c, io.Discard, io.Discard), "building the benchmarks of ./it as before")
	clean(t)
}

// TestOptimise: what is after is built by a profile of itself, and what is before is not.
func TestOptimise(t *testing.T) {
	repository(t)
	real, err := exec.LookPath("go")
	require.NoError(t, err)
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\necho \"$@\" >>"+bin+"/calls\nexec "+real+" \"$@\"\n"), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	c := config{before: "HEAD", bench: ".", benchtime: "1x", metrics: regexp.MustCompile("cost"), rounds: 1, pgo: true, packages: []string{"./it"}}
	require.NoError(t, run(t.Context(), c, io.Discard, io.Discard))
	calls, err := os.ReadFile(filepath.Join(bin, "calls"))
	require.NoError(t, err)
	require.Regexp(t, `^test -c -trimpath -o \S+/it\.before \.
test -c -trimpath -o \S+/it\.after \.
test -c -trimpath -o \S+/it\.after -pgo \S+/cpu\.pprof \.
$`, string(calls))
	clean(t)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
