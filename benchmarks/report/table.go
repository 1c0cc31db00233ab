package report

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/uidgen/uid/benchmarks/measure"
	"github.com/uidgen/uid/benchmarks/subject"
)

// A Table can be made of results.
type Table struct {
	Name  string // by which a document asks for it
	Title string
	fill  func(*Results, table.Writer)
}

// Tables are all of them.
var Tables = []Table{
	{"machine", "Where and how", machine},
	{"summary", "Nanoseconds for an ID, the median of the rounds", compare},
	{"brief", "Time for an ID, 8 goroutines", brief},
	{"short", "Time for an ID, 8 goroutines", short},
	{"ratios", "Time for an ID as a multiple of a bare atomic add's, in the same round", ratios},
	{"rates", "IDs a second, the median of the rounds and their range", rates},
	{"processors", "IDs a second by GOMAXPROCS, with as many goroutines", processors},
	{"latency", "Single calls, as many goroutines as processors", func(r *Results, t table.Writer) { latencies(r, t, r.procs()) }},
	{"latency-8", "Single calls, 8 goroutines", func(r *Results, t table.Writer) { latencies(r, t, "8") }},
	{"costs", "What it costs besides time", costs},
	{"lead", "Time borrowed in a second of drawing", leads},
	{"paced", "Numbers from servers at a pace: round trips, and single calls of 8 goroutines", paced},
	{"fairness", "Calls among others that take all there is, at the ceiling", fairness},
	{"unique", "Duplicates", unique},
	{"insert", "Rows keyed by each kind of ID", inserts},
}

// Text returns the table for a terminal.
func (t Table) Text(r *Results) string {
	w := t.writer(r)
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.Options{SeparateHeader: true}
	w.SetStyle(style)
	return w.Render()
}

// Markdown returns the table for a document.
func (t Table) Markdown(r *Results) string {
	w := t.writer(r)
	if w.Length() == 0 {
		return "Not measured yet."
	}
	return w.RenderMarkdown()
}

func (t Table) writer(r *Results) table.Writer {
	w := table.NewWriter()
	w.SuppressTrailingSpaces()
	t.fill(r, w)
	return w
}

// header sets the titles. Columns after the first left ones hold numbers.
func header(t table.Writer, left int, titles ...string) {
	var row table.Row
	var columns []table.ColumnConfig
	for i, title := range titles {
		row = append(row, title)
		if i >= left {
			columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.AppendHeader(row)
	t.SetColumnConfigs(columns)
}

// order returns the subjects of a measure: this library's, others', servers, limits;
// within each group in the order of the list of subjects.
func (r *Results) order(name string) []subject.Subject {
	var out []subject.Subject
	listed := slices.Concat(subject.Local(), subject.Served(nil, nil), []subject.Subject{measure.NoCall})
	present := r.words(name, "subject")
	for _, s := range listed {
		if slices.Contains(present, s.Name) {
			out = append(out, s)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Kind < out[j].Kind })
	return out
}

func machine(r *Results, t table.Writer) {
	header(t, 2, "", "")
	for _, k := range []string{"cpu", "cores", "gomaxprocs", "goos", "goarch", "go", "date", "command", "rounds", "peers", "database", "redis"} {
		if v := r.Config[k]; v != "" {
			t.AppendRow(table.Row{k, v})
		}
	}
	if len(r.words("Latency"+measure.MergedSuffix, "subject")) > 0 {
		t.AppendRow(table.Row{"percentiles", "of the calls of all rounds together; in brackets the range of the rounds"})
	}
	if repeated, still, known := r.lacking(); known > 0 {
		t.AppendRow(table.Row{"processor time", fmt.Sprintf(
			"of %s measurements without servers %s lacked it and were repeated; %s lack it as they stand here",
			grouped(float64(known)), grouped(float64(repeated)), grouped(float64(still)))})
	}
	for _, m := range subject.Missing() {
		t.AppendRow(table.Row{"left out", m})
	}
}

func compare(r *Results, t table.Writer) {
	all := r.numbers("Scale", "goroutines", labels{"gomaxprocs": r.procs()})
	var shown []int
	for _, n := range []int{1, 8, 64} {
		if slices.Contains(all, n) {
			shown = append(shown, n)
		}
	}
	titles := []string{"", "bits"}
	for _, n := range shown {
		titles = append(titles, goroutines(n))
	}
	header(t, 1, append(titles, "built to sustain", "beyond that")...)
	for _, s := range r.order("Scale") {
		row := table.Row{s.Label, s.Bits}
		for _, n := range shown {
			row = append(row, r.cell("Scale", "ns/op", labels{"subject": s.Name, "goroutines": fmt.Sprint(n), "gomaxprocs": r.procs()}, span))
		}
		t.AppendRow(append(row, sustained(s), s.Beyond))
	}
}

// briefList is what the README shows.
var briefList = []string{"uid-cached", "uid-lane", "uid-uncached", "snowflake", "google-uuid-v7", "xid", "mysql-auto-increment", "atomic-add"}

func brief(r *Results, t table.Writer) {
	header(t, 1, "8 goroutines", "time for an ID", "duplicates")
	for _, name := range briefList {
		t.AppendRow(table.Row{subjects[name].Label, r.timeOf(name), r.duplicatesOf(name)})
	}
}

// timeOf returns a subject's time per ID with 8 goroutines.
func (r *Results) timeOf(name string) string {
	return r.cell("Scale", "ns/op", labels{"subject": name, "goroutines": "8", "gomaxprocs": r.procs()}, span)
}

// duplicatesOf returns how many IDs were duplicates, and of how many.
func (r *Results) duplicatesOf(name string) string {
	duplicates := r.pick("Unique", "duplicates", labels{"subject": name, "rate": "full"})
	if len(duplicates) == 0 {
		return ""
	}
	ids := total(r.pick("Unique", "IDs", labels{"subject": name, "rate": "full"}))
	return fmt.Sprintf("%s in %s", grouped(total(duplicates)), count(ids))
}

// shortList is what docs/performance.md shows.
var shortList = []string{
	"uid-cached", "uid-unordered", "uid-lane", "uid-uncached", "snowflake", "snowflake-16", "sonyflake", "google-uuid-v7", "ulid", "xid",
	"segment-mysql", "segment-redis", "mysql-hilo", "mysql-auto-increment", "redis-incr", "atomic-add",
}

func short(r *Results, t table.Writer) {
	header(t, 1, "8 goroutines", "time for an ID", "one call in a thousand takes", "built to sustain", "beyond that", "duplicates")
	for _, name := range shortList {
		s := subjects[name]
		if r.timeOf(name) == "" {
			continue
		}
		row := table.Row{
			s.Label, r.timeOf(name), "", sustained(s), s.Beyond, r.duplicatesOf(name),
		}
		if late, ok := r.percentile("Latency", 99.9, labels{"subject": name, "goroutines": "8"}); ok {
			row[2] = "≥ " + span(late.Median)
		}
		t.AppendRow(row)
	}
}

func goroutines(n int) string {
	if n == 1 {
		return "1 goroutine"
	}
	return fmt.Sprintf("%d goroutines", n)
}

// sustained returns the built-in ceiling, and the time between IDs at that rate.
func sustained(s subject.Subject) string {
	if s.Sustained == 0 {
		return ""
	}
	return fmt.Sprintf("%s/s: %s", grouped(s.Sustained), span(1e9/s.Sustained))
}

// percentileCell returns a percentile and the range of the rounds, or "" without a measurement.
func (r *Results) percentileCell(measured string, q float64, want labels) string {
	s, ok := r.percentile(measured, q, want)
	if !ok {
		return ""
	}
	return withRange(s, span)
}

// cell returns the median and the range, or "" without a measurement.
func (r *Results) cell(name, unit string, want labels, format func(float64) string) string {
	s, ok := r.sum(name, unit, want)
	if !ok {
		return ""
	}
	return withRange(s, format)
}

// ratios shows the cached generator's calls, as multiples of a bare atomic add by as many
// goroutines in the same round, and what the add took.
func ratios(r *Results, t table.Writer) {
	var shown []int
	for _, n := range r.numbers("Scale", "goroutines", labels{"subject": "atomic-add", "gomaxprocs": r.procs()}) {
		if slices.Contains([]int{1, 2, 8, 32}, n) {
			shown = append(shown, n)
		}
	}
	titles := []string{"call"}
	for _, n := range shown {
		titles = append(titles, goroutines(n))
	}
	header(t, 1, titles...)
	for _, name := range []string{"uid-cached", "uid-lane", "uid-fill", "uid-unordered"} {
		row := table.Row{subjects[name].Label}
		for _, n := range shown {
			want := labels{"goroutines": fmt.Sprint(n), "gomaxprocs": r.procs()}
			row = append(row, r.ratio("Scale", "ns/op", want, name, "atomic-add"))
		}
		if len(shown) > 0 {
			t.AppendRow(row)
		}
	}
	if len(shown) == 0 {
		return
	}
	row := table.Row{"the add itself"}
	for _, n := range shown {
		row = append(row, r.cell("Scale", "ns/op", labels{"subject": "atomic-add", "goroutines": fmt.Sprint(n), "gomaxprocs": r.procs()}, span))
	}
	t.AppendRow(row)
}

// ratio returns the median and the range of the rounds' ratios of a subject to another, or ""
// where one of them was not measured in each round.
func (r *Results) ratio(measured, unit string, want labels, name, base string) string {
	of := func(subject string) []float64 {
		all := maps.Clone(want)
		all["subject"] = subject
		return r.pick(measured, unit, all)
	}
	above, below := of(name), of(base)
	if len(above) == 0 || len(above) != len(below) {
		return ""
	}
	times := make([]float64, len(above))
	for i := range above {
		times[i] = above[i] / below[i]
	}
	return withRange(summarized(times), func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) })
}

func rates(r *Results, t table.Writer) {
	all := r.numbers("Scale", "goroutines", labels{"gomaxprocs": r.procs()})
	titles := []string{"goroutines"}
	for _, n := range all {
		titles = append(titles, fmt.Sprint(n))
	}
	header(t, 1, titles...)
	for _, s := range r.order("Scale") {
		row := table.Row{s.Label}
		for _, n := range all {
			row = append(row, r.cell("Scale", "IDs/s", labels{"subject": s.Name, "goroutines": fmt.Sprint(n), "gomaxprocs": r.procs()}, count))
		}
		t.AppendRow(row)
	}
}

func processors(r *Results, t table.Writer) {
	all := r.numbers("Scale", "gomaxprocs", nil)
	titles := []string{"GOMAXPROCS"}
	for _, n := range all {
		titles = append(titles, fmt.Sprint(n), fmt.Sprintf("%d, 64 goroutines", n))
	}
	header(t, 1, titles...)
	for _, s := range r.order("Scale") {
		row := table.Row{s.Label}
		for _, n := range all {
			for _, goroutines := range []string{fmt.Sprint(n), "64"} {
				row = append(row, r.cell("Scale", "IDs/s", labels{"subject": s.Name, "goroutines": goroutines, "gomaxprocs": fmt.Sprint(n)}, count))
			}
		}
		t.AppendRow(row)
	}
}

func latencies(r *Results, t table.Writer, goroutines string) {
	titles := []string{""}
	for _, q := range measure.Percentiles {
		titles = append(titles, strings.TrimSuffix(measure.PercentileUnit(q), "-ns"))
	}
	header(t, 1, append(titles, "longest of all")...)
	for _, s := range r.order("Latency") {
		want := labels{"subject": s.Name, "goroutines": goroutines}
		row := table.Row{s.Label}
		for _, q := range measure.Percentiles {
			row = append(row, r.percentileCell("Latency", q, want))
		}
		longest, ok := r.sum("Latency", measure.LongestUnit, want)
		if !ok {
			continue
		}
		t.AppendRow(append(row, span(longest.High)))
	}
}

func costs(r *Results, t table.Writer) {
	header(t, 1, "", "allocations", "bytes allocated", "bytes of a generator", "processor time of an idle one, a second")
	for _, s := range r.order("Allocations") {
		want := labels{"subject": s.Name}
		median := func(name, unit string, format func(float64) string) string {
			v, ok := r.sum(name, unit, want)
			if !ok {
				return ""
			}
			return format(v.Median)
		}
		tenth := func(v float64) string { return significant(float64(int(v*10+0.5))/10, 2) }
		t.AppendRow(table.Row{
			s.Label,
			median("Allocations", "allocs/op", tenth),
			median("Allocations", "B/op", func(v float64) string { return grouped(v) }),
			median("Memory", "B/generator", func(v float64) string { return grouped(max(0, v)) }),
			r.cell("Idle", "cpu-ns/s/generator", want, span),
		})
	}
	if v, ok := r.sum("Idle", "cpu-ns/s/generator", labels{"subject": measure.NoCall.Name}); ok {
		t.AppendRow(table.Row{"no generator at all", "", "", "", withRange(v, span)})
	}
}

func leads(r *Results, t table.Writer) {
	header(t, 1, "drawn in a second", "lead, "+leadLabels["default"], "lead, "+leadLabels["twitter"])
	for _, rate := range r.leadRates() {
		row := table.Row{rate.label}
		for _, layout := range measure.LeadLayouts {
			row = append(row, r.cell("Lead", "lead-s/s", labels{"layout": layout, "rate": rate.name}, leadSpan))
		}
		t.AppendRow(row)
	}
}

var leadLabels = map[string]string{
	"default": "default layout (8,192 in 1 s)",
	"twitter": "twitter layout (4,096 in 1 ms)",
}

type leadRate struct {
	name, label string
	perSecond   float64
}

// leadRates returns the rates in ascending order, the unbounded one last.
func (r *Results) leadRates() []leadRate {
	var out []leadRate
	for _, name := range r.words("Lead", "rate") {
		s, _ := r.sum("Lead", "IDs/s", labels{"rate": name})
		label := count(s.Median)
		if name == "full" {
			label = "as many as it can, " + label
		}
		out = append(out, leadRate{name, label, s.Median})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].perSecond < out[j].perSecond })
	return out
}

// leadSpan returns seconds as a person would say them.
func leadSpan(seconds float64) string {
	switch {
	case seconds == 0:
		return "0 s"
	case seconds >= 2*86400:
		return significant(seconds/86400, 2) + " days"
	case seconds >= 2*3600:
		return significant(seconds/3600, 2) + " h"
	}
	return significant(seconds, 2) + " s"
}

// reached is the share of a pace that a source has to keep.
const reached = 0.9

func paced(r *Results, t table.Writer) {
	titles := []string{"", "asked for in a second", "drawn in a second", "round trips for a million", "taken at a time in the end"}
	for _, q := range pacedPercentiles {
		titles = append(titles, strings.TrimSuffix(measure.PercentileUnit(q), "-ns"))
	}
	titles = append(titles, "longest of a round")
	header(t, 1, titles...)
	for _, pace := range r.paces() {
		for _, s := range r.order("Paced") {
			want := labels{"subject": s.Name, "rate": measure.PaceLabel(pace)}
			drawn, ok := r.sum("Paced", "IDs/s", want)
			if !ok {
				continue
			}
			asked, speed := grouped(pace), withRange(drawn, count)
			if pace == 0 {
				asked = "as many as it can"
			}
			row := table.Row{s.Label, asked, speed, r.tripsForMillion(want), r.stepOf(want)}
			if drawn.Median < reached*pace {
				row[2] = "not reached: " + speed
				t.AppendRow(row) // the calls are those of as many as it can
				continue
			}
			for _, q := range pacedPercentiles {
				row = append(row, r.percentileCell("Paced", q, want))
			}
			t.AppendRow(append(row, r.cell("Paced", measure.LongestUnit, want, span)))
		}
	}
}

// pacedPercentiles are those for which a slow pace has calls enough.
var pacedPercentiles = []float64{50, 99, 99.9}

// paces returns the paces in ascending order, the unbounded one last as 0.
func (r *Results) paces() (out []float64) {
	full := false
	for _, name := range r.words("Paced", "rate") {
		if pace, err := strconv.ParseFloat(name, 64); err == nil {
			out = append(out, pace)
		} else {
			full = true
		}
	}
	slices.Sort(out)
	if full {
		out = append(out, 0)
	}
	return out
}

// tripsForMillion returns how many round trips there were for a million numbers, of all rounds.
func (r *Results) tripsForMillion(want labels) string {
	trips, numbers := r.pick("Paced", measure.TripsUnit, want), total(r.pick("Paced", "IDs", want))
	switch made := total(trips); {
	case len(trips) == 0:
		return ""
	case made == 0:
		return "none for " + grouped(numbers)
	case made*1e4 < numbers: // below a hundred
		return significant(1e6*made/numbers, 2)
	default:
		return grouped(1e6 * made / numbers)
	}
}

// stepOf returns how many numbers were taken at a time in the last round.
func (r *Results) stepOf(want labels) string {
	steps := r.pick("Paced", measure.StepUnit, want)
	if len(steps) == 0 {
		return ""
	}
	return grouped(steps[len(steps)-1])
}

func fairness(r *Results, t table.Writer) {
	header(t, 1, "", "p50", "p99", "longest", "share of what the ticks hold", "processors busy")
	present := r.words("Fairness", "subject")
	for _, s := range subject.AtCeiling() {
		if !slices.Contains(present, s.Name) {
			continue
		}
		want := labels{"subject": s.Name}
		row := table.Row{s.Label}
		for _, unit := range []string{measure.PercentileUnit(50), measure.PercentileUnit(99), measure.LongestUnit} {
			took, _ := r.sum("Fairness", unit, want)
			row = append(row, span(took.Median))
		}
		rate, _ := r.sum("Fairness", "IDs/s", want)
		busy, _ := r.sum("Fairness", measure.ProcessorsUnit, want)
		t.AppendRow(append(row, fmt.Sprintf("%.2f", rate.Median/s.Sustained), fmt.Sprintf("%.2f", busy.Median)))
	}
}

func unique(r *Results, t table.Writer) {
	header(t, 1, "", "IDs a second", "IDs looked at, all rounds", "duplicates", "a second")
	for _, s := range r.order("Unique") {
		for _, rate := range []string{"full", fmt.Sprintf("%.0f", 0.9*s.Sustained)} {
			want := labels{"subject": s.Name, "rate": rate}
			ids, duplicates := r.pick("Unique", "IDs", want), r.pick("Unique", "duplicates", want)
			if len(ids) == 0 {
				continue
			}
			label, perSecond := s.Label, "0"
			if rate != "full" {
				label += ", held at nine tenths of its limit"
			}
			speed, _ := r.sum("Unique", "IDs/s", want)
			if total(duplicates) > 0 {
				perSecond = count(total(duplicates) / total(ids) * speed.Median)
			}
			t.AppendRow(table.Row{label, withRange(speed, count), grouped(total(ids)), grouped(total(duplicates)), perSecond})
		}
	}
}

func total(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

func inserts(r *Results, t table.Writer) {
	header(t, 1, "primary key", "rows a second", "in the last round", "rows", "page splits", "size of the table")
	keys := r.words("Insert", "key")
	sort.SliceStable(keys, func(i, j int) bool { return r.last("rows/s", keys[i]) > r.last("rows/s", keys[j]) })
	for _, key := range keys {
		t.AppendRow(table.Row{
			keyLabel(key),
			r.cell("Insert", "rows/s", labels{"key": key}, count),
			count(r.last("rows/s", key)),
			grouped(r.last("rows", key)),
			grouped(total(r.pick("Insert", "page-splits", labels{"key": key}))),
			significant(r.last("table-bytes", key)/(1<<20), 3) + " MiB",
		})
	}
}

// last returns the value of a table's last round.
func (r *Results) last(unit, key string) float64 {
	values := r.pick("Insert", unit, labels{"key": key})
	return values[len(values)-1]
}

func keyLabel(key string) string {
	if label, ok := keyLabels[key]; ok {
		return label
	}
	return key
}

var keyLabels = map[string]string{
	"auto-increment": "AUTO_INCREMENT, BIGINT",
	"uid":            "uid, GetUID, BIGINT",
	"uid-unordered":  "uid, Unordered, BIGINT",
	"uuid-v4":        "UUID v4, BINARY(16)",
	"uuid-v4-text":   "UUID v4, CHAR(36)",
	"uuid-v7":        "UUID v7, BINARY(16)",
	"ulid":           "ULID, BINARY(16)",
	"xid":            "xid, BINARY(12)",
	"ksuid":          "KSUID, BINARY(20)",
	"nanoid":         "nanoid, CHAR(21)",
}
