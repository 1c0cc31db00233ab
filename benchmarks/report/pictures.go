package report

import (
	"fmt"
	"image/color"
	"math"
	"sort"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
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

func goroutineAxis(r *Results, p *picture) {
	var ticks plot.ConstantTicks
	most := 1
	for _, n := range r.numbers("Scale", "goroutines", labels{"gomaxprocs": r.procs()}) {
		ticks = append(ticks, plot.Tick{Value: math.Log10(float64(n)), Label: strconv.Itoa(n)})
		most = max(most, n)
	}
	p.X.Label.Text = fmt.Sprintf("goroutines (GOMAXPROCS=%s)", r.procs())
	p.X.Tick.Marker = ticks
	p.X.Min, p.X.Max = 0, math.Log10(float64(max(2, most)))
}

func plotCached(r *Results, p *picture) error {
	all := positive(byGoroutines(r, "ns/op", "uid-cached", "uid-lane", "uid-fill", "uid-unordered", "uid-uncached",
		"atomic-add", "packed-counter", "time-now", "mutex-counter"))
	low, high := bounds(all)
	if err := lines(p, logarithms(all, true, true)); err != nil {
		return err
	}
	goroutineAxis(r, p)
	logAxis(&p.Y, low, high, func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) })
	p.Y.Label.Text = "ns for an ID, all goroutines together"
	return nil
}

func plotScale(r *Results, p *picture) error {
	return plotRates(r, p, "uid-cached", "uid-lane", "uid-unordered", "uid-uncached", "atomic-add",
		"segment-mysql", "mysql-hilo", "mysql-auto-increment", "redis-incr", "sonyflake")
}

func plotLibraries(r *Results, p *picture) error {
	return plotRates(r, p, "uid-cached", "snowflake", "xid", "uid-uncached", "snowflake-16", "google-uuid-v7", "google-uuid-v4-pool", "ulid",
		"ksuid", "gofrs-uuid-v7", "atomic-add")
}

func plotRates(r *Results, p *picture, names ...string) error {
	all := positive(byGoroutines(r, "IDs/s", names...))
	low, high := bounds(all)
	if err := lines(p, logarithms(all, true, true)); err != nil {
		return err
	}
	goroutineAxis(r, p)
	logAxis(&p.Y, low, high, decade)
	p.Y.Label.Text = "IDs a second"
	return nil
}

func plotLatency(r *Results, p *picture) error {
	var all []series
	for _, name := range []string{
		"uid-cached", "uid-lane", "uid-unordered", "uid-uncached", "snowflake", "google-uuid-v7", "xid",
		"segment-mysql", "redis-incr", "mysql-auto-increment", "atomic-add", "nothing",
	} {
		s := series{label: labelOf(name), wide: subjects[name].Kind == subject.Ours}
		want := labels{"subject": name, "goroutines": r.procs()}
		for i, q := range measure.Percentiles {
			if sum, ok := r.percentile("Latency", q, want); ok {
				s.points = append(s.points, plotter.XY{X: float64(i), Y: sum.Median})
			}
		}
		all = append(all, s)
	}
	all = positive(all)
	low, high := bounds(all)
	if err := lines(p, logarithms(all, false, true)); err != nil {
		return err
	}
	var ticks plot.ConstantTicks
	for i, q := range measure.Percentiles {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: strings.TrimSuffix(measure.PercentileUnit(q), "-ns")})
	}
	p.X.Tick.Marker = ticks
	p.X.Min, p.X.Max = 0, float64(len(ticks)-1)
	p.X.Label.Text = "percentile of the calls"
	logAxis(&p.Y, low, high, func(v float64) string { return wholeDecade(span(v)) })
	p.Y.Label.Text = "time of a call, the timer's own included"
	return nil
}

func plotLead(r *Results, p *picture) error {
	var all []series
	slow, fast := math.Inf(1), 0.0
	for _, layout := range measure.LeadLayouts {
		s := series{label: leadLabels[layout], wide: true}
		for _, rate := range r.leadRates() {
			sum, ok := r.sum("Lead", "lead-s/s", labels{"layout": layout, "rate": rate.name})
			if ok && sum.Median > 0 && rate.perSecond > 0 { // a logarithmic axis has no 0
				s.points = append(s.points, plotter.XY{X: rate.perSecond, Y: sum.Median})
				slow, fast = min(slow, rate.perSecond), max(fast, rate.perSecond)
			}
		}
		all = append(all, s)
	}
	low, high := bounds(all)
	if err := lines(p, logarithms(all, true, true)); err != nil {
		return err
	}
	logAxis(&p.Y, low, high, count)
	var ticks plot.ConstantTicks
	for _, t := range times {
		if at := math.Log10(t.seconds); at >= p.Y.Min && at <= p.Y.Max {
			ticks = append(ticks, plot.Tick{Value: at, Label: t.label})
		}
	}
	p.Y.Tick.Marker = ticks
	logAxis(&p.X, slow, fast, decade)
	p.X.Label.Text = "UIDs drawn in a second by one generator; none without lead is shown"
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

func plotInsert(r *Results, p *picture) error {
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
	linearAxis(&p.Y, high*1.05)
	linearAxis(&p.X, most)
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

const (
	barRoom = 18 // from bar to bar
	barHalf = 5
	beyond  = 3 // how far a stroke stands out above and below its bar
)

func plotAll(r *Results, p *picture) error {
	var bars []bar
	least, most := math.Inf(1), 0.0
	var names, values vg.Length // the widest
	for _, s := range r.order("Scale") {
		sum, ok := r.sum("Scale", "IDs/s", labels{"subject": s.Name, "goroutines": "8", "gomaxprocs": r.procs()})
		if !ok {
			continue
		}
		bars = append(bars, bar{
			label: s.Label, value: sum.Median, low: sum.Low, high: sum.High, built: s.Sustained,
			colour: hues[map[subject.Kind]int{subject.Ours: 0, subject.Peer: 1, subject.Server: 2, subject.Limit: 3}[s.Kind]],
		})
		for _, v := range []float64{sum.Low, sum.High, s.Sustained} {
			if v > 0 {
				least, most = min(least, v), max(most, v)
			}
		}
		names, values = max(names, widthOf(s.Label, fontSize)), max(values, widthOf(count(sum.Median), fontSize))
	}
	if len(bars) == 0 {
		return errNothing
	}
	sort.SliceStable(bars, func(i, j int) bool { return bars[i].value < bars[j].value })
	logAxis(&p.X, math.Pow(10, math.Floor(math.Log10(least))), most, decade)
	p.X.Label.Text = "IDs a second"
	upright := plotter.NewGrid()
	upright.Horizontal.Width, upright.Vertical.Width, upright.Vertical.Color = 0, 0.5, grid
	p.Add(upright, barsPlot{bars, values, p})
	for i, kind := range []string{"this module", "other libraries", "servers", "limits"} {
		p.legend = append(p.legend, key{kind, hues[i]})
	}
	p.HideY()
	p.left = names + values + 2*columnRoom
	p.Y.Min, p.Y.Max = -0.6, float64(len(bars))-0.4
	const aroundBars = 100 // title, legend, ticks and the axis's name
	p.height = aroundBars + barRoom*vg.Length(len(bars))
	return nil
}

// columnRoom is to the right of the names and of the values.
const columnRoom = 8

// barsPlot draws horizontal bars from the left end of a logarithmic axis, and to their left
// their names and values: beside a bar's end a value would be read at the stroke there.
type barsPlot struct {
	bars    []bar
	values  vg.Length // the widest
	picture *picture
}

// Plot implements plot.Plotter.
func (b barsPlot) Plot(c draw.Canvas, p *plot.Plot) {
	linear, toY := p.Transforms(&c)
	toX := func(v float64) vg.Length {
		if v <= 0 {
			return c.Min.X
		}
		return max(c.Min.X, linear(math.Log10(v)))
	}
	style := b.picture.style(ink, fontSize, draw.YCenter)
	style.XAlign = draw.XRight
	for i, x := range b.bars {
		y := toY(float64(i))
		c.FillPolygon(x.colour, []vg.Point{
			{X: c.Min.X, Y: y - barHalf}, {X: toX(x.value), Y: y - barHalf}, {X: toX(x.value), Y: y + barHalf}, {X: c.Min.X, Y: y + barHalf},
		})
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1}, toX(x.low), y, toX(x.high), y)
		if x.built > 0 {
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: 3}, toX(x.built), y-barHalf-beyond, toX(x.built), y+barHalf+beyond)
		}
		value := c.Min.X - columnRoom
		c.FillText(style, vg.Point{X: value, Y: y}, count(x.value))
		c.FillText(style, vg.Point{X: value - b.values - columnRoom, Y: y}, x.label)
	}
}
