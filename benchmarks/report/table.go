package report

import (
	"cmp"
	"fmt"
	"slices"
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
	first string // the title of the column of labels
	rows  func(*Results) []row
	// columns returns the others. They hold numbers if they have titles.
	columns func(*Results) []column
}

// A row shows a subject, or what its label says.
type row struct {
	subject.Subject
	at string // a part of the names of its results: "subject=xid"
}

type column struct {
	title string
	text  func(row) string
}

// Tables are all of them.
var Tables = []Table{
	{"machine", "Where and how", "", facts, func(*Results) []column {
		return []column{{"", func(x row) string { return x.at }}}
	}},
	{"summary", "Nanoseconds for an ID, the median of the rounds", "", measured("Scale"), compare},
	{"brief", "Time for an ID, and of a single call, 8 goroutines", "8 goroutines", named(
		"uid-cached", "uid-lane", "uid-uncached", "snowflake", "snowflake-16", "sonyflake-2", "sonyflake-2-16",
		"google-uuid-v7"), func(r *Results) []column {
		return []column{r.times("time for an ID", 8), r.median("a call: p50", 50), r.median("p99", 99), sustained}
	}},
	{"headline", "Time for an ID, and what the layout sustains", "", named(
		"uid-cached", "uid-lane", "uid-uncached", "segment-mysql", "wuid", "snowflake", "snowflake-16", "sonyflake-2",
		"sonyflake-2-16", "yitter", "google-uuid-v7", "xid", "ulid", "mysql-auto-increment", "redis-incr",
	), func(r *Results) []column {
		return []column{r.times("8 goroutines", 8), sustained, beyond}
	}},
	{"ratios", "Time for an ID as a multiple of a bare atomic add's, in the same round", "call", func(
		r *Results,
	) []row {
		if len(r.of("Scale/"+addItself+r.full())) == 0 {
			return nil
		}
		rows := named("uid-cached", "uid-lane", "uid-fill", "uid-unordered")(r)
		return append(rows, row{subject.Subject{Label: "the add itself"}, addItself})
	}, ratios},
	{"rates", "IDs a second, the median of the rounds and their range", "goroutines", measured("Scale"), rates},
	{"processors", "IDs a second by GOMAXPROCS, with as many goroutines", "GOMAXPROCS", measured("Scale"), processors},
	{"latency", "Single calls, as many goroutines as processors", "", func(r *Results) []row {
		return measured("Latency/goroutines=" + r.Config["gomaxprocs"])(r)
	}, func(r *Results) []column { return r.latencies(r.Config["gomaxprocs"]) }},
	{"latency-8", "Single calls, 8 goroutines", "", measured("Latency/goroutines=8"),
		func(r *Results) []column { return r.latencies("8") }},
	{"costs", "What it costs besides time", "", func(r *Results) []row {
		rows := measured("Allocations")(r)
		if none := "subject=" + measure.NoCall.Name; len(r.of("Idle/"+none)) > 0 {
			rows = append(rows, row{subject.Subject{Label: "no generator at all"}, none})
		}
		return rows
	}, costs},
	{"memory", "Bytes of a generator", "", named("uid-cached", "uid-uncached", "segment-mysql", "wuid", "snowflake",
		"sonyflake-2"), func(r *Results) []column {
		return []column{r.column("bytes of a generator", "Memory", "B/generator", grouped)}
	}},
	{"lead", "Time borrowed in a second of drawing", "drawn in a second", (*Results).leadRates, leads},
	{"paced", "Numbers from servers at a pace: round trips, and single calls of 8 goroutines", "", func(
		r *Results,
	) (out []row) {
		for _, pace := range r.numbers("Paced", "rate") {
			at := "/rate=" + measure.PaceLabel(pace)
			for _, x := range measured("Paced" + at)(r) {
				out = append(out, row{x.Subject, x.at + at})
			}
		}
		return out
	}, paced},
	{"waiting", "Calls at the ceiling", "", func(r *Results) []row {
		uncached := func(x row) bool { return strings.Contains(x.Name, "uncached") }
		return slices.DeleteFunc(measured("Fairness")(r), uncached)
	}, func(r *Results) []column { return r.percentiles("Fairness", []float64{50, 99}) }},
	{"fairness", "Calls among others that take all there is, at the ceiling", "", measured("Fairness"), fairness},
	{"unique", "Duplicates", "", func(r *Results) (out []row) {
		for _, x := range measured("Unique")(r) {
			rates := r.words("Unique/"+x.at, "rate")
			slices.SortFunc(rates, func(a, b string) int { return strings.Compare(b, a) }) // full first
			for _, rate := range rates {
				y := row{x.Subject, x.at + "/rate=" + rate}
				if rate != "full" {
					y.Label += ", held at nine tenths of its limit"
				}
				out = append(out, y)
			}
		}
		return out
	}, unique},
	{"insert", "Rows keyed by each kind of ID", "primary key", func(r *Results) (out []row) {
		for _, key := range r.words("Insert", "key") {
			out = append(out, row{subject.Subject{Label: measure.KeyLabel(key)}, "key=" + key})
		}
		speed := func(x row) float64 { return r.last("Insert/"+x.at, "rows/s") }
		slices.SortStableFunc(out, func(a, b row) int { return cmp.Compare(speed(b), speed(a)) })
		return out
	}, inserts},
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
	header, columns := table.Row{t.first}, t.columns(r)
	var configs []table.ColumnConfig
	for i, c := range columns {
		header = append(header, c.title)
		if c.title != "" {
			configs = append(configs,
				table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	w.AppendHeader(header)
	w.SetColumnConfigs(configs)
	for _, x := range t.rows(r) {
		cells := table.Row{x.Label}
		for _, c := range columns {
			cells = append(cells, c.text(x))
		}
		w.AppendRow(cells)
	}
	return w
}

// subjects are all that results can hold: this library's, others', servers, limits, within each
// group in the order of their list; then those at the ceiling.
var subjects = func() []subject.Subject {
	all := slices.Concat(subject.Local(), subject.Served(nil, nil), []subject.Subject{measure.NoCall})
	slices.SortStableFunc(all, func(a, b subject.Subject) int { return cmp.Compare(a.Kind, b.Kind) })
	return all
}()

// subjectOf returns the subject of a name; one with that label if it is unknown.
func subjectOf(name string) subject.Subject {
	for _, s := range subjects {
		if s.Name == name {
			return s
		}
	}
	return subject.Subject{Name: name, Label: name}
}

// measured returns a row for each subject of which there are results.
func measured(name string) func(*Results) []row {
	return func(r *Results) (out []row) {
		all := subjects
		if name == "Fairness" {
			all = subject.AtCeiling()
		}
		present := r.words(name, "subject")
		for _, s := range all {
			if slices.Contains(present, s.Name) {
				out = append(out, row{s, "subject=" + s.Name})
			}
		}
		return out
	}
}

// named returns a row for each of the names of which there are results, in their order.
func named(names ...string) func(*Results) []row {
	return func(r *Results) (out []row) {
		for _, n := range names {
			if at := "subject=" + n; len(r.of(at)) > 0 {
				out = append(out, row{subjectOf(n), at})
			}
		}
		return out
	}
}

// column returns one of medians and ranges of the results whose name has these parts, too.
func (r *Results) column(title, name, unit string, format func(float64) string) column {
	return column{title, func(x row) string { return ranged(r.sum(name+"/"+x.at, unit), format) }}
}

func (r *Results) times(title string, goroutines float64) column {
	return r.column(title, fmt.Sprintf("Scale/goroutines=%.0f%s", goroutines, r.full()), "ns/op", span)
}

func (r *Results) percentiles(name string, all []float64) (out []column) {
	for _, q := range all {
		out = append(out, column{percentileTitle(q), func(x row) string {
			return ranged(r.percentile(name+"/"+x.at, q), span)
		}})
	}
	return out
}

func (r *Results) median(title string, q float64) column {
	return column{title, func(x row) string { return span(r.percentile("Latency/goroutines=8/"+x.at, q).median) }}
}

func percentileTitle(q float64) string { return strings.TrimSuffix(measure.PercentileUnit(q), "-ns") }

func facts(r *Results) (out []row) {
	add := func(label, text string) {
		if text != "" {
			out = append(out, row{subject.Subject{Label: label}, text})
		}
	}
	for _, k := range strings.Fields("cpu cores gomaxprocs goos goarch go date command rounds peers database redis") {
		add(k, r.Config[k])
	}
	if len(r.of("Latency"+measure.MergedSuffix)) > 0 {
		add("percentiles", "of the calls of all rounds together; in brackets the range of the rounds")
	}
	if repeated, still, known := r.lacking(); known > 0 {
		add("processor time", fmt.Sprintf(
			"of %s measurements without servers %s lacked it and were repeated; %s lack it as they stand here",
			grouped(known), grouped(repeated), grouped(still)))
	}
	var later []string
	for _, s := range subjects {
		if s.Kind == subject.Peer && len(r.of("Scale/subject="+s.Name)) == 0 {
			later = append(later, s.Label)
		}
	}
	add("not measured yet", strings.Join(later, "; "))
	add("left out", subject.Missing)
	return out
}

// shown returns those of some numbers of goroutines that were measured.
func (r *Results) shown(name string, wanted ...float64) []float64 {
	unwanted := func(n float64) bool { return !slices.Contains(wanted, n) }
	return slices.DeleteFunc(r.numbers(name+r.full(), "goroutines"), unwanted)
}

func goroutines(n float64) string {
	return strings.Replace(fmt.Sprintf("%.0f goroutines", n), "1 goroutines", "1 goroutine", 1)
}

func compare(r *Results) []column {
	out := []column{{"bits", func(x row) string { return fmt.Sprint(x.Bits) }}}
	for _, n := range r.shown("Scale", 1, 8, 64) {
		out = append(out, r.times(goroutines(n), n))
	}
	return append(out, sustained, beyond)
}

var beyond = column{"beyond that", func(x row) string { return x.Beyond.String() }}

// sustained is the built-in ceiling, and the time between IDs at that rate.
var sustained = column{"built to sustain", func(x row) string {
	if x.Sustained == 0 {
		return ""
	}
	return fmt.Sprintf("%s/s: %s", grouped(x.Sustained), span(1e9/x.Sustained))
}}

const addItself = "subject=atomic-add"

// ratios shows the cached generator's calls, as multiples of a bare atomic add by as many
// goroutines in the same round, and what the add took.
func ratios(r *Results) (out []column) {
	for _, n := range r.shown("Scale/"+addItself, 1, 2, 8) {
		name := fmt.Sprintf("Scale/goroutines=%.0f%s/", n, r.full())
		out = append(out, column{goroutines(n), func(x row) string {
			if x.at == addItself {
				return ranged(r.sum(name+addItself, "ns/op"), span)
			}
			return ranged(r.ratio(name+x.at, name+addItself, "ns/op"), hundredths)
		}})
	}
	return out
}

func rates(r *Results) (out []column) {
	for _, n := range r.numbers("Scale"+r.full(), "goroutines") {
		out = append(out, r.column(fmt.Sprint(n), fmt.Sprintf("Scale/goroutines=%.0f%s", n, r.full()), "IDs/s", count))
	}
	return out
}

func processors(r *Results) (out []column) {
	for _, n := range r.numbers("Scale", "gomaxprocs") {
		name := fmt.Sprintf("Scale/gomaxprocs=%.0f/goroutines=", n)
		out = append(out, r.column(fmt.Sprint(n), name+fmt.Sprint(n), "IDs/s", count),
			r.column(fmt.Sprintf("%.0f, 64 goroutines", n), name+"64", "IDs/s", count))
	}
	return out
}

func (r *Results) latencies(goroutines string) []column {
	name := "Latency/goroutines=" + goroutines
	return append(r.percentiles(name, measure.Percentiles), r.longest(name))
}

func (r *Results) longest(name string) column {
	return column{"longest of all", func(x row) string { return span(r.sum(name+"/"+x.at, measure.LongestUnit).high) }}
}

func costs(r *Results) []column {
	plain := func(title, name, unit string, format func(float64) string) column {
		return column{title, func(x row) string { return median(r.sum(name+"/"+x.at, unit), format) }}
	}
	return []column{
		plain("allocations", "Allocations", "allocs/op",
			func(v float64) string { return significant(float64(int(v*10+0.5))/10, 2) }),
		plain("bytes allocated", "Allocations", "B/op", grouped),
		plain("bytes of a generator", "Memory", "B/generator", func(v float64) string { return grouped(max(0, v)) }),
		r.column("processor time of an idle one, a second", "Idle", "cpu-ns/s/generator", span),
	}
}

var leadLabels = map[string]string{
	"default": "default layout (8,192 in 1 s)",
	"twitter": "twitter layout (4,096 in 1 ms)",
}

// leadRates returns the rates in ascending order, the unbounded one last, with how many UIDs were
// drawn in a second at each.
func (r *Results) leadRates() (out []row) {
	for _, wish := range r.numbers("Lead", "rate") {
		at := "rate=" + measure.PaceLabel(wish)
		label := count(r.sum("Lead/"+at, "IDs/s").median)
		if wish == 0 {
			label = "as many as it can, " + label
		}
		out = append(out, row{subject.Subject{Label: label}, at})
	}
	return out
}

func leads(r *Results) (out []column) {
	for _, layout := range measure.LeadLayouts {
		out = append(out, r.column("lead, "+leadLabels[layout], "Lead/layout="+layout, "lead-s/s", seconds))
	}
	return out
}

func paced(r *Results) []column {
	// A source has to keep nine tenths of a pace: else its calls are those of as many as it can.
	pace := func(x row) float64 { return r.numbers("Paced/"+x.at, "rate")[0] }
	reached := func(x row) bool { return r.sum("Paced/"+x.at, "IDs/s").median >= 0.9*pace(x) }
	calls := r.percentiles("Paced", []float64{50, 99, 99.9}) // for which a slow pace has calls enough
	calls = append(calls, r.column("longest of a round", "Paced", measure.LongestUnit, span))
	for i, c := range calls {
		calls[i].text = func(x row) string {
			if !reached(x) {
				return ""
			}
			return c.text(x)
		}
	}
	return append([]column{
		{"asked for in a second", func(x row) string {
			if pace(x) == 0 {
				return "as many as it can"
			}
			return grouped(pace(x))
		}},
		{"drawn in a second", func(x row) string {
			drawn := ranged(r.sum("Paced/"+x.at, "IDs/s"), count)
			if !reached(x) {
				return "not reached: " + drawn
			}
			return drawn
		}},
		{"round trips for a million", func(x row) string { return r.tripsForMillion("Paced/" + x.at) }},
		{"taken at a time in the end", func(x row) string {
			if len(r.pick("Paced/"+x.at, measure.StepUnit)) == 0 {
				return ""
			}
			return grouped(r.last("Paced/"+x.at, measure.StepUnit))
		}},
	}, calls...)
}

// tripsForMillion returns how many round trips there were for a million numbers, of all rounds.
func (r *Results) tripsForMillion(name string) string {
	trips, numbers := r.total(name, measure.TripsUnit), r.total(name, "IDs")
	switch {
	case len(r.pick(name, measure.TripsUnit)) == 0:
		return ""
	case trips == 0:
		return "none for " + grouped(numbers)
	case trips*1e4 < numbers: // below a hundred
		return significant(1e6*trips/numbers, 2)
	}
	return grouped(1e6 * trips / numbers)
}

func fairness(r *Results) []column {
	plain := func(title, unit string, format func(row, float64) string) column {
		return column{title, func(x row) string { return format(x, r.sum("Fairness/"+x.at, unit).median) }}
	}
	return append(r.percentiles("Fairness", []float64{50, 99}), r.longest("Fairness"),
		plain("share of what the ticks hold", "IDs/s",
			func(x row, rate float64) string { return hundredths(rate / x.Sustained) }),
		plain("processors busy", measure.ProcessorsUnit, func(_ row, busy float64) string { return hundredths(busy) }))
}

func unique(r *Results) []column {
	whole := func(title, unit string) column {
		return column{title, func(x row) string { return grouped(r.total("Unique/"+x.at, unit)) }}
	}
	return []column{
		r.column("IDs a second", "Unique", "IDs/s", count),
		whole("IDs looked at, all rounds", "IDs"),
		whole("duplicates", "duplicates"),
		{"a second", func(x row) string {
			name := "Unique/" + x.at
			return count(r.total(name, "duplicates") / r.total(name, "IDs") * r.sum(name, "IDs/s").median)
		}},
	}
}

func inserts(r *Results) []column {
	return []column{
		r.column("rows a second", "Insert", "rows/s", count),
		{"page splits", func(x row) string { return grouped(r.total("Insert/"+x.at, "page-splits")) }},
		{"size of the table", func(x row) string {
			return significant(r.last("Insert/"+x.at, "table-bytes")/(1<<20), 3) + " MiB"
		}},
	}
}
