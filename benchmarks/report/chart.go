package report

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The charts have no background and suit light and dark pages. All colours contrast about
// as much with white as with the black of dark pages; dashes tell apart what hues do not.
var (
	ink  = color.RGBA{0x76, 0x7a, 0x80, 0xff}
	grid = color.NRGBA{0x76, 0x7a, 0x80, 0x50}
	hues = []color.RGBA{
		{0x1f, 0x7f, 0xd6, 0xff}, // blue
		{0xcf, 0x5a, 0x0c, 0xff}, // orange
		{0x2b, 0x8a, 0x3e, 0xff}, // green
		{0x99, 0x60, 0xd6, 0xff}, // violet
		{0xd0, 0x45, 0x55, 0xff}, // red
		{0x0f, 0x89, 0x8f, 0xff}, // teal
		{0xa2, 0x6f, 0x00, 0xff}, // brown
		{0xc2, 0x4a, 0x9c, 0xff}, // pink
	}
	dashes = [][]vg.Length{nil, {6, 3}, {2, 3}, {9, 3, 2, 3}}
)

// Sizes, in points.
const (
	fontSize   = 11
	labelRoom  = 13 // between two labels
	margin     = 6
	chartWidth = 760
)

// A chart is a picture of results.
type chart struct {
	file   string
	title  string
	height vg.Length
	plot   func(*Results, *plot.Plot) error
}

var charts = []chart{
	{"cached.svg", "Cached against uncached, and the limits: time for an ID", 420, plotCached},
	{"scale.svg", "IDs a second against goroutines", 470, plotScale},
	{"all.svg", "IDs a second of 8 goroutines; a stroke is the rate that is built in", 520, plotAll},
	{"latency.svg", "Single calls, as many goroutines as processors: percentiles", 470, plotLatency},
	{"lead.svg", "Time borrowed in a second of drawing", 340, plotLead},
	{"insert.svg", "Rows inserted a second as the table grows", 400, plotInsert},
}

// Draw draws the charts for which there are results into a folder.
func Draw(r *Results, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, c := range charts {
		svg, err := c.draw(r)
		if err == errNothing {
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

var errNothing = fmt.Errorf("nothing to draw")

func (c chart) draw(r *Results) ([]byte, error) {
	p := plot.New()
	p.Title.Text = c.title
	p.Title.Padding = 8
	p.BackgroundColor = nil // none
	p.Title.TextStyle.Color = ink
	p.Title.TextStyle.Font.Size = fontSize + 2
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Label.TextStyle.Color, a.Tick.Color, a.Tick.Label.Color = ink, ink, ink, ink
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = fontSize, fontSize
	}
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font,
	} {
		f.Variant = "Sans"
	}
	if err := c.plot(r, p); err != nil {
		return nil, err
	}
	canvas := vgsvg.New(chartWidth, c.height)
	p.Draw(draw.Crop(draw.New(canvas), margin, -margin, margin, -margin))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, err
	}
	return finish(out.Bytes(), c.title), nil
}

// finish gives the picture a title, and a list of fonts of which every machine has one.
func finish(svg []byte, title string) []byte {
	s := strings.ReplaceAll(string(svg), "font-family:Liberation Sans", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif")
	return []byte(strings.Replace(s, "<g ", "<title>"+html.EscapeString(title)+"</title>\n<g ", 1))
}

// A series is a line of a chart; its name stands at its right end.
type series struct {
	label  string
	points plotter.XYs
	wide   bool
}

// lines draws the series, and their names one above the other without overlap.
func lines(p *plot.Plot, all []series) error {
	all = slices.DeleteFunc(all, func(s series) bool { return len(s.points) == 0 })
	if len(all) == 0 {
		return errNothing
	}
	addGrid(p)
	ends := make([]end, len(all))
	for i, s := range all {
		l, err := plotter.NewLine(s.points)
		if err != nil {
			return err
		}
		c := hues[i%len(hues)]
		l.Color, l.Width, l.Dashes = c, 1.4, dashes[i/len(hues)%len(dashes)]
		if s.wide {
			l.Width = 2.6
		}
		dots, err := plotter.NewScatter(s.points)
		if err != nil {
			return err
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: c, Radius: 2, Shape: draw.CircleGlyph{}}
		p.Add(l, dots)
		last := s.points[len(s.points)-1]
		ends[i] = end{label: s.label, color: c, x: last.X, y: last.Y}
	}
	p.Add(names{ends})
	return nil
}

func addGrid(p *plot.Plot) {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = grid, grid
	g.Horizontal.Width, g.Vertical.Width = 0.5, 0.5
	p.Add(g)
}

// An end is where a line ends.
type end struct {
	label string
	color color.Color
	x, y  float64
}

// names writes the names of lines to the right of the plot's data.
type names struct{ ends []end }

// Plot implements plot.Plotter.
func (n names) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	at := make([]vg.Length, len(n.ends))
	for i, e := range n.ends {
		at[i] = toY(e.y)
	}
	at = apart(at, labelRoom, c.Min.Y+4, c.Max.Y-4)
	right := vg.Length(0)
	for _, e := range n.ends {
		right = max(right, toX(e.x))
	}
	for i, e := range n.ends {
		style := draw.TextStyle{
			Color: e.color, Font: font.From(plot.DefaultFont, fontSize), Handler: p.TextHandler,
			YAlign: draw.YCenter,
		}
		style.Font.Variant = "Sans"
		thin := draw.LineStyle{Color: e.color, Width: 0.5}
		c.StrokeLine2(thin, toX(e.x), toY(e.y), right+12, at[i])
		c.FillText(style, vg.Point{X: right + 15, Y: at[i]}, e.label)
	}
}

// apart moves positions as little as possible so that they are at least gap apart, in the
// same order, and within the bounds if there is room.
func apart(want []vg.Length, gap, low, high vg.Length) []vg.Length {
	byPosition := make([]int, len(want))
	for i := range byPosition {
		byPosition[i] = i
	}
	sort.SliceStable(byPosition, func(a, b int) bool { return want[byPosition[a]] < want[byPosition[b]] })
	// Neighbours that are too close form a block, centred where they want to be.
	type block struct {
		members []int
		middle  vg.Length
	}
	size := func(b block) vg.Length { return gap * vg.Length(len(b.members)-1) }
	clamp := func(b *block) { b.middle = max(low+size(*b)/2, min(high-size(*b)/2, b.middle)) }
	var blocks []block
	for _, i := range byPosition {
		b := block{[]int{i}, want[i]}
		clamp(&b)
		for len(blocks) > 0 {
			last := blocks[len(blocks)-1]
			if last.middle+size(last)/2+gap <= b.middle-size(b)/2 {
				break
			}
			weight := vg.Length(len(last.members)) / vg.Length(len(last.members)+len(b.members))
			b = block{append(slices.Clone(last.members), b.members...), last.middle*weight + b.middle*(1-weight)}
			clamp(&b)
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	out := make([]vg.Length, len(want))
	for _, b := range blocks {
		for k, i := range b.members {
			out[i] = b.middle - size(b)/2 + gap*vg.Length(k)
		}
	}
	return out
}

// logAxis puts a tick at each power of ten on an axis of base-10 logarithms. The library's
// own logarithmic axis puts its label at the wrong end.
func logAxis(a *plot.Axis, low, high float64, label func(float64) string) {
	a.Min, a.Max = math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	var ticks plot.ConstantTicks
	for v := a.Min; v <= a.Max; v++ {
		ticks = append(ticks, plot.Tick{Value: v, Label: label(math.Pow(10, v))})
	}
	a.Tick.Marker = ticks
}

// logarithms replaces the coordinates of logarithmic axes.
func logarithms(all []series, x, y bool) []series {
	for _, s := range all {
		for i := range s.points {
			if x {
				s.points[i].X = math.Log10(s.points[i].X)
			}
			if y {
				s.points[i].Y = math.Log10(s.points[i].Y)
			}
		}
	}
	return all
}

// decade returns the label of a power of ten.
func decade(v float64) string { return wholeDecade(count(v)) }

// wholeDecade drops the zeros after the point.
func wholeDecade(s string) string {
	number, unit, _ := strings.Cut(s, " ")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return strings.TrimSpace(number + " " + unit)
}

func bounds(all []series) (low, high float64) {
	low, high = math.Inf(1), 0
	for _, s := range all {
		for _, xy := range s.points {
			low, high = min(low, xy.Y), max(high, xy.Y)
		}
	}
	return low, high
}
