package report

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/uidgen/uid/benchmarks/measure"
	"github.com/uidgen/uid/benchmarks/subject"
)

// A chart is a picture of results.
type chart struct {
	file   string
	title  string
	height vg.Length // more where the results need it
	plot   func(*Results, *picture) error
}

var charts = []chart{
	{"cached.svg", "Cached against uncached, and the limits: time for an ID", 420, byGoroutines(
		"ns/op", "ns for an ID, all goroutines together",
		func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) },
		"uid-cached", "uid-lane", "uid-fill", "uid-unordered", "uid-uncached", "atomic-add",
		"packed-counter", "time-now", "mutex-counter")},
	{"scale.svg", "IDs a second against goroutines", 440, byGoroutines("IDs/s", "IDs a second", decade(count),
		"uid-cached", "uid-lane", "uid-unordered", "uid-uncached", "atomic-add",
		"segment-mysql", "mysql-hilo", "mysql-auto-increment", "redis-incr", "sonyflake")},
	{"libraries.svg", "IDs a second against goroutines: libraries, without a server", 440, byGoroutines(
		"IDs/s", "IDs a second", decade(count),
		"uid-cached", "snowflake", "xid", "uid-uncached", "snowflake-16",
		"google-uuid-v7", "google-uuid-v4-pool", "ulid", "ksuid", "gofrs-uuid-v7", "atomic-add")},
	{"all.svg", "IDs a second of 8 goroutines; a stroke is the rate that is built in", 0, plotAll},
	{"latency.svg", "Single calls, as many goroutines as processors: percentiles", 440, plotLatency},
	{"lead.svg", "Time borrowed in a second of drawing", 320, plotLead},
	{"insert.svg", "Rows inserted a second as the table grows", 400, plotInsert},
}

// seriesOf returns the medians of subjects: those that at returns for each of the places on the
// X axis that have one.
func seriesOf(names, places []string, at func(name, place string) summary, x func(i int) float64) (out []series) {
	for _, name := range names {
		s := subjectOf(name)
		line := series{label: s.Label, wide: s.Kind == subject.Ours}
		for i, place := range places {
			if sum := at("subject="+name, place); sum.rounds > 0 {
				line.points = append(line.points, plotter.XY{X: x(i), Y: sum.median})
			}
		}
		out = append(out, line)
	}
	return out
}

// byGoroutines draws a line of the medians for each subject.
func byGoroutines(unit, label string, tick func(float64) string, names ...string) func(*Results, *picture) error {
	return func(r *Results, p *picture) error {
		var places []string
		var ticks plot.ConstantTicks
		goroutines := r.numbers("Scale"+r.full(), "goroutines")
		for _, n := range goroutines {
			places = append(places, fmt.Sprint(n))
			ticks = append(ticks, plot.Tick{Value: math.Log10(n), Label: fmt.Sprint(n)})
		}
		around, err := lines(p, seriesOf(names, places, func(at, n string) summary {
			return r.sum("Scale/goroutines="+n+r.full()+"/"+at, unit)
		}, func(i int) float64 { return goroutines[i] }), true, true)
		if err != nil {
			return err
		}
		p.X.Label.Text = fmt.Sprintf("goroutines (GOMAXPROCS=%s)", r.Config["gomaxprocs"])
		p.X.Tick.Marker = ticks
		p.X.Min, p.X.Max = 0, math.Log10(max(2, goroutines[len(goroutines)-1]))
		logAxis(&p.Y, around.low, around.high, tick)
		p.Y.Label.Text = label
		return nil
	}
}

func plotLatency(r *Results, p *picture) error {
	var places []string
	var ticks plot.ConstantTicks
	for i, q := range measure.Percentiles {
		places = append(places, percentileTitle(q))
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: percentileTitle(q)})
	}
	around, err := lines(p, seriesOf([]string{
		"uid-cached", "uid-lane", "uid-unordered", "uid-uncached", "snowflake", "google-uuid-v7", "xid",
		"segment-mysql", "redis-incr", "mysql-auto-increment", "atomic-add", "nothing",
	}, places, func(at, place string) summary {
		return r.percentile("Latency/goroutines="+r.Config["gomaxprocs"]+"/"+at,
			measure.Percentiles[slices.Index(places, place)])
	}, func(i int) float64 { return float64(i) }), false, true)
	if err != nil {
		return err
	}
	p.X.Tick.Marker = ticks
	p.X.Min, p.X.Max = 0, float64(len(ticks)-1)
	p.X.Label.Text = "percentile of the calls"
	logAxis(&p.Y, around.low, around.high, decade(span))
	p.Y.Label.Text = "time of a call, the timer's own included"
	return nil
}

func plotLead(r *Results, p *picture) error {
	var all []series
	for _, layout := range measure.LeadLayouts {
		s := series{label: leadLabels[layout], wide: true}
		rates, perSecond := r.leadRates()
		for i, x := range rates {
			if perSecond[i] > 0 { // a logarithmic axis has no 0
				s.points = append(s.points,
					plotter.XY{X: perSecond[i], Y: r.sum("Lead/layout="+layout+"/"+x.at, "lead-s/s").median})
			}
		}
		all = append(all, s)
	}
	around, err := lines(p, all, true, true)
	if err != nil {
		return err
	}
	logAxis(&p.Y, around.low, around.high, count)
	var ticks plot.ConstantTicks
	for _, t := range []struct {
		seconds float64
		label   string
	}{
		{0.001, "1 ms"}, {0.01, "10 ms"}, {0.1, "100 ms"}, {1, "1 s"}, {10, "10 s"}, {60, "1 min"}, {600, "10 min"},
		{3600, "1 h"}, {36000, "10 h"}, {86400, "1 day"}, {864000, "10 days"},
	} {
		if at := math.Log10(t.seconds); at >= p.Y.Min && at <= p.Y.Max {
			ticks = append(ticks, plot.Tick{Value: at, Label: t.label})
		}
	}
	p.Y.Tick.Marker = ticks
	logAxis(&p.X, around.left, around.right, decade(count))
	p.X.Label.Text = "UIDs drawn in a second by one generator; none without lead is shown"
	p.Y.Label.Text = "lead after a second"
	return nil
}

func plotInsert(r *Results, p *picture) error {
	var all []series
	for _, key := range r.words("Insert", "key") {
		s := series{label: measure.KeyLabel(key), wide: strings.HasPrefix(key, "uid")}
		speeds := r.pick("Insert/key="+key, "rows/s")
		for i, rows := range r.pick("Insert/key="+key, "rows") {
			s.points = append(s.points, plotter.XY{X: rows / 1000, Y: speeds[i] / 1000})
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b series) int { return strings.Compare(a.label, b.label) })
	around, err := lines(p, all, false, false)
	if err != nil {
		return err
	}
	linearAxis(&p.Y, around.high*1.05)
	linearAxis(&p.X, around.right)
	p.X.Label.Text = "thousand rows in the table"
	p.Y.Label.Text = "thousand rows a second"
	return nil
}

// A bar is one subject's rate, measured and built in.
type bar struct {
	subject.Subject
	rate summary
}

const (
	barRoom    = 18 // from bar to bar
	barHalf    = 5
	standsOut  = 3 // how far a stroke stands out above and below its bar
	columnRoom = 8 // to the right of the names and of the values
)

// kinds says for whom a colour stands.
var kinds = []string{
	subject.Ours: "this module", subject.Peer: "other libraries", subject.Server: "servers", subject.Limit: "limits",
}

func plotAll(r *Results, p *picture) error {
	var bars []bar
	least, most := math.Inf(1), 0.0
	var names, values vg.Length // the widest
	for _, x := range measured("Scale/goroutines=8" + r.full())(r) {
		rate := r.sum("Scale/goroutines=8"+r.full()+"/"+x.at, "IDs/s")
		bars = append(bars, bar{x.Subject, rate})
		for _, v := range []float64{rate.low, rate.high, x.Sustained} {
			if v > 0 {
				least, most = min(least, v), max(most, v)
			}
		}
		names, values = max(names, widthOf(x.Label)), max(values, widthOf(count(rate.median)))
	}
	if len(bars) == 0 {
		return errNothing
	}
	slices.SortStableFunc(bars, func(a, b bar) int { return cmp.Compare(a.rate.median, b.rate.median) })
	logAxis(&p.X, math.Pow(10, math.Floor(math.Log10(least))), most, decade(count))
	p.X.Label.Text = "IDs a second"
	p.addGrid(false)
	p.Add(barsPlot{bars, values, p})
	p.legend = kinds
	p.HideY()
	p.left = names + values + 2*columnRoom
	p.Y.Min, p.Y.Max = -0.6, float64(len(bars))-0.4
	const aroundBars = 100 // title, legend, ticks and the axis's name
	p.height = aroundBars + barRoom*vg.Length(len(bars))
	return nil
}

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
		fill(c, hues[x.Kind], c.Min.X, y-barHalf, toX(x.rate.median), y+barHalf)
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1}, toX(x.rate.low), y, toX(x.rate.high), y)
		if x.Sustained > 0 {
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: 3},
				toX(x.Sustained), y-barHalf-standsOut, toX(x.Sustained), y+barHalf+standsOut)
		}
		value := c.Min.X - columnRoom
		c.FillText(style, vg.Point{X: value, Y: y}, count(x.rate.median))
		c.FillText(style, vg.Point{X: value - b.values - columnRoom, Y: y}, x.Label)
	}
}

// fill fills a rectangle.
func fill(c draw.Canvas, with color.Color, left, low, right, high vg.Length) {
	c.FillPolygon(with, []vg.Point{{X: left, Y: low}, {X: right, Y: low}, {X: right, Y: high}, {X: left, Y: high}})
}
