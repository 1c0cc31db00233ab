package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The charts have no background and suit light and dark pages. All colours contrast about
// as much with white as with the black of dark pages.
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
		{0x6b, 0x86, 0x00, 0xff}, // olive
		{0x63, 0x70, 0xe0, 0xff}, // indigo
		{0x76, 0x7a, 0x80, 0xff}, // grey
		{0xa8, 0x63, 0x5f, 0xff}, // rust
	}
	// Every second thin line is dashed. After the last hue the dashes change.
	dashes = [][]vg.Length{nil, {6, 3}, {2, 3}, {9, 3, 2, 3}}
)

// Sizes, in points.
const (
	fontSize   = 12
	labelRoom  = 15 // between two labels
	tickRoom   = 4  // between the labels of two ticks
	margin     = 6
	chartWidth = 640
	titleRoom  = 26
	legendRoom = 18
	leader     = 12 // from the end of the data to where a line's name begins
)

// A picture is a plot, with room around it for what the library does not place.
type picture struct {
	*plot.Plot
	height vg.Length
	left   vg.Length // room for names to the left of the data
	right  vg.Length // and to the right
	legend []string  // of the first hues
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
	p := &picture{Plot: plot.New(), height: c.height}
	p.BackgroundColor = nil // none
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Label.TextStyle.Color, a.Tick.Color, a.Tick.Label.Color = ink, ink, ink, ink
		a.Label.TextStyle.Font, a.Tick.Label.Font = sans(fontSize), sans(fontSize)
	}
	if err := c.plot(r, p); err != nil {
		return nil, err
	}
	canvas := vgsvg.New(chartWidth, p.height)
	whole := draw.Crop(draw.New(canvas), margin, -margin, margin, -margin)
	at := vg.Point{X: whole.Min.X, Y: whole.Max.Y}
	whole.FillText(p.style(ink, fontSize+1, draw.YTop), at, c.title)
	at.Y -= titleRoom
	if len(p.legend) > 0 {
		p.drawLegend(whole, at)
		at.Y -= legendRoom
	}
	area := draw.Crop(whole, p.left, -p.right, 0, at.Y-whole.Max.Y)
	p.thin(area)
	p.Draw(area)
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, err
	}
	return finish(out.Bytes(), c.title), nil
}

// drawLegend writes the legend from left to right, with its upper left corner at a point.
func (p *picture) drawLegend(c draw.Canvas, at vg.Point) {
	const side, room = 9, 16
	for i, label := range p.legend {
		low := at.Y - fontSize
		fill(c, hues[i], at.X, low, at.X+side, low+side)
		at.X += side + 5
		c.FillText(p.style(ink, fontSize, draw.YBottom), vg.Point{X: at.X, Y: low - 1}, label)
		at.X += widthOf(label) + room
	}
}

// thin drops the labels of ticks that would overlap the one before.
func (p *picture) thin(area draw.Canvas) {
	data := p.DataCanvas(area)
	toX, toY := p.Transforms(&data)
	thin := func(a *plot.Axis, to func(float64) vg.Length, size func(label string) vg.Length) {
		ticks, _ := a.Tick.Marker.(plot.ConstantTicks)
		free := vg.Length(math.Inf(-1))
		for i, tick := range ticks {
			if middle, half := to(tick.Value), size(tick.Label)/2; middle-half < free+tickRoom {
				ticks[i].Label = ""
			} else if tick.Label != "" {
				free = middle + half
			}
		}
	}
	thin(&p.X, toX, widthOf)
	thin(&p.Y, toY, func(string) vg.Length { return fontSize })
}

// sans is the font by whose metrics everything is laid out.
func sans(size vg.Length) font.Font {
	f := font.From(plot.DefaultFont, size)
	f.Variant = "Sans"
	return f
}

// widthOf returns the width of a text of the usual size.
func widthOf(text string) vg.Length {
	face := font.DefaultCache.Lookup(sans(fontSize), fontSize)
	return face.Width(text)
}

func (p *picture) style(c color.Color, size vg.Length, y text.YAlignment) text.Style {
	return text.Style{Color: c, Font: sans(size), Handler: p.TextHandler, YAlign: y}
}

// written matches a text of a picture: what comes before its style, its size, and itself.
var written = regexp.MustCompile(`<text ([^>]*?)\s+style="[^"]*?font-size:([0-9.]+)px;fill:([^"]*)">([^<]*)</text>`)

// finish gives the picture a title, and each text a font that every machine has, in the
// width that it was laid out for: whatever font a machine has, no text is longer than its
// room.
func finish(svg []byte, title string) []byte {
	s := written.ReplaceAllStringFunc(string(svg), func(element string) string {
		m := written.FindStringSubmatch(element)
		size, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return element
		}
		width := widthOf(html.UnescapeString(m[4])) * vg.Length(size) / fontSize
		return fmt.Sprintf(`<text %s textLength="%.2f" lengthAdjust="spacingAndGlyphs" style="font-family:Arial,'Liberation Sans',Helvetica,sans-serif;font-size:%spx;fill:%s">%s</text>`,
			m[1], width.Points(), m[2], m[3], m[4])
	})
	return []byte(strings.Replace(s, "<g ", "<title>"+html.EscapeString(title)+"</title>\n<g ", 1))
}

// A series is a line of a chart; its name stands at its right end.
type series struct {
	label  string
	wide   bool
	points plotter.XYs // logarithms where the axis has them, once they are drawn
	colour color.Color
}

// A frame is around all points of a chart.
type frame struct{ left, right, low, high float64 }

// lines draws the series, and their names one above the other without overlap, on axes of base-10
// logarithms if so told, on which there is no place for what has none.
func lines(p *picture, all []series, logX, logY bool) (around frame, err error) {
	var points plotter.XYs
	for i := range all {
		if logY {
			all[i].points = slices.DeleteFunc(all[i].points, func(at plotter.XY) bool { return !(at.Y > 0) })
		}
		points = append(points, all[i].points...)
	}
	all = slices.DeleteFunc(all, func(s series) bool { return len(s.points) == 0 })
	if len(all) == 0 {
		return frame{}, errNothing
	}
	around.left, around.right, around.low, around.high = plotter.XYRange(points)
	p.addGrid(true)
	for i, s := range all {
		for k, at := range s.points {
			if logX {
				s.points[k].X = math.Log10(at.X)
			}
			if logY {
				s.points[k].Y = math.Log10(at.Y)
			}
		}
		l, dots, err := plotter.NewLinePoints(s.points)
		if err != nil {
			return frame{}, err
		}
		c := hues[i%len(hues)]
		all[i].colour = c
		l.Color, l.Width, l.Dashes = c, 1.4, dashes[(i/len(hues)+i%2)%len(dashes)]
		if s.wide {
			l.Width, l.Dashes = 2.6, dashes[i/len(hues)%len(dashes)]
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: c, Radius: 2, Shape: draw.CircleGlyph{}}
		p.Add(l, dots)
		p.right = max(p.right, leader+3+widthOf(s.label))
	}
	const aroundData = 90 // title, ticks and the axis's name
	p.height = max(p.height, aroundData+labelRoom*vg.Length(len(all)))
	p.Add(names{all, p})
	return around, nil
}

// addGrid draws upright lines, and level ones if there are two axes.
func (p *picture) addGrid(level bool) {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = grid, grid
	g.Horizontal.Width, g.Vertical.Width = 0.5, 0.5
	if !level {
		g.Horizontal.Width = 0
	}
	p.Add(g)
}

// names writes the names of lines to the right of the plot's data.
type names struct {
	lines   []series
	picture *picture
}

// Plot implements plot.Plotter.
func (n names) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	ends, at := make([]vg.Point, len(n.lines)), make([]vg.Length, len(n.lines))
	for i, l := range n.lines {
		last := l.points[len(l.points)-1]
		ends[i] = vg.Point{X: toX(last.X), Y: toY(last.Y)}
		at[i] = ends[i].Y
	}
	at = apart(at, labelRoom, c.Min.Y+4, c.Max.Y-4)
	for i, l := range n.lines {
		c.StrokeLine2(draw.LineStyle{Color: l.colour, Width: 0.5}, ends[i].X, ends[i].Y, c.Max.X+leader, at[i])
		c.FillText(n.picture.style(l.colour, fontSize, draw.YCenter),
			vg.Point{X: c.Max.X + leader + 3, Y: at[i]}, l.label)
	}
}

// apart moves positions as little as possible so that they are at least gap apart, in the
// same order, and within the bounds if there is room.
func apart(want []vg.Length, gap, low, high vg.Length) []vg.Length {
	order := make([]int, len(want))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(want[a], want[b]) })
	// Without their gaps they must not descend: that is isotonic regression, by its formula of
	// the largest of the least means.
	out := make([]vg.Length, len(want))
	for i := range order {
		best := vg.Length(math.Inf(-1))
		for from := range i + 1 {
			least, sum := vg.Length(math.Inf(1)), vg.Length(0)
			for to, at := range order[from:] {
				sum += want[at] - gap*vg.Length(from+to)
				if from+to >= i {
					least = min(least, sum/vg.Length(to+1))
				}
			}
			best = max(best, least)
		}
		best = max(low, min(high-gap*vg.Length(len(want)-1), best))
		out[order[i]] = best + gap*vg.Length(i)
	}
	return out
}

// logAxis makes an axis of base-10 logarithms as long as its data, with a tick at each power
// of ten, and at 2 and 5 times it where there are few. The library's own logarithmic axis
// puts its label at the wrong end.
func logAxis(a *plot.Axis, low, high float64, label func(float64) string) {
	a.Min, a.Max = math.Log10(low), math.Log10(high)
	if a.Max-a.Min < 0.5 { // all about the same
		a.Min, a.Max = a.Min-0.25, a.Max+0.25
	}
	steps := []float64{1}
	if a.Max-a.Min < 2.5 {
		steps = []float64{1, 2, 5}
	}
	const rounding = 1e-9
	var ticks plot.ConstantTicks
	for power := math.Floor(a.Min); power <= a.Max; power++ {
		for _, step := range steps {
			at := power + math.Log10(step)
			if at >= a.Min-rounding && at <= a.Max+rounding {
				ticks = append(ticks, plot.Tick{Value: at, Label: label(step * math.Pow(10, power))})
			}
		}
	}
	a.Tick.Marker = ticks
}

// linearAxis makes an axis from 0 on, with at most six round numbers more.
func linearAxis(a *plot.Axis, high float64) {
	a.Min, a.Max = 0, cmp.Or(high, 1)
	step := math.Pow(10, math.Floor(math.Log10(a.Max/6)))
	for _, times := range []float64{2, 2.5, 2} {
		if a.Max/step > 6 {
			step *= times
		}
	}
	decimals := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	var ticks plot.ConstantTicks
	for v := 0.0; v <= a.Max*(1+1e-9); v = step * float64(len(ticks)) {
		ticks = append(ticks, plot.Tick{Value: v, Label: english.Sprintf("%.*f", decimals, v)})
	}
	a.Tick.Marker = ticks
}

// decade returns the label of a power of ten, without zeros after the point.
func decade(format func(float64) string) func(float64) string {
	return func(v float64) string {
		number, unit, _ := strings.Cut(format(v), " ")
		if strings.Contains(number, ".") {
			number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
		}
		return strings.TrimSpace(number + " " + unit)
	}
}
