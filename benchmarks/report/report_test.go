package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write testdata/tables.md anew")

func sample(t testing.TB) *Results {
	t.Helper()
	r, err := Read("testdata/sample.txt")
	require.NoError(t, err)
	return r
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func TestRead(t *testing.T) {
	r, err := Read(write(t, `cpu: A Processor

BenchmarkScale/subject=snowflake-16/goroutines=8-2 100 40.5 ns/op 2.469e+07 IDs/s
BenchmarkScale/subject=snowflake-16/goroutines=8-2 100 42 ns/op 2.38e+07 IDs/s
BenchmarkMemory/subject=snowflake-16-2 200 177 B/generator
BenchmarkLatency/subject=xid/goroutines=2-2 9 90 p50-ns 1500 p99.9-ns 7 max-ns
`))
	require.NoError(t, err)
	require.Equal(t, "A Processor", r.Config["cpu"])
	// As they were written, and not in the reader's units.
	require.Equal(t, []float64{40.5, 42}, r.pick("Scale", "ns/op", labels{"subject": "snowflake-16", "goroutines": "8", "gomaxprocs": "2"}))
	require.Equal(t, []float64{1500}, r.pick("Latency", "p99.9-ns", labels{"subject": "xid"}))
	require.Empty(t, r.pick("Scale", "ns/op", labels{"subject": "snowflake"}))
	// The number at the end of a name is the processors', and no part of the subject.
	require.Equal(t, []float64{177}, r.pick("Memory", "B/generator", labels{"subject": "snowflake-16", "gomaxprocs": "2"}))
	require.Equal(t, []int{8}, r.numbers("Scale", "goroutines", nil))
	require.Equal(t, []string{"snowflake-16"}, r.words("Scale", "subject"))
}

func TestReadRefuses(t *testing.T) {
	_, err := Read(write(t, "BenchmarkScale/subject=xid-2 100 forty ns/op\n"))
	require.ErrorContains(t, err, "x:1")
	_, err = Read(write(t, "cpu: A Processor\n"))
	require.ErrorIs(t, err, errEmpty)
	_, err = Read(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestSummary(t *testing.T) {
	r, err := Read(write(t, "BenchmarkA/x=1-2 1 5 u\nBenchmarkA/x=1-2 1 1 u\nBenchmarkA/x=1-2 1 100 u\nBenchmarkA/x=2-2 1 7 u\n"))
	require.NoError(t, err)
	s, ok := r.sum("A", "u", labels{"x": "1"})
	require.True(t, ok)
	require.Equal(t, summary{Median: 5, Low: 1, High: 100, Rounds: 3}, s)
	_, ok = r.sum("A", "v", nil)
	require.False(t, ok)
}

// TestTables compares all tables of the sample with what is known of them.
func TestTables(t *testing.T) {
	r := sample(t)
	var got strings.Builder
	for _, table := range Tables {
		fmt.Fprintf(&got, "%s: %s\n\n%s\n\n", table.Name, table.Title, table.Markdown(r))
		require.NotEmpty(t, table.Text(r))
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/tables.md", []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile("testdata/tables.md")
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

// TestTablesOfLess: a run of a few phases, subjects and rounds has tables, too.
func TestTablesOfLess(t *testing.T) {
	r, err := Read(write(t, "BenchmarkScale/subject=somebody/goroutines=1-1 1 5 ns/op 2e+08 IDs/s\n"))
	require.NoError(t, err)
	for _, table := range Tables {
		require.NotPanics(t, func() { table.Markdown(r) }, table.Name)
	}
	require.NoError(t, Draw(r, t.TempDir()))
}

// TestPaced: a pace that a source does not reach is told, and its calls are not shown as calls at
// that pace.
func TestPaced(t *testing.T) {
	const name = "BenchmarkPaced/subject=redis-incr/rate="
	r, err := Read(write(t, name+"full-2 50 90 p50-ns 80000 max-ns 50000 IDs/s 50000 IDs 50000 round-trips 1 step\n"+
		name+"100000-2 50 91 p50-ns 80001 max-ns 89999 IDs/s 50000 IDs 50001 round-trips 1 step\n"+
		name+"20000-2 20 92 p50-ns 80002 max-ns 18000 IDs/s 20000 IDs 0 round-trips 1 step\n"))
	require.NoError(t, err)
	var paced Table
	for _, table := range Tables {
		if table.Name == "paced" {
			paced = table
		}
	}
	rows := strings.Split(paced.Markdown(r), "\n")[2:]
	require.Len(t, rows, 3)
	require.Equal(t, "| Redis, INCR | 20,000 | 18.0 k [18.0–18.0 k] | none for 20,000 | 1 | 92.0 ns [92.0–92.0 ns] |  |  | 80.0 µs [80.0–80.0 µs] |", rows[0])
	require.Equal(t, "| Redis, INCR | 100,000 | not reached: 90.0 k [90.0–90.0 k] | 1,000,020 | 1 |  |  |  |  |", rows[1])
	require.Contains(t, rows[2], "| as many as it can | 50.0 k [50.0–50.0 k] | 1,000,000 | 1 | 90.0 ns")
}

// TestMergedPercentiles: where a file has the calls of all rounds together, theirs are the
// percentiles, and the rounds' are the range; elsewhere the rounds' median stands.
func TestMergedPercentiles(t *testing.T) {
	const rounds = "BenchmarkLatency/subject=xid/goroutines=8-2 9 50 p50-ns 100 p99-ns\n" +
		"BenchmarkLatency/subject=xid/goroutines=8-2 9 60 p50-ns 100 p99-ns\n" +
		"BenchmarkLatency/subject=xid/goroutines=8-2 9 70 p50-ns 5000 p99-ns\n"
	want := labels{"subject": "xid", "goroutines": "8"}
	old, err := Read(write(t, rounds))
	require.NoError(t, err)
	s, ok := old.percentile("Latency", 99, want)
	require.True(t, ok)
	require.Equal(t, summary{Median: 100, Low: 100, High: 5000, Rounds: 3}, s)
	_, ok = old.percentile("Latency", 99.9, want)
	require.False(t, ok)

	merged, err := Read(write(t, rounds+"BenchmarkLatencyMerged/subject=xid/goroutines=8-2 27 61 p50-ns 2000 p99-ns 9000 p99.9-ns\n"+
		"BenchmarkLatencyMerged/subject=ulid/goroutines=8-2 27 1 p50-ns\n"))
	require.NoError(t, err)
	require.Equal(t, "61.0 ns [50.0–70.0 ns]", merged.percentileCell("Latency", 50, want))
	require.Equal(t, "2.00 µs [100 ns–5.00 µs]", merged.percentileCell("Latency", 99, want))
	require.Equal(t, "9.00 µs [9.00–9.00 µs]", merged.percentileCell("Latency", 99.9, want), "no round has calls enough for it")
	require.Equal(t, "", merged.percentileCell("Latency", 99.99, want))
	for _, r := range []*Results{old, merged} {
		require.Equal(t, r == merged, strings.Contains(tableOf("machine").Markdown(r), "of the calls of all rounds together"))
	}
}

// TestRatios: of the same round, not of the medians.
func TestRatios(t *testing.T) {
	const scale = "BenchmarkScale/subject=%s/goroutines=2-2 9 %g ns/op\n"
	text := "gomaxprocs: 2\n\n"
	for i, add := range []float64{10, 20, 40} {
		text += fmt.Sprintf(scale, "atomic-add", add) + fmt.Sprintf(scale, "uid-cached", add*[]float64{1.5, 1.2, 1.1}[i])
	}
	text += fmt.Sprintf(scale, "uid-lane", 1.0) // of one round only
	r, err := Read(write(t, text))
	require.NoError(t, err)
	rows := strings.Split(tableOf("ratios").Markdown(r), "\n")
	require.Equal(t, "| call | 2 goroutines |", rows[0])
	require.Equal(t, "| uid cached, GetUID | 1.20 [1.10–1.50] |", rows[2])
	require.Equal(t, "| uid cached, Lane |  |", rows[3])
	require.Equal(t, "| the add itself | 20.0 ns [10.0–40.0 ns] |", rows[6])
}

// TestLackingProcessorTimeIsSaid, and nothing is where a file does not tell.
func TestLackingProcessorTimeIsSaid(t *testing.T) {
	const name = "BenchmarkScale/subject=xid/goroutines=8-2 9 5 ns/op "
	r, err := Read(write(t, name+"0 repeats 0.01 waited/processor-time\n"+name+"2 repeats 0.1 waited/processor-time\n"+
		name+"3 repeats 0.4 waited/processor-time\n"+name+"\n"))
	require.NoError(t, err)
	require.Contains(t, tableOf("machine").Markdown(r), "of 3 measurements without servers 2 lacked it and were repeated; 1 lack it as they stand here")
	require.NotContains(t, tableOf("machine").Markdown(sample(t)), "processor time")
}

func tableOf(name string) Table {
	for _, table := range Tables {
		if table.Name == name {
			return table
		}
	}
	panic(name)
}

func TestFillIn(t *testing.T) {
	r := sample(t)
	const before = "# A\n<!-- bench:unique -->\nold\n<!-- /bench -->\nB\n<!-- bench:lead -->\n<!-- /bench -->\nC\n"
	path := write(t, before)
	require.NoError(t, FillIn(r, path))
	once, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(once), "old")
	require.Regexp(t, `(?s)^# A\n<!-- bench:unique -->\n\n\|.*rs/xid.*\|\n\n<!-- /bench -->\nB\n<!-- bench:lead -->\n\n\|.*\|\n\n<!-- /bench -->\nC\n$`, string(once))
	require.NoError(t, FillIn(r, path))
	twice, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(once), string(twice))

	empty, err := Read(write(t, "BenchmarkScale/subject=xid/goroutines=1-1 1 5 ns/op 2e+08 IDs/s\n"))
	require.NoError(t, err)
	require.NoError(t, FillIn(empty, path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(text), "-->\n\nNot measured yet.\n\n<!--"))

	unknown := write(t, before+"<!-- bench:nothing -->\n<!-- /bench -->\n")
	require.ErrorContains(t, FillIn(r, unknown), `"nothing"`)
	text, err = os.ReadFile(unknown)
	require.NoError(t, err)
	require.Equal(t, before+"<!-- bench:nothing -->\n<!-- /bench -->\n", string(text))
}

// TestDocuments: what stands in the documents is what the saved results say.
func TestDocuments(t *testing.T) {
	const saved = "../results/full.txt"
	for _, document := range []string{"../README.md", "../../README.md", "../../docs/performance.md"} {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		require.Regexp(t, marked, string(text))
		results, err := Read(saved)
		if errors.Is(err, os.ErrNotExist) { // nothing measured: no numbers either
			results = sample(t)
			for _, part := range marked.FindAllString(string(text), -1) {
				require.NotRegexp(t, `\d \|`, part)
			}
		} else {
			require.NoError(t, err)
			for _, picture := range regexp.MustCompile(`\(([^):]+\.svg)\)`).FindAllStringSubmatch(string(text), -1) {
				require.FileExists(t, filepath.Join(filepath.Dir(document), picture[1]))
			}
		}
		drawn := write(t, string(text))
		require.NoError(t, FillIn(results, drawn))
		if err == nil {
			filled, err := os.ReadFile(drawn)
			require.NoError(t, err)
			require.Equal(t, string(filled), string(text), "go run . draw results/full.txt")
		}
	}
}

func TestChartsAreRedrawn(t *testing.T) {
	r, folder := sample(t), t.TempDir()
	require.NoError(t, Draw(r, folder))
	for _, c := range charts {
		svg, err := os.ReadFile(filepath.Join(folder, c.file))
		require.NoError(t, err)
		again, err := c.draw(r)
		require.NoError(t, err)
		require.Equal(t, string(again), string(svg), "the same results make the same picture")
		texts := wellFormed(t, svg)
		require.Contains(t, texts, c.title)
		require.NotContains(t, string(svg), "NaN", c.file)
	}
	for file, want := range map[string][]string{
		"cached.svg":    {"uid cached, GetUID", "uid uncached, GetUID", "bare atomic add", "1", "64", "10", "100"},
		"scale.svg":     {"uid cached, Lane", "sony/sonyflake v1", "Redis, INCR", "1 M", "100 M"},
		"libraries.svg": {"uid cached, GetUID", "rs/xid", "google/uuid v7", "10 M"},
		"all.svg":       {"uid cached, GetUID", "this module", "other libraries", "counter behind a mutex"},
		"latency.svg":   {"nothing but the timer", "p99.99", "1 µs"},
		"lead.svg":      {"default layout (8,192 in 1 s)", "1 day", "10 M"},
		"insert.svg":    {"AUTO_INCREMENT, BIGINT", "UUID v4, BINARY(16)", "300"},
	} {
		svg, err := os.ReadFile(filepath.Join(folder, file))
		require.NoError(t, err)
		require.Subset(t, wellFormed(t, svg), want, file)
	}
}

// wellFormed returns the texts of an SVG file.
func wellFormed(t *testing.T, svg []byte) (texts []string) {
	t.Helper()
	in := xml.NewDecoder(bytes.NewReader(svg))
	in.Strict = true
	depth := 0
	for {
		token, err := in.Token()
		if err == io.EOF {
			require.Zero(t, depth)
			return texts
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			if depth == 0 {
				require.Empty(t, strings.TrimSpace(string(token)))
			} else {
				texts = append(texts, strings.TrimSpace(string(token)))
			}
		}
	}
}

// luminance is that of the Web Content Accessibility Guidelines.
func luminance(rgb [3]float64) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		c := rgb[i] / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

// TestChartsOnLightAndDark: every opaque colour of every chart contrasts with white and
// with the black of dark pages at least 3 to 1, and nothing is painted behind them.
func TestChartsOnLightAndDark(t *testing.T) {
	light, dark := luminance([3]float64{255, 255, 255}), luminance([3]float64{0x0d, 0x11, 0x17})
	colours := regexp.MustCompile(`(?:fill|stroke):#([0-9A-Fa-f]*)`)
	r := sample(t)
	for _, c := range charts {
		svg, err := c.draw(r)
		require.NoError(t, err)
		found := colours.FindAllStringSubmatch(string(svg), -1)
		require.NotEmpty(t, found)
		for _, m := range found {
			require.Len(t, m[1], 6, c.file)
			var rgb [3]float64
			for i := range rgb {
				v, err := strconv.ParseUint(m[1][2*i:2*i+2], 16, 8)
				require.NoError(t, err)
				rgb[i] = float64(v)
			}
			require.GreaterOrEqual(t, contrast(luminance(rgb), light), 3.0, "%s: #%s on white", c.file, m[1])
			require.GreaterOrEqual(t, contrast(luminance(rgb), dark), 3.0, "%s: #%s on black", c.file, m[1])
		}
		require.NotContains(t, string(svg), fmt.Sprintf("M0,0L%d,0L%d", chartWidth, chartWidth), "a background")
	}
}

func TestApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 12).Draw(t, "want")
		const gap, low, high = 5, -2, 102
		at := make([]vg.Length, len(want))
		for i, w := range want {
			at[i] = vg.Length(w)
		}
		got := apart(at, gap, low, high)
		for i := range got {
			require.GreaterOrEqual(t, float64(got[i]), low-1e-9)
			require.LessOrEqual(t, float64(got[i]), high+1e-9)
			for j := range got {
				if i != j {
					require.GreaterOrEqual(t, math.Abs(float64(got[i]-got[j])), gap-1e-9)
				}
				if at[i] < at[j] {
					require.Less(t, got[i], got[j])
				}
			}
		}
	})
	require.Equal(t, []vg.Length{10, 50}, apart([]vg.Length{10, 50}, 5, 0, 100), "what is apart stays where it is")
}

func TestWords(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1.2345: "1.23", 12.345: "12.3", 99.96: "100", 123456: "123000", 0.012345: "0.0123"} {
		require.Equal(t, want, significant(v, 3), v)
	}
	for v, want := range map[float64]string{5: "5.00", 999: "999", 8192: "8.19 k", 4096e3: "4.10 M", 2.6e9: "2.60 G", 999.9e3: "1.00 M"} {
		require.Equal(t, want, count(v), v)
	}
	for v, want := range map[float64]string{0: "0 ns", 0.33: "0.33 ns", 5.5: "5.5 ns", 63.5: "63.5 ns", 244.14: "244 ns", 39062: "39.1 µs", 1.5e6: "1.50 ms", 2e9: "2.00 s"} {
		require.Equal(t, want, span(v), v)
	}
	for v, want := range map[float64]string{0: "0 s", 1.25: "1.2 s", 7200: "2.0 h", 1200: "1200 s", 864000: "10 days"} {
		require.Equal(t, want, leadSpan(v), v)
	}
	require.Equal(t, "5.5 ns [5.0–6.0 ns]", withRange(summary{Median: 5.5, Low: 5, High: 6}, span))
	require.Equal(t, "1.00 µs [900 ns–1.10 µs]", withRange(summary{Median: 1000, Low: 900, High: 1100}, span))
	require.Equal(t, "1,073,741,824", grouped(1<<30))
}
