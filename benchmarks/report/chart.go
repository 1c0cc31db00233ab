package report

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
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

// A chart is a picture of results.
type chart struct {
	file   string
	title  string
	height vg.Length // more where the results need it
	plot   func(*Results, *picture) error
}

var charts = []chart{
	{"cached.svg", "Cached against uncached, and the limits: time for an ID", 420, plotCached},
	{"scale.svg", "IDs a second against goroutines", 440, plotScale},
	{"libraries.svg", "IDs a second against goroutines: libraries, without a server", 440, plotLibraries},
	{"all.svg", "IDs a second of 8 goroutines; a stroke is the rate that is built in", 0, plotAll},
	{"latency.svg", "Single calls, as many goroutines as processors: percentiles", 440, plotLatency},
	{"lead.svg", "Time borrowed in a second of drawing", 320, plotLead},
	{"insert.svg", "Rows inserted a second as the table grows", 400, plotInsert},
}

// A picture is a plot, with room around it for what the library does not place.
type picture struct {
	*plot.Plot
	height vg.Length
	left   vg.Length // room for names to the left of the data
	right  vg.Length // and to the right
	legend []key
}

// A key tells what a colour stands for.
type key struct {
	label  string
	colour color.Color
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
	for _, k := range p.legend {
		low := at.Y - fontSize
		c.FillPolygon(k.colour, []vg.Point{{X: at.X, Y: low}, {X: at.X + side, Y: low}, {X: at.X + side, Y: low + side}, {X: at.X, Y: low + side}})
		at.X += side + 5
		c.FillText(p.style(ink, fontSize, draw.YBottom), vg.Point{X: at.X, Y: low - 1}, k.label)
		at.X += widthOf(k.label, fontSize) + room
	}
}

// thin drops the labels of ticks that would overlap the one before.
func (p *picture) thin(area draw.Canvas) {
	data := p.DataCanvas(area)
	toX, toY := p.Transforms(&data)
	for _, axis := range []struct {
		*plot.Axis
		to   func(float64) vg.Length
		size func(label string) vg.Length
	}{
		{&p.X, toX, func(label string) vg.Length { return widthOf(label, fontSize) }},
		{&p.Y, toY, func(string) vg.Length { return fontSize }},
	} {
		ticks, ok := axis.Tick.Marker.(plot.ConstantTicks)
		if !ok {
			continue
		}
		free := vg.Length(math.Inf(-1))
		for i := range ticks {
			if ticks[i].Label == "" {
				continue
			}
			middle, half := axis.to(ticks[i].Value), axis.size(ticks[i].Label)/2
			if middle-half < free+tickRoom {
				ticks[i].Label = ""
				continue
			}
			free = middle + half
		}
	}
}

// sans is the font by whose metrics everything is laid out.
func sans(size vg.Length) font.Font {
	f := font.From(plot.DefaultFont, size)
	f.Variant = "Sans"
	return f
}

func widthOf(text string, size vg.Length) vg.Length {
	face := font.DefaultCache.Lookup(sans(size), size)
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
		width := widthOf(html.UnescapeString(m[4]), vg.Length(size))
		return fmt.Sprintf(`<text %s textLength="%.2f" lengthAdjust="spacingAndGlyphs" style="font-family:Arial,'Liberation Sans',Helvetica,sans-serif;font-size:%spx;fill:%s">%s</text>`,
			m[1], width.Points(), m[2], m[3], m[4])
	})
	return []byte(strings.Replace(s, "<g ", "<title>"+html.EscapeString(title)+"</title>\n<g ", 1))
}

// A series is a line of a chart; its name stands at its right end.
type series struct {
	label  string
	points plotter.XYs
	wide   bool
}

// lines draws the series, and their names one above the other without overlap.
func lines(p *picture, all []series) error {
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
		l.Color, l.Width, l.Dashes = c, 1.4, dashes[(i/len(hues)+i%2)%len(dashes)]
		if s.wide {
			l.Width, l.Dashes = 2.6, dashes[i/len(hues)%len(dashes)]
		}
		dots, err := plotter.NewScatter(s.points)
		if err != nil {
			return err
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: c, Radius: 2, Shape: draw.CircleGlyph{}}
		p.Add(l, dots)
		last := s.points[len(s.points)-1]
		ends[i] = end{label: s.label, color: c, x: last.X, y: last.Y}
		p.right = max(p.right, leader+3+widthOf(s.label, fontSize))
	}
	const aroundData = 90 // title, ticks and the axis's name
	p.height = max(p.height, aroundData+labelRoom*vg.Length(len(all)))
	p.Add(names{ends, p})
	return nil
}

func addGrid(p *picture) {
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
type names struct {
	ends    []end
	picture *picture
}

// Plot implements plot.Plotter.
func (n names) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	at := make([]vg.Length, len(n.ends))
	for i, e := range n.ends {
		at[i] = toY(e.y)
	}
	at = apart(at, labelRoom, c.Min.Y+4, c.Max.Y-4)
	for i, e := range n.ends {
		thin := draw.LineStyle{Color: e.color, Width: 0.5}
		c.StrokeLine2(thin, toX(e.x), toY(e.y), c.Max.X+leader, at[i])
		c.FillText(n.picture.style(e.color, fontSize, draw.YCenter), vg.Point{X: c.Max.X + leader + 3, Y: at[i]}, e.label)
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

// linearAxis makes an axis from 0 on, with ticks at round numbers.
func linearAxis(a *plot.Axis, high float64) {
	if high <= 0 {
		high = 1
	}
	a.Min, a.Max = 0, high
	const atMost = 6
	step := math.Pow(10, math.Floor(math.Log10(high/atMost)))
	for _, times := range []float64{1, 2, 5, 10} {
		if high/(step*times) <= atMost {
			step *= times
			break
		}
	}
	var ticks plot.ConstantTicks
	for i := 0; step*float64(i) <= high*(1+1e-9); i++ {
		v := step * float64(i)
		label := grouped(v)
		if step < 1 {
			label = strconv.FormatFloat(v, 'f', int(math.Ceil(-math.Log10(step)-1e-9)), 64)
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label})
	}
	a.Tick.Marker = ticks
}

// positive leaves out the points that have no logarithm.
func positive(all []series) []series {
	for i := range all {
		all[i].points = slices.DeleteFunc(all[i].points, func(at plotter.XY) bool { return !(at.Y > 0) })
	}
	return all
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
