package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/uidgen/uid/benchmarks/measure"
)

// A chart is a picture of results, with a line for each of several series.
type chart struct {
	file, title, x, y string
	logX              bool
	format            func(float64) string // a value's text; on a logarithmic axis, unless there is none
	lines             func(*Results) []series
}

// A series is a line; its points with texts are ticks of the X axis.
type series struct {
	label  string
	points plotter.XYs
	ticks  []plot.Tick
}

var charts = []chart{
	{"cached.svg", "Cached against uncached, and the limits", "goroutines", "time for an ID", true, span,
		byGoroutines("ns/op", "uid-cached", "uid-lane", "uid-fill", "uid-unordered", "uid-uncached", "atomic-add",
			"packed-counter", "time-now", "mutex-counter")},
	{"scale.svg", "IDs a second against goroutines, without a server", "goroutines", "IDs a second", true, count,
		byGoroutines("IDs/s", "uid-cached", "uid-lane", "uid-unordered", "uid-uncached", "wuid", "snowflake",
			"snowflake-16", "sonyflake-2", "sonyflake-2-16", "yitter", "google-uuid-v7", "xid", "ulid", "atomic-add")},
	{"latency.svg", "Single calls, as many goroutines as processors", "percentile of the calls", "time of a call",
		false, span, byPercentile("uid-cached", "uid-lane", "uid-unordered", "uid-uncached", "snowflake",
			"google-uuid-v7", "xid",
			"segment-mysql", "redis-incr", "mysql-auto-increment", "atomic-add", "nothing")},
	{"insert.svg", "Rows inserted a second as the table grows", "thousand rows in the table",
		"thousand rows a second", false, nil, inserted},
}

// byGoroutines are the medians of subjects at each number of goroutines.
func byGoroutines(unit string, names ...string) func(*Results) []series {
	return func(r *Results) (out []series) {
		for _, name := range names {
			s := series{label: subjectOf(name).Label}
			for _, n := range r.numbers("Scale"+r.full(), "goroutines") {
				s.add(n, r.sum(fmt.Sprintf("Scale/goroutines=%v%s/subject=%s", n, r.full(), name), unit), fmt.Sprint(n))
			}
			out = append(out, s)
		}
		return out
	}
}

func byPercentile(names ...string) func(*Results) []series {
	return func(r *Results) (out []series) {
		for _, name := range names {
			s := series{label: subjectOf(name).Label}
			for i, q := range measure.Percentiles {
				at := "Latency/goroutines=" + r.Config["gomaxprocs"] + "/subject=" + name
				s.add(float64(i), r.percentile(at, q), percentileTitle(q))
			}
			out = append(out, s)
		}
		return out
	}
}

func inserted(r *Results) (out []series) {
	for _, key := range r.words("Insert", "key") {
		s := series{label: measure.KeyLabel(key)}
		speeds := r.pick("Insert/key="+key, "rows/s")
		for i, rows := range r.pick("Insert/key="+key, "rows") {
			s.points = append(s.points, plotter.XY{X: rows / 1000, Y: speeds[i] / 1000})
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b series) int { return cmp.Compare(a.label, b.label) })
	return out
}

// add adds a point if it was measured; a logarithm has no place for others.
func (s *series) add(x float64, at summary, tick string) {
	if at.median > 0 {
		s.points = append(s.points, plotter.XY{X: x, Y: at.median})
		s.ticks = append(s.ticks, plot.Tick{Value: x, Label: tick})
	}
}

// Draw draws the charts for which there are results into a folder.
func Draw(r *Results, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, c := range charts {
		svg, err := c.draw(r)
		if errors.Is(err, errNothing) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.file, err)
		}
		if err := os.WriteFile(filepath.Join(folder, c.file), svg, 0o644); err != nil {
			return err
		}
	}
	return nil
}

var errNothing = errors.New("nothing to draw")

// Charts have no background, and a grey that can be read on light and on dark pages.
var (
	ink  = color.RGBA{0x76, 0x7a, 0x80, 0xff}
	pale = color.NRGBA{0x76, 0x7a, 0x80, 0x50}
)

func (c chart) draw(r *Results) ([]byte, error) {
	p, names := plot.New(), plot.NewLegend()
	p.BackgroundColor = nil
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.title, c.x, c.y
	names.Top, names.Left, names.XOffs = true, true, 8
	names.Padding = 3
	for _, style := range []*draw.TextStyle{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label,
		&names.TextStyle,
	} {
		style.Color, style.Font = ink, font.Font{Typeface: "Liberation", Variant: "Sans", Size: 11}
	}
	grid := plotter.NewGrid()
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color = ink, ink
	}
	grid.Horizontal.Color, grid.Vertical.Color = pale, pale
	p.Add(grid)
	width := vg.Length(0) // of the names
	var ticks []plot.Tick
	for i, s := range c.lines(r) {
		if len(s.points) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(s.points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = plotutil.Color(i), 1.5
		line.Dashes = [][]vg.Length{nil, {6, 3}, {2, 3}}[i/len(plotutil.DefaultColors)%3]
		dots.Color, dots.Radius, dots.Shape = line.Color, 2, draw.CircleGlyph{}
		p.Add(line, dots)
		names.Add(s.label, line, dots)
		width = max(width, names.TextStyle.Width(s.label))
		if len(s.ticks) > len(ticks) {
			ticks = s.ticks
		}
	}
	if width == 0 {
		return nil, errNothing
	}
	if ticks != nil {
		p.X.Tick.Marker = plot.ConstantTicks(ticks)
	}
	if c.logX {
		p.X.Scale = plot.LogScale{}
	}
	if p.X.Min == p.X.Max {
		p.X.Max++
	}
	if c.format == nil {
		p.Y.Min = 0
	} else {
		p.Y.Scale = plot.LogScale{}
		p.Y.Min, p.Y.Max = math.Pow(10, math.Floor(math.Log10(p.Y.Min))), math.Pow(10, math.Ceil(math.Log10(p.Y.Max)))
		if p.Y.Min == p.Y.Max {
			p.Y.Max *= 10
		}
		p.Y.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
			ticks := plot.LogTicks{}.Ticks(low, high)
			for i, t := range ticks {
				if t.Label != "" {
					ticks[i].Label = c.format(t.Value)
				}
			}
			return ticks
		})
	}
	canvas := vgsvg.New(760, 400)
	whole := draw.Crop(draw.New(canvas), 6, -6, 6, -6)
	room := width*1.15 + names.ThumbnailWidth + 2*names.XOffs // other fonts are wider
	p.Draw(draw.Crop(whole, 0, -room, 0, 0))
	names.Draw(draw.Crop(whole, whole.Max.X-whole.Min.X-room, 0, 0, -30))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, err
	}
	// A font that every machine has.
	return []byte(strings.ReplaceAll(out.String(), "Liberation Sans", "Arial,Liberation Sans,Helvetica")), nil
}
