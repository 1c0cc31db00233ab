package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// A matrix is an affine map, as SVG's matrix(a b c d e f).
type matrix [6]float64

func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[2]*n[1], m[1]*n[0] + m[3]*n[1],
		m[0]*n[2] + m[2]*n[3], m[1]*n[2] + m[3]*n[3],
		m[0]*n[4] + m[2]*n[5] + m[4], m[1]*n[4] + m[3]*n[5] + m[5],
	}
}

func (m matrix) at(x, y float64) [2]float64 {
	return [2]float64{m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]}
}

// A box is upright, and y grows downwards.
type box struct {
	what                     string
	left, top, right, bottom float64
}

func (b box) meets(c box) bool {
	return b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom
}

func around(what string, points ...[2]float64) box {
	b := box{what, math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		b.left, b.right = min(b.left, p[0]), max(b.right, p[0])
		b.top, b.bottom = min(b.top, p[1]), max(b.bottom, p[1])
	}
	return b
}

// A stroke is a piece of a line.
type stroke struct {
	what     string
	from, to [2]float64
	half     float64 // of its width
}

// meets tells whether a stroke touches a box: whether what a line has in common with the box
// and its width around it is not empty (Liang and Barsky).
func (s stroke) meets(b box) bool {
	first, last := 0.0, 1.0
	for i, bounds := range [2][2]float64{{b.left - s.half, b.right + s.half}, {b.top - s.half, b.bottom + s.half}} {
		d := s.to[i] - s.from[i]
		if d == 0 {
			if s.from[i] <= bounds[0] || s.from[i] >= bounds[1] {
				return false
			}
			continue
		}
		in, out := (bounds[0]-s.from[i])/d, (bounds[1]-s.from[i])/d
		first, last = max(first, min(in, out)), min(last, max(in, out))
	}
	return first < last
}

// A layout is what a picture puts where.
type layout struct {
	width, height float64
	texts, areas  []box
	strokes       []stroke
}

var (
	transformOf = regexp.MustCompile(`(scale|translate|rotate)\(([^)]*)\)`)
	stepOfPath  = regexp.MustCompile(`([MLAZ])([^MLAZ]*)`)
)

func numbers(t testing.TB, s string) (out []float64) {
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		v, err := strconv.ParseFloat(word, 64)
		require.NoError(t, err, s)
		out = append(out, v)
	}
	return out
}

func transformed(t testing.TB, m matrix, s string) matrix {
	for _, part := range transformOf.FindAllStringSubmatch(s, -1) {
		v := numbers(t, part[2])
		switch part[1] {
		case "scale":
			m = m.times(matrix{v[0], 0, 0, v[len(v)-1], 0, 0})
		case "translate":
			m = m.times(matrix{1, 0, 0, 1, v[0], v[1]})
		case "rotate":
			sin, cos := math.Sincos(v[0] * math.Pi / 180)
			m = m.times(matrix{cos, sin, -sin, cos, 0, 0})
		}
	}
	return m
}

// layoutOf reads a picture as a browser would.
func layoutOf(t testing.TB, svg []byte) (l layout) {
	t.Helper()
	in := xml.NewDecoder(bytes.NewReader(svg))
	stack := []matrix{{1, 0, 0, 1, 0, 0}}
	text := -1
	for {
		token, err := in.Token()
		if err == io.EOF {
			return l
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			attr := make(map[string]string)
			for _, a := range token.Attr {
				attr[a.Name.Local] = a.Value
			}
			style := make(map[string]string)
			for _, s := range strings.Split(attr["style"], ";") {
				k, v, _ := strings.Cut(s, ":")
				style[k] = v
			}
			m := transformed(t, stack[len(stack)-1], attr["transform"])
			stack = append(stack, m)
			switch token.Name.Local {
			case "svg":
				v := numbers(t, attr["viewBox"])
				l.width, l.height = v[2], v[3]
			case "text":
				require.NotEmpty(t, attr["textLength"], "a text as long as its font makes it")
				require.Equal(t, "spacingAndGlyphs", attr["lengthAdjust"])
				require.True(t, strings.HasSuffix(style["font-family"], ",sans-serif"), "no font that every machine has")
				x, y := numbers(t, attr["x"])[0], numbers(t, attr["y"])[0]
				size := numbers(t, strings.TrimSuffix(style["font-size"], "px"))[0]
				length := numbers(t, attr["textLength"])[0]
				text = len(l.texts)
				l.texts = append(l.texts, around("", m.at(x, y-0.73*size), m.at(x+length, y-0.73*size), m.at(x, y+0.21*size), m.at(x+length, y+0.21*size)))
			case "path":
				l.path(t, m, attr["d"], style)
			}
		case xml.EndElement:
			stack = stack[:len(stack)-1]
			text = -1
		case xml.CharData:
			if text >= 0 {
				l.texts[text].what += string(token)
			}
		}
	}
}

func (l *layout) path(t testing.TB, m matrix, d string, style map[string]string) {
	var points [][2]float64
	for _, step := range stepOfPath.FindAllStringSubmatch(d, -1) {
		if v := numbers(t, step[2]); len(v) > 0 {
			points = append(points, m.at(v[len(v)-2], v[len(v)-1]))
		}
	}
	if style["fill"] != "none" {
		l.areas = append(l.areas, around("an area of "+style["fill"], points...))
		return
	}
	if style["stroke-opacity"] != "" && style["stroke-opacity"] != "1" {
		return // the grid lies behind everything
	}
	half := 0.5
	if w := style["stroke-width"]; w != "" {
		half = numbers(t, w)[0] / 2
	}
	for i := range points[1:] {
		l.strokes = append(l.strokes, stroke{"a line of " + style["stroke"], points[i], points[i+1], half})
	}
}

// overlaps returns what is wrong with a picture's layout: texts that meet texts, areas or lines,
// or leave the picture.
func (l layout) overlaps() (out []string) {
	for i, a := range l.texts {
		if a.left < 0 || a.top < 0 || a.right > l.width || a.bottom > l.height {
			out = append(out, fmt.Sprintf("%q leaves the picture", a.what))
		}
		for _, b := range l.texts[:i] {
			if a.meets(b) {
				out = append(out, fmt.Sprintf("%q meets %q", a.what, b.what))
			}
		}
		for _, b := range l.areas {
			if a.meets(b) {
				out = append(out, fmt.Sprintf("%q meets %s", a.what, b.what))
			}
		}
		for _, s := range l.strokes {
			if s.meets(a) {
				out = append(out, fmt.Sprintf("%q meets %s", a.what, s.what))
			}
		}
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
		require.NotContains(t, string(svg), "NaN", c.file)
		require.NotContains(t, string(svg), "Inf", c.file)
		l := layoutOf(t, svg)
		require.NotEmpty(t, l.texts)
		require.Empty(t, l.overlaps(), c.file)
	}
}

func TestNoLabelOverlaps(t *testing.T) {
	for _, file := range []string{"../results/full.txt", "testdata/sample.txt"} {
		r, err := Read(file)
		require.NoError(t, err)
		requireLegible(t, r)
	}
}

// nasty are results that crowd a chart.
var nasty = map[string]func(subject, goroutines int) float64{
	"all the same":                 func(int, int) float64 { return 24.4e6 },
	"ten in a hair's breadth":      func(s, _ int) float64 { return 24.4e6 + float64(s) },
	"all decades":                  func(s, g int) float64 { return math.Pow(10, float64(s%19)-3) * float64(g) },
	"nothing at all":               func(int, int) float64 { return 0 },
	"one above all":                func(s, _ int) float64 { return 1 + 1e12*float64(s/20) },
	"at the rate that is built in": func(s, _ int) float64 { return []float64{8192, 4096e3, 25600, 1 << 30}[s%4] * (0.9 + float64(s)/100) },
	"they cross":                   func(s, g int) float64 { return math.Pow(float64(g), float64(s%5)-2) * 1e7 },
}

// madeUp returns results with the numbers of a function, for all subjects and measures that
// have charts.
func madeUp(t *testing.T, goroutines []int, rate func(subject, goroutines int) float64) *Results {
	var b strings.Builder
	b.WriteString("gomaxprocs: 64\n\n")
	for i, name := range slices.Sorted(maps.Keys(subjects)) {
		for _, g := range goroutines {
			v := rate(i, g)
			fmt.Fprintf(&b, "BenchmarkScale/subject=%s/goroutines=%d-64 1 %g ns/op %g IDs/s\n", name, g, 1e9/max(v, 1e-9), v)
			fmt.Fprintf(&b, "BenchmarkScale/subject=%s/goroutines=%d-64 1 %g ns/op %g IDs/s\n", name, g, 0.5e9/max(v, 1e-9), 2*v)
		}
		v := rate(i, 64)
		fmt.Fprintf(&b, "BenchmarkLatency/subject=%s/goroutines=64-64 1 %g p50-ns %g p90-ns %g p99-ns %g p99.9-ns %g p99.99-ns\n", name, v, v, 2*v, 3*v, 1000*v)
		for k := range 3 {
			fmt.Fprintf(&b, "BenchmarkInsert/key=%s-64 1 %g rows/s %d rows\n", name, rate(i, k+1), 12345*(k+1))
		}
	}
	for i, layout := range []string{"default", "twitter"} {
		for k, at := range []string{"10", "1000", "full"} {
			fmt.Fprintf(&b, "BenchmarkLead/layout=%s/rate=%s-64 1 %g IDs/s %g lead-s/s\n", layout, at, rate(k, k+1), rate(i, k+1))
		}
	}
	r, err := Read(write(t, b.String()))
	require.NoError(t, err)
	return r
}

func TestNastyResultsAreLegible(t *testing.T) {
	for name, rate := range nasty {
		t.Run(name, func(t *testing.T) {
			requireLegible(t, madeUp(t, []int{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64}, rate))
			requireLegible(t, madeUp(t, []int{8}, rate))
		})
	}
}

// TestOverlapsAreFound: what is planted into a picture is noticed.
func TestOverlapsAreFound(t *testing.T) {
	svg, err := chartOf("all.svg").draw(sample(t))
	require.NoError(t, err)
	require.Empty(t, layoutOf(t, svg).overlaps())
	first := regexp.MustCompile(`<text x="([0-9.]+)" y="-([0-9.]+)"[^>]*>rs/xid</text>`).FindSubmatch(svg)
	require.NotNil(t, first)
	x, err := strconv.ParseFloat(string(first[1]), 64)
	require.NoError(t, err)
	y := string(first[2])
	const plain = `<text x="%.2f" y="-%s" transform="scale(1, -1)" textLength="40" lengthAdjust="spacingAndGlyphs" style="font-family:Arial,sans-serif;font-size:12px;fill:#767A80">planted</text>`
	for name, planted := range map[string]struct{ element, says string }{
		"a text on a text":       {fmt.Sprintf(plain, x+10, y), `"rs/xid" meets "planted"`},
		"a text on a bar":        {fmt.Sprintf(plain, 360.0, y), `"planted" meets an area of #CF5A0C`},
		"a text out of it":       {fmt.Sprintf(plain, 620.0, "2"), `"planted" leaves the picture`},
		"a line through a text":  {fmt.Sprintf(`<path d="M%.2f,0L%.2f,600" style="fill:none;stroke:#123456" />`, x+5, x+15), `"rs/xid" meets a line of #123456`},
		"a stroke across a text": {fmt.Sprintf(`<path d="M%.2f,%sL%.2f,%s" style="fill:none;stroke:#123456;stroke-width:3" />`, x-2, y, x+1, y), `"rs/xid" meets a line of #123456`},
	} {
		with := bytes.Replace(svg, first[0], append([]byte(planted.element+"\n"), first[0]...), 1)
		require.Contains(t, strings.Join(layoutOf(t, with).overlaps(), "\n"), planted.says, name)
	}
}

func chartOf(file string) chart {
	for _, c := range charts {
		if c.file == file {
			return c
		}
	}
	panic(file)
}

// TestLinesDiffer: no two lines of a chart have the same colour, and of more than there are
// colours, none the same colour and dashes.
func TestLinesDiffer(t *testing.T) {
	r, err := Read("../results/full.txt")
	require.NoError(t, err)
	line := regexp.MustCompile(`<path d="M[^A"]*L[^A"]*L[^A"]*"\s+style="fill:none;stroke:(#[0-9A-F]{6});stroke-width:(?:1.4|2.6)[;"]`)
	for _, c := range charts {
		if c.file == "all.svg" {
			continue
		}
		svg, err := c.draw(r)
		require.NoError(t, err)
		seen := make(map[string]bool)
		for _, m := range line.FindAllSubmatch(svg, -1) {
			require.False(t, seen[string(m[1])], "%s: two lines are %s", c.file, m[1])
			seen[string(m[1])] = true
		}
		require.GreaterOrEqual(t, len(seen), 2, c.file)
	}
}

func axisLabels(high float64) (out []string) {
	var a plot.Axis
	linearAxis(&a, high)
	for _, tick := range a.Tick.Marker.Ticks(a.Min, a.Max) {
		out = append(out, tick.Label)
	}
	return out
}

func TestLinearAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		high := rapid.Float64Range(1e-3, 1e12).Draw(t, "high")
		labels := axisLabels(high)
		require.GreaterOrEqual(t, len(labels), 3)
		require.LessOrEqual(t, len(labels), 7)
		seen := make(map[string]bool)
		for _, label := range labels {
			require.False(t, seen[label], labels)
			seen[label] = true
		}
	})
	require.Equal(t, []string{"0", "100", "200", "300"}, axisLabels(368))
	require.Equal(t, []string{"0", "200", "400", "600", "800", "1,000"}, axisLabels(1000))
	require.Equal(t, []string{"0.0", "0.1", "0.2", "0.3"}, axisLabels(0.36))
	require.Equal(t, []string{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}, axisLabels(0))
}

// TestWidthOf: texts are measured with the font's metrics, of which Arial has the same.
func TestWidthOf(t *testing.T) {
	require.InDelta(t, 6.67, widthOf("0", 12).Points(), 0.01) // 1139 of 2048 units
	require.Equal(t, vg.Length(0), widthOf("", 12))
}
