package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func read(t testing.TB, text string) *Results {
	t.Helper()
	r, err := Read(write(t, text))
	require.NoError(t, err)
	return r
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
	r, err := Read("../results/full.txt")
	require.NoError(t, err)
	for _, document := range []string{"../README.md", "../../README.md", "../../docs/performance.md"} {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		require.Regexp(t, marked, string(text))
		drawn := write(t, string(text))
		require.NoError(t, FillIn(r, drawn))
		filled, err := os.ReadFile(drawn)
		require.NoError(t, err)
		require.Equal(t, string(filled), string(text), "go run . results/full.txt")
		for _, picture := range regexp.MustCompile(`\(([^):]+\.svg)\)`).FindAllStringSubmatch(string(text), -1) {
			require.FileExists(t, filepath.Join(filepath.Dir(document), picture[1]))
		}
	}
	folder := t.TempDir()
	require.NoError(t, Draw(r, folder))
	for _, c := range charts {
		svg, err := os.ReadFile(filepath.Join(folder, c.file))
		require.NoError(t, err)
		saved, err := os.ReadFile(filepath.Join("../charts", c.file))
		require.NoError(t, err)
		require.True(t, bytes.Equal(saved, svg), "%s: go run . results/full.txt", c.file)
	}
	requireLegible(t, r)
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
	require.Equal(t, "| Redis, INCR | 100,000 | not reached: 90.0 k [90.0–90.0 k] | 1,000,020 | 1 |  |  |  |  |", rows[1])
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
	for i, add := range []float64{10, 20, 40} {
		text += fmt.Sprintf(scale, "atomic-add", add) + fmt.Sprintf(scale, "uid-cached", add*[]float64{1.5, 1.2, 1.1}[i])
	}
	rows := rowsOf("ratios", read(t, text+fmt.Sprintf(scale, "uid-lane", 1.0))) // of one round only
	require.Equal(t, "| call | 2 goroutines |", rows[0])
	require.Equal(t, "| uid cached, GetUID | 1.20 [1.10–1.50] |", rows[2])
	require.Equal(t, "| uid cached, Lane |  |", rows[3])
	require.Equal(t, "| the add itself | 20.0 ns [10.0–40.0 ns] |", rows[6])
}

// TestFairness: in the order of layouts.
func TestFairness(t *testing.T) {
	const line = "BenchmarkFairness/round=1/subject=%s-2 1 1000 p50-ns 3000 max-ns 12800 IDs/s 0.25 processors\n"
	rows := rowsOf("fairness", read(t, fmt.Sprintf(line, "sonyflake")+fmt.Sprintf(line, "uid-cached-256")))[2:]
	require.Equal(t, []string{
		"| uid cached, 256 in 10 ms | 1.00 µs [1.00–1.00 µs] |  | 3.00 µs | 0.50 | 0.25 |",
		"| sony/sonyflake v1 | 1.00 µs [1.00–1.00 µs] |  | 3.00 µs | 0.50 | 0.25 |",
	}, rows)
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
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, `(?s)^# A\n<!-- bench:insert -->\n\n\|.*\| new \|.*\|\n\n<!-- /bench -->\n`+
		`B\n<!-- bench:lead -->\n\nNot measured yet.\n\n<!-- /bench -->\nC\n$`, string(text))
	for _, table := range Tables {
		require.NotPanics(t, func() { table.Text(few) }, table.Name)
	}
	requireLegible(t, few)

	unknown := write(t, before+"<!-- bench:nothing -->\n<!-- /bench -->\n")
	require.ErrorContains(t, FillIn(few, unknown), `"nothing"`)
	text, err = os.ReadFile(unknown)
	require.NoError(t, err)
	require.Equal(t, before+"<!-- bench:nothing -->\n<!-- /bench -->\n", string(text))
}

// textOf matches a text of a picture: whether it stands upright, where it is, how long, how high, and
// what it says.
var textOf = regexp.MustCompile(`(rotate\(90\)">\s*)?<text x="([-0-9.]+)" y="([-0-9.]+)" transform="scale\(1, -1\)" ` +
	`textLength="([0-9.]+)" lengthAdjust="spacingAndGlyphs" ` +
	`style="font-family:[^;"]*,sans-serif;font-size:([0-9.]+)px;[^>]*>([^<]*)<`)

// overlaps returns what is wrong with a picture: texts that meet one another or leave it.
func overlaps(t testing.TB, svg string) (out []string) {
	t.Helper()
	size := regexp.MustCompile(`viewBox="0 0 ([0-9.]+) ([0-9.]+)"`).FindStringSubmatch(svg)
	type box struct{ left, top, right, bottom float64 }
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		return v
	}
	texts := textOf.FindAllStringSubmatch(svg, -1)
	require.Len(t, texts, strings.Count(svg, "<text "), "a text has its width, and a font that every machine has")
	boxes := make([]box, len(texts))
	for i, m := range texts {
		x, y, long, high := number(m[2]), number(m[3]), number(m[4]), number(m[5])
		a := box{x, -y - 0.21*high, x + long, -y + 0.73*high}
		if m[1] != "" {
			a = box{y - 0.73*high, x, y + 0.21*high, x + long}
		}
		if a.left < 0 || a.top < 0 || a.right > number(size[1]) || a.bottom > number(size[2]) {
			out = append(out, m[6]+" leaves the picture")
		}
		for k, b := range boxes[:i] {
			if a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom {
				out = append(out, m[6]+" meets "+texts[k][6])
			}
		}
		boxes[i] = a
	}
	return out
}

// requireLegible sees that everything of a picture can be read.
func requireLegible(t testing.TB, r *Results) {
	t.Helper()
	for _, c := range charts {
		svg, err := c.draw(r)
		if err == errNothing {
			continue
		}
		require.NoError(t, err, c.file)
		require.NotRegexp(t, "NaN|Inf", string(svg), c.file)
		require.Empty(t, overlaps(t, string(svg)), c.file)
	}
}

// TestOverlapsAreFound: what is planted into a picture is noticed.
func TestOverlapsAreFound(t *testing.T) {
	svg, err := os.ReadFile("../charts/all.svg")
	require.NoError(t, err)
	x := regexp.MustCompile(`<text x="([0-9.]+)" ([^>]*>)rs/xid<`)
	require.Contains(t, overlaps(t, x.ReplaceAllString(string(svg), "$0/text>\n<text x=\"${1}1\" ${2}planted<")),
		"planted meets rs/xid")
	require.Contains(t, overlaps(t, x.ReplaceAllString(string(svg), `<text x="620" ${2}rs/xid<`)),
		"rs/xid leaves the picture")
}

// TestNastyResultsAreLegible: results that crowd a chart, of all subjects and measures that have one.
func TestNastyResultsAreLegible(t *testing.T) {
	for name, rate := range map[string]func(subject, goroutines int) float64{
		"all the same":            func(int, int) float64 { return 24.4e6 },
		"ten in a hair's breadth": func(s, _ int) float64 { return 24.4e6 + float64(s) },
		"all decades":             func(s, g int) float64 { return math.Pow(10, float64(s%19)-3) * float64(g) },
		"nothing at all":          func(int, int) float64 { return 0 },
		"one above all":           func(s, _ int) float64 { return 1 + 1e12*float64(s/20) },
		"they cross":              func(s, g int) float64 { return math.Pow(float64(g), float64(s%5)-2) * 1e7 },
	} {
		for _, goroutines := range [][]int{{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64}, {8}} {
			var b strings.Builder
			b.WriteString("gomaxprocs: 64\n\n")
			for i, s := range subjects {
				for _, g := range goroutines {
					v := rate(i, g)
					fmt.Fprintf(&b, "BenchmarkScale/subject=%s/goroutines=%d-64 1 %g ns/op %g IDs/s\n",
						s.Name, g, 1e9/max(v, 1e-9), v)
				}
				v := rate(i, 64)
				fmt.Fprintf(&b, "BenchmarkLatency/subject=%s/goroutines=64-64 "+
					"1 %g p50-ns %g p90-ns %g p99-ns %g p99.9-ns\n", s.Name, v, v, 2*v, 1000*v)
				fmt.Fprintf(&b, "BenchmarkInsert/key=%s-64 1 %g rows/s 12345 rows\n", s.Name, v)
			}
			for i, at := range []string{"10", "1000", "full"} {
				fmt.Fprintf(&b, "BenchmarkLead/layout=default/rate=%s-64 1 %g IDs/s %g lead-s/s\n",
					at, rate(i, i+1), rate(i, i+1))
			}
			t.Run(name, func(t *testing.T) { requireLegible(t, read(t, b.String())) })
		}
	}
}

// TestColours: they differ, and contrast with white and with the black of dark pages at least 3 to 1
// (as the Web Content Accessibility Guidelines count it). A chart has no more lines than colours.
func TestColours(t *testing.T) {
	luminance := func(c color.RGBA) (sum float64) {
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			sum += weight * math.Pow((float64([]uint8{c.R, c.G, c.B}[i])/255+0.055)/1.055, 2.4)
		}
		return sum
	}
	black := color.RGBA{0x0d, 0x11, 0x17, 0xff}
	for i, c := range hues {
		require.NotContains(t, hues[:i], c)
		require.GreaterOrEqual(t, 1.05/(luminance(c)+0.05), 3.0, "%v on white", c)
		require.GreaterOrEqual(t, (luminance(c)+0.05)/(luminance(black)+0.05), 3.0, "%v on black", c)
	}
	require.Contains(t, hues, ink)
	r, err := Read("../results/full.txt")
	require.NoError(t, err)
	svg, err := chart{plot: plotLatency, height: 440}.draw(r)
	require.NoError(t, err)
	require.NotContains(t, string(svg), fmt.Sprintf("M0,0L%d,0", chartWidth), "a background")
	seen := make(map[string]bool)
	stroke := regexp.MustCompile(`stroke:(#[0-9A-F]{6});stroke-width:(?:1\.4|2\.6)`)
	for _, m := range stroke.FindAllStringSubmatch(string(svg), -1) {
		seen[m[1]] = true
	}
	require.Len(t, seen, len(hues), "two lines are alike")
}

func TestLinearAxis(t *testing.T) {
	for high, want := range map[float64]string{
		368: "0 100 200 300", 1000: "0 200 400 600 800 1,000", 0.36: "0.0 0.1 0.2 0.3", 0: "0.0 0.2 0.4 0.6 0.8 1.0",
	} {
		var a plot.Axis
		linearAxis(&a, high)
		var labels []string
		for _, tick := range a.Tick.Marker.Ticks(a.Min, a.Max) {
			labels = append(labels, tick.Label)
		}
		require.Equal(t, want, strings.Join(labels, " "))
	}
}

func TestApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const gap, low, high = 5, -2, 102
		length := rapid.Map(rapid.Float64Range(0, 100), func(v float64) vg.Length { return vg.Length(v) })
		want := rapid.SliceOfN(length, 1, 12).Draw(t, "want")
		got := apart(want, gap, low, high)
		for i := range got {
			require.GreaterOrEqual(t, float64(got[i]), low-1e-9)
			require.LessOrEqual(t, float64(got[i]), high+1e-9)
			for j := range got[:i] {
				require.GreaterOrEqual(t, math.Abs(float64(got[i]-got[j])), gap-1e-9)
				require.True(t, want[i] == want[j] || (want[i] < want[j]) == (got[i] < got[j]))
			}
		}
	})
	require.Equal(t, []vg.Length{10, 50}, apart([]vg.Length{10, 50}, 5, 0, 100), "what is apart stays where it is")
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
		decade(count)(2e6):                        "2 M",
		decade(count)(200):                        "200",
	} {
		require.Equal(t, want, got)
	}
}
