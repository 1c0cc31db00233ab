package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func read(t testing.TB, text string) *Results {
	t.Helper()
	return must(Read(write(t, text)))
}

// must returns what a call has that the test cannot go on without.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func rowsOf(name string, r *Results) []string {
	for _, table := range Tables {
		if table.Name == name {
			return strings.Split(table.Markdown(r), "\n")
		}
	}
	panic(name)
}

// TestSaved: the tables and charts of the documents are those of the saved results.
func TestSaved(t *testing.T) {
	r := must(Read("../results/full.txt"))
	for _, document := range []string{"../README.md", "../../README.md", "../../docs/performance.md"} {
		text := must(os.ReadFile(document))
		require.Regexp(t, marked, string(text))
		drawn := write(t, string(text))
		require.NoError(t, FillIn(r, drawn))
		require.Equal(t, string(must(os.ReadFile(drawn))), string(text), "go run . results/full.txt")
		for _, picture := range regexp.MustCompile(`\(([^):]+\.svg)\)`).FindAllStringSubmatch(string(text), -1) {
			require.FileExists(t, filepath.Join(filepath.Dir(document), picture[1]))
		}
	}
	folder := t.TempDir()
	require.NoError(t, Draw(r, folder))
	for _, c := range charts {
		svg := must(os.ReadFile(filepath.Join(folder, c.file)))
		saved := must(os.ReadFile(filepath.Join("../charts", c.file)))
		require.True(t, bytes.Equal(saved, svg), "%s: go run . results/full.txt", c.file)
	}
}

func TestRead(t *testing.T) {
	r := read(t, `cpu: A Processor

BenchmarkScale/subject=snowflake-16/goroutines=8-2 100 40.5 ns/op 2.469e+07 IDs/s
BenchmarkScale/subject=snowflake-16/goroutines=8-2 100 42 ns/op 2.38e+07 IDs/s
BenchmarkScale/subject=snowflake-16/goroutines=8-2 100 100 ns/op 2.38e+07 IDs/s
BenchmarkLatency/subject=xid/goroutines=2-2 9 90 p50-ns 1500 p99.9-ns 7 max-ns
`)
	require.Equal(t, "A Processor", r.Config["cpu"])
	// As they were written, and not in the reader's units. The number at the end of a name is the
	// processors', and no part of the subject.
	require.Equal(t, []float64{40.5, 42, 100}, r.pick("Scale/subject=snowflake-16/goroutines=8/gomaxprocs=2", "ns/op"))
	require.Equal(t, summary{42, 40.5, 100, 3}, r.sum("Scale", "ns/op"))
	require.Equal(t, []float64{1500}, r.pick("Latency/subject=xid", "p99.9-ns"))
	require.Empty(t, r.pick("Scale/subject=snowflake", "ns/op"))
	require.Empty(t, r.pick("Scale", "p50-ns"))
	require.Equal(t, []float64{8}, r.numbers("Scale", "goroutines"))
	require.Equal(t, []string{"snowflake-16"}, r.words("Scale", "subject"))

	_, err := Read(write(t, "BenchmarkScale/subject=xid-2 100 forty ns/op\n"))
	require.ErrorContains(t, err, "x:1")
	_, err = Read(write(t, "cpu: A Processor\n"))
	require.ErrorIs(t, err, errEmpty)
	_, err = Read(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestPaced: a pace that a source does not reach is told, and its calls are not shown as calls at
// that pace.
func TestPaced(t *testing.T) {
	const name = "BenchmarkPaced/subject=redis-incr/rate="
	r := read(t, name+"full-2 50 90 p50-ns 80000 max-ns 50000 IDs/s 50000 IDs 50000 round-trips 1 step\n"+
		name+"100000-2 50 91 p50-ns 80001 max-ns 89999 IDs/s 50000 IDs 50001 round-trips 1 step\n"+
		name+"20000-2 20 92 p50-ns 80002 max-ns 18000 IDs/s 20000 IDs 0 round-trips 7 step\n")
	rows := rowsOf("paced", r)[2:]
	require.Len(t, rows, 3)
	require.Equal(t, "| Redis, INCR | 20,000 | 18.0 k [18.0–18.0 k] | none for 20,000 | 7 | "+
		"92.0 ns [92.0–92.0 ns] |  |  | 80.0 µs [80.0–80.0 µs] |", rows[0])
	const failed = "| Redis, INCR | 100,000 | not reached: 90.0 k [90.0–90.0 k] | 1,000,020 | 1 |  |  |  |  |"
	require.Equal(t, failed, rows[1])
	require.Contains(t, rows[2], "| as many as it can | 50.0 k [50.0–50.0 k] | 1,000,000 | 1 | 90.0 ns")
}

// TestMergedPercentiles: where a file has the calls of all rounds together, theirs are the
// percentiles, and the rounds' are the range; elsewhere the rounds' median stands.
func TestMergedPercentiles(t *testing.T) {
	const name = "BenchmarkLatency/subject=xid/goroutines=8-2 9 "
	const rounds = name + "50 p50-ns 100 p99-ns 9 max-ns\n" +
		name + "60 p50-ns 100 p99-ns 9 max-ns\n" +
		name + "70 p50-ns 5000 p99-ns 8 max-ns\n"
	old := read(t, rounds)
	require.Equal(t, "| rs/xid | 60.0 ns [50.0–70.0 ns] |  | 100 ns [100 ns–5.00 µs] |  |  | 9.0 ns |",
		rowsOf("latency-8", old)[2])
	merged := read(t, rounds+
		"BenchmarkLatencyMerged/subject=xid/goroutines=8-2 27 61 p50-ns 2000 p99-ns 9000 p99.9-ns\n"+
		"BenchmarkLatencyMerged/subject=ulid/goroutines=8-2 27 1 p50-ns\n")
	require.Equal(t, "| rs/xid | 61.0 ns [50.0–70.0 ns] |  | 2.00 µs [100 ns–5.00 µs] | "+
		"9.00 µs [9.00–9.00 µs] |  | 9.0 ns |", rowsOf("latency-8", merged)[2],
		"no round has calls enough for p99.9")
	for _, r := range []*Results{old, merged} {
		require.Equal(t, r == merged,
			strings.Contains(fmt.Sprint(rowsOf("machine", r)), "of the calls of all rounds together"))
	}
}

// TestRatios: of the same round, not of the medians.
func TestRatios(t *testing.T) {
	const scale = "BenchmarkScale/subject=%s/goroutines=2-2 9 %g ns/op\n"
	text := "gomaxprocs: 2\n\n"
	for i, times := range []float64{1.5, 1.2, 1.1} {
		add := float64(int(10) << i)
		text += fmt.Sprintf(scale, "atomic-add", add) + fmt.Sprintf(scale, "uid-cached", add*times)
	}
	rows := rowsOf("ratios", read(t, text+fmt.Sprintf(scale, "uid-lane", 1.0))) // of one round only
	require.Equal(t, "| call | 2 goroutines |", rows[0])
	require.Equal(t, "| uid cached, GetUID | 1.20 [1.10–1.50] |", rows[2])
	require.Equal(t, "| uid cached, Lane |  |", rows[3])
	require.Equal(t, "| the add itself | 20.0 ns [10.0–40.0 ns] |", rows[4], "others were not measured at all")
}

// TestFairness: in the order of layouts.
func TestFairness(t *testing.T) {
	const line = "BenchmarkFairness/round=1/subject=%s-2 1 1000 p50-ns 3000 max-ns 12800 IDs/s 0.25 processors\n"
	rows := rowsOf("fairness", read(t, fmt.Sprintf(line, "sonyflake")+fmt.Sprintf(line, "uid-cached-256")))[2:]
	require.Equal(t, []string{
		"| uid cached, 256 in 10 ms | 1.00 µs [1.00–1.00 µs] |  | 3.00 µs | 0.50 | 0.25 |",
		"| sony/sonyflake v1 | 1.00 µs [1.00–1.00 µs] |  | 3.00 µs | 0.50 | 0.25 |",
	}, rows)
	// The page has the generator that most take.
	rows = rowsOf("waiting", read(t, fmt.Sprintf(line, "uid-uncached-256")+fmt.Sprintf(line, "sonyflake")))[2:]
	require.Equal(t, []string{"| sony/sonyflake v1 | 1.00 µs [1.00–1.00 µs] |  |"}, rows)
}

// TestLackingProcessorTimeIsSaid, and nothing is where a file does not tell.
func TestLackingProcessorTimeIsSaid(t *testing.T) {
	const name = "BenchmarkScale/subject=xid/goroutines=8-2 9 5 ns/op "
	require.NotContains(t, fmt.Sprint(rowsOf("machine", read(t, name+"\n"))), "processor time")
	lacking := read(t, name+"0 repeats 0.01 waited/processor-time\n"+name+"2 repeats 0.1 waited/processor-time\n"+
		name+"3 repeats 0.4 waited/processor-time\n"+name+"\n")
	require.Contains(t, fmt.Sprint(rowsOf("machine", lacking)),
		"of 3 measurements without servers 2 lacked it and were repeated; 1 lack it as they stand here")
}

// TestFillIn: a run of a few phases and subjects has tables and charts, too.
func TestFillIn(t *testing.T) {
	few := read(t, "BenchmarkScale/subject=somebody/goroutines=1-1 1 5 ns/op 2e+08 IDs/s\n"+
		"BenchmarkInsert/key=new-1 1 2 rows/s 3 rows 4 table-bytes\n")
	const before = "# A\n<!-- bench:insert -->\nold\n<!-- /bench -->\nB\n<!-- bench:lead -->\n<!-- /bench -->\nC\n"
	path := write(t, before)
	require.NoError(t, FillIn(few, path))
	text := must(os.ReadFile(path))
	require.Regexp(t, `(?s)^# A\n<!-- bench:insert -->\n\n\|.*\| new \|.*\|\n\n<!-- /bench -->\n`+
		`B\n<!-- bench:lead -->\n\nNot measured yet.\n\n<!-- /bench -->\nC\n$`, string(text))
	for _, table := range Tables {
		require.NotPanics(t, func() { table.Text(few) }, table.Name)
	}
	require.NoError(t, Draw(few, t.TempDir()))

	unknown := write(t, before+"<!-- bench:nothing -->\n<!-- /bench -->\n")
	require.ErrorContains(t, FillIn(few, unknown), `"nothing"`)
	require.Equal(t, before+"<!-- bench:nothing -->\n<!-- /bench -->\n", string(must(os.ReadFile(unknown))))
}

// TestNastyResults: results that crowd a chart, or of which it has few, are drawn, too.
func TestNastyResults(t *testing.T) {
	for name, rate := range map[string]func(subject, goroutines int) float64{
		"all the same":   func(int, int) float64 { return 24.4e6 },
		"all decades":    func(s, g int) float64 { return math.Pow(10, float64(s%19)-3) * float64(g) },
		"nothing at all": func(int, int) float64 { return 0 },
	} {
		for _, goroutines := range [][]int{{1, 2, 3, 4, 64}, {8}} {
			var b strings.Builder
			b.WriteString("gomaxprocs: 64\n\n")
			for i, s := range subjects {
				for _, g := range goroutines {
					fmt.Fprintf(&b, "BenchmarkScale/subject=%s/goroutines=%d-64 1 %g ns/op %[3]g IDs/s\n",
						s.Name, g, rate(i, g))
				}
				fmt.Fprintf(&b, "BenchmarkLatency/subject=%s/goroutines=64-64 1 %g p50-ns %[2]g p99.9-ns\n",
					s.Name, rate(i, 64))
				fmt.Fprintf(&b, "BenchmarkInsert/key=%s-64 1 %g rows/s 12345 rows\n", s.Name, rate(i, 64))
			}
			r := read(t, b.String())
			for _, c := range charts {
				if svg, err := c.draw(r); err != errNothing {
					require.NoError(t, err, "%s, %s", name, c.file)
					require.NotRegexp(t, "NaN|Inf", string(svg), "%s, %s", name, c.file)
					require.Contains(t, string(svg), "font-family:Arial,")
				}
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		significant(0, 3): "0", significant(1.2345, 3): "1.23", significant(99.96, 3): "100",
		significant(123456, 3): "123000", significant(0.012345, 3): "0.0123",
		count(5): "5.00", count(999): "999", count(8192): "8.19 k", count(4096e3): "4.10 M",
		count(2.6e9): "2.60 G", count(999.9e3): "1.00 M", count(0): "0",
		span(0): "0 ns", span(0.33): "0.33 ns", span(5.5): "5.5 ns", span(63.5): "63.5 ns", span(244.14): "244 ns",
		span(39062): "39.1 µs", span(1.5e6): "1.50 ms", span(2e9): "2.00 s",
		seconds(0): "0 s", seconds(1.25): "1.2 s", seconds(7200): "2.0 h", seconds(1200): "1200 s",
		seconds(864000):                           "10 days",
		ranged(summary{5.5, 5, 6, 9}, span):       "5.5 ns [5.0–6.0 ns]",
		ranged(summary{1000, 900, 1100, 9}, span): "1.00 µs [900 ns–1.10 µs]",
		ranged(summary{}, span):                   "",
		grouped(1 << 30):                          "1,073,741,824",
		grouped(2.5):                              "3",
	} {
		require.Equal(t, want, got)
	}
}
