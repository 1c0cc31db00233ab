package simulation

import (
	"bytes"
	"html"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The picture has no background and suits light and dark pages.
var (
	ink  = color.RGBA{0x76, 0x7a, 0x80, 0xff}
	grid = color.NRGBA{0x76, 0x7a, 0x80, 0x50}
	hues = []color.RGBA{{0x1f, 0x7f, 0xd6, 0xff}, {0xcf, 0x5a, 0x0c, 0xff}, {0x2b, 0x8a, 0x3e, 0xff}}
)

const (
	width  = 760
	height = 780
	size   = 11 // of letters, in points
)

// panels are the parts of the picture, from top to bottom.
var panels = []struct {
	label       string
	logarithmic bool
	of          func(daily) float64
}{
	{"acquisitions/s,\nmost in a second", true, func(d daily) float64 { return float64(d.MostTakes) }},
	{"renewals/s,\nmost in a second", true, func(d daily) float64 { return float64(d.MostChanges) }},
	{"longest wait\nfor a first tick (s)", true, func(d daily) float64 { return d.Wait.Seconds() }},
	{"IDs leased or in\nquarantine, at most", false, func(d daily) float64 { return float64(d.Held) }},
}

// Picture draws each day of each region, as an SVG file.
func Picture(title string, results []Result) ([]byte, error) {
	canvas := vgsvg.New(width, height)
	if err := paint(title, results, draw.New(canvas)); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, err
	}
	s := strings.ReplaceAll(out.String(), "font-family:Liberation Sans", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif")
	return []byte(strings.Replace(s, "<g ", "<title>"+html.EscapeString(title)+"</title>\n<g ", 1)), nil
}

func paint(title string, results []Result, canvas draw.Canvas) error {
	rows := make([][]*plot.Plot, len(panels))
	for i, panel := range panels {
		p := plot.New()
		p.BackgroundColor = nil
		style(p)
		p.Y.Label.Text = panel.label
		g := plotter.NewGrid()
		g.Horizontal.Color, g.Vertical.Color = grid, grid
		p.Add(g)
		top := 0.0
		for n, r := range results {
			points := make(plotter.XYs, 0, len(r.Days))
			for at, d := range r.Days {
				y := panel.of(d)
				top = max(top, y)
				if panel.logarithmic {
					y = math.Log10(max(y, 1))
				}
				points = append(points, plotter.XY{X: float64(at), Y: y})
			}
			l, err := plotter.NewLine(points)
			if err != nil {
				return err
			}
			l.Color, l.Width = hues[n], 1
			p.Add(l)
			if i == 0 {
				p.Legend.Add("region "+string(rune('1'+n))+": "+r.Name, l)
			}
		}
		if panel.logarithmic {
			powers(&p.Y, top)
		} else {
			p.Y.Min = 0
		}
		if i == 0 {
			p.Title.Text = title
			p.Title.Padding = 8
			p.Legend.Top, p.Legend.Padding = true, 2
			p.Y.Max += 1 // room for the legend
		}
		days(&p.X, len(results[0].Days))
		if i == len(panels)-1 {
			p.X.Label.Text = "day"
		}
		rows[i] = []*plot.Plot{p}
	}
	tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadX: 4, PadY: 6, PadTop: 4, PadBottom: 4, PadLeft: 4, PadRight: 12}
	for i, row := range plot.Align(rows, tiles, canvas) {
		rows[i][0].Draw(row[0])
	}
	return nil
}

func style(p *plot.Plot) {
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Label.TextStyle.Color, a.Tick.Color, a.Tick.Label.Color = ink, ink, ink, ink
	}
	p.Title.TextStyle.Color, p.Legend.TextStyle.Color = ink, ink
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.Legend.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font,
	} {
		f.Variant, f.Size = "Sans", size
	}
	p.Title.TextStyle.Font.Size = size + 2
}

// days labels an axis of days.
func days(a *plot.Axis, n int) {
	a.Min, a.Max = 0, float64(n)
	var ticks plot.ConstantTicks
	for at, step := 0, max(1, (n/12+9)/10*10); at <= n; at += step {
		ticks = append(ticks, plot.Tick{Value: float64(at), Label: count(int64(at))})
	}
	a.Tick.Marker = ticks
}

// powers labels an axis of base-10 logarithms.
func powers(a *plot.Axis, top float64) {
	a.Min, a.Max = 0, math.Ceil(math.Log10(max(top, 10)))
	var ticks plot.ConstantTicks
	for v := 0.0; v <= a.Max; v++ {
		ticks = append(ticks, plot.Tick{Value: v, Label: count(int64(math.Pow(10, v)))})
	}
	ticks[0].Label = "≤ 1"
	a.Tick.Marker = ticks
}
