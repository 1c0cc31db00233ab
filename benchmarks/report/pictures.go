package report

import (
	"fmt"
	"image/color"
	"math"
	"sort"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/uidgen/uid/benchmarks/measure"
	"github.com/uidgen/uid/benchmarks/subject"
)

// byGoroutines returns a series of the medians for each subject.
func byGoroutines(r *Results, unit string, names ...string) []series {
	var out []series
	for _, name := range names {
		s := series{label: labelOf(name), wide: subjects[name].Kind == subject.Ours}
		want := labels{"subject": name, "gomaxprocs": r.procs()}
		for _, n := range r.numbers("Scale", "goroutines", want) {
			want["goroutines"] = strconv.Itoa(n)
			if sum, ok := r.sum("Scale", unit, want); ok {
				s.points = append(s.points, plotter.XY{X: float64(n), Y: sum.Median})
			}
		}
		out = append(out, s)
	}
	return out
}

// goroutineAxis is longer than the data to leave room for names.
func goroutineAxis(r *Results, p *plot.Plot) {
	var ticks plot.ConstantTicks
	most := 1
	for _, n := range r.numbers("Scale", "goroutines", labels{"gomaxprocs": r.procs()}) {
		ticks = append(ticks, plot.Tick{Value: math.Log10(float64(n)), Label: strconv.Itoa(n)})
		most = max(most, n)
	}
	p.X.Label.Text = fmt.Sprintf("goroutines (GOMAXPROCS=%s)", r.procs())
	p.X.Tick.Marker = ticks
	p.X.Min, p.X.Max = 0, math.Log10(float64(most))*roomForNames
}

// roomForNames is the length of the X axis as a multiple of its data's.
const roomForNames = 1.55

func plotCached(r *Results, p *plot.Plot) error {
	all := byGoroutines(r, "ns/op", "uid-cached", "uid-lane", "uid-fill", "uid-unordered", "uid-uncached",
		"atomic-add", "packed-counter", "time-now", "mutex-counter")
	low, high := bounds(all)
	if err := lines(p, logarithms(all, true, true)); err != nil {
		return err
	}
	goroutineAxis(r, p)
	logAxis(&p.Y, low, high, func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) })
	p.Y.Label.Text = "ns for an ID, all goroutines together"
	return nil
}

func plotScale(r *Results, p *plot.Plot) error {
	all := byGoroutines(r, "IDs/s", "uid-cached", "uid-lane", "uid-unordered", "uid-uncached",
		"snowflake-16", "snowflake", "sonyflake", "google-uuid-v7", "google-uuid-v4-pool", "xid", "ulid", "ksuid",
		"segment-mysql", "mysql-hilo", "mysql-auto-increment", "redis-incr", "atomic-add")
	low, high := bounds(all)
	if err := lines(p, logarithms(all, true, true)); err != nil {
		return err
	}
	goroutineAxis(r, p)
	logAxis(&p.Y, low, high, decade)
	p.Y.Label.Text = "IDs a second"
	return nil
}

func plotLatency(r *Results, p *plot.Plot) error {
	var all []series
	for _, name := range []string{
		"uid-cached", "uid-lane", "uid-unordered", "uid-uncached", "snowflake-16", "snowflake", "google-uuid-v7", "xid", "ulid",
		"segment-mysql", "redis-incr", "mysql-auto-increment", "mysql-hilo", "atomic-add", "nothing",
	} {
		s := series{label: labelOf(name), wide: subjects[name].Kind == subject.Ours}
		want := labels{"subject": name, "goroutines": r.procs()}
		for i, q := range measure.Percentiles {
			if sum, ok := r.sum("Latency", measure.PercentileUnit(q), want); ok {
				s.points = append(s.points, plotter.XY{X: float64(i), Y: sum.Median})
			}
		}
		all = append(all, s)
	}
	low, high := bounds(all)
	if err := lines(p, logarithms(all, false, true)); err != nil {
		return err
	}
	var ticks plot.ConstantTicks
	for i, q := range measure.Percentiles {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: strings.TrimSuffix(measure.PercentileUnit(q), "-ns")})
	}
	p.X.Tick.Marker = ticks
	p.X.Min, p.X.Max = 0, float64(len(ticks)-1)*roomForNames
	p.X.Label.Text = "percentile of the calls"
	logAxis(&p.Y, low, high, func(v float64) string { return wholeDecade(span(v)) })
	p.Y.Label.Text = "time of a call, the timer's own included"
	return nil
}

func plotLead(r *Results, p *plot.Plot) error {
	var all []series
	for _, layout := range measure.LeadLayouts {
		s := series{label: leadLabels[layout], wide: true}
		for _, rate := range r.leadRates() {
			sum, ok := r.sum("Lead", "lead-s/s", labels{"layout": layout, "rate": rate.name})
			if ok && sum.Median > 0 { // a logarithmic axis has no 0
				s.points = append(s.points, plotter.XY{X: rate.perSecond, Y: sum.Median})
			}
		}
		all = append(all, s)
	}
	low, high := bounds(all)
	if err := lines(p, logarithms(all, true, true)); err != nil {
		return err
	}
	p.Y.Min, p.Y.Max = math.Log10(low), math.Log10(high)
	var ticks plot.ConstantTicks
	for _, t := range times {
		ticks = append(ticks, plot.Tick{Value: math.Log10(t.seconds), Label: t.label})
	}
	p.Y.Tick.Marker = ticks
	rates := r.leadRates()
	logAxis(&p.X, rates[0].perSecond, rates[len(rates)-1].perSecond, decade)
	p.X.Max = p.X.Min + (p.X.Max-p.X.Min)*roomForNames
	p.X.Label.Text = "UIDs drawn in a second by one generator"
	p.Y.Label.Text = "lead after a second"
	return nil
}

// times are the ticks of an axis of durations.
var times = []struct {
	seconds float64
	label   string
}{
	{0.001, "1 ms"}, {0.01, "10 ms"}, {0.1, "100 ms"}, {1, "1 s"}, {10, "10 s"}, {60, "1 min"}, {600, "10 min"},
	{3600, "1 h"}, {36000, "10 h"}, {86400, "1 day"}, {864000, "10 days"},
}

func plotInsert(r *Results, p *plot.Plot) error {
	var all []series
	most := 0.0
	for _, key := range r.words("Insert", "key") {
		s := series{label: keyLabel(key), wide: strings.HasPrefix(key, "uid")}
		rows, speeds := r.pick("Insert", "rows", labels{"key": key}), r.pick("Insert", "rows/s", labels{"key": key})
		for i := range rows {
			s.points = append(s.points, plotter.XY{X: rows[i] / 1000, Y: speeds[i] / 1000})
			most = max(most, rows[i]/1000)
		}
		all = append(all, s)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].label < all[j].label })
	if err := lines(p, all); err != nil {
		return err
	}
	_, high := bounds(all)
	p.Y.Min, p.Y.Max = 0, high*1.05
	p.X.Min, p.X.Max = 0, most*roomForNames
	var ticks plot.ConstantTicks
	for i := range 6 {
		v := most * float64(i) / 5
		ticks = append(ticks, plot.Tick{Value: v, Label: grouped(v)})
	}
	p.X.Tick.Marker = ticks
	p.X.Label.Text = "thousand rows in the table"
	p.Y.Label.Text = "thousand rows a second"
	return nil
}

// A bar is one subject's rate, measured and built in.
type bar struct {
	label            string
	value, low, high float64
	built            float64 // 0 for none
	colour           color.Color
}

func plotAll(r *Results, p *plot.Plot) error {
	var bars []bar
	least, most := math.Inf(1), 0.0
	for _, s := range r.order("Scale") {
		sum, ok := r.sum("Scale", "IDs/s", labels{"subject": s.Name, "goroutines": "8", "gomaxprocs": r.procs()})
		if !ok {
			continue
		}
		bars = append(bars, bar{
			label: s.Label, value: sum.Median, low: sum.Low, high: sum.High, built: s.Sustained,
			colour: hues[map[subject.Kind]int{subject.Ours: 0, subject.Peer: 1, subject.Server: 2, subject.Limit: 3}[s.Kind]],
		})
		least, most = min(least, sum.Low), max(most, sum.High)
		if s.Sustained > 0 {
			least = min(least, s.Sustained)
		}
	}
	if len(bars) == 0 {
		return errNothing
	}
	sort.SliceStable(bars, func(i, j int) bool { return bars[i].value < bars[j].value })
	logAxis(&p.X, least, most, decade)
	p.X.Label.Text = "IDs a second"
	names := make([]string, len(bars))
	for i, b := range bars {
		names[i] = b.label
	}
	upright := plotter.NewGrid()
	upright.Horizontal.Width, upright.Vertical.Width, upright.Vertical.Color = 0, 0.5, grid
	p.Add(upright, barsPlot{bars})
	for i, kind := range []string{"this module", "other libraries", "servers", "limits"} {
		p.Legend.Add(kind, swatch{hues[i]})
	}
	p.Legend.TextStyle.Color, p.Legend.TextStyle.Font.Size, p.Legend.TextStyle.Font.Variant = ink, fontSize, "Sans"
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.6, float64(len(bars))-0.4
	return nil
}

// A swatch stands for a colour in a legend.
type swatch struct{ colour color.Color }

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(s.colour, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
}

// barsPlot draws horizontal bars from the left end of a logarithmic axis.
type barsPlot struct{ bars []bar }

// Plot implements plot.Plotter.
func (b barsPlot) Plot(c draw.Canvas, p *plot.Plot) {
	linear, toY := p.Transforms(&c)
	toX := func(v float64) vg.Length { return linear(math.Log10(v)) }
	const half = 5
	for i, x := range b.bars {
		y := toY(float64(i))
		c.FillPolygon(x.colour, []vg.Point{
			{X: c.Min.X, Y: y - half}, {X: toX(x.value), Y: y - half}, {X: toX(x.value), Y: y + half}, {X: c.Min.X, Y: y + half},
		})
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1}, toX(x.low), y, toX(x.high), y)
		end := toX(x.high)
		if x.built > 0 && math.Log10(x.built) <= p.X.Max {
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: 3}, toX(x.built), y-half-3, toX(x.built), y+half+3)
			end = max(end, toX(x.built))
		}
		style := draw.TextStyle{Color: ink, Font: font.From(plot.DefaultFont, fontSize-1), Handler: p.TextHandler, YAlign: draw.YCenter}
		style.Font.Variant = "Sans"
		c.FillText(style, vg.Point{X: end + 5, Y: y}, count(x.value))
	}
}
