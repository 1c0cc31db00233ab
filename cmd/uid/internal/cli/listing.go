package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
)

// A Listing writes rows of the same columns in one of three formats: a table for people; one JSON object per line; or
// one row per line, tab-separated. It writes the last two as rows come in, and a table when the listing ends.
type Listing struct {
	out     *Output
	format  Format
	columns []Column
	rows    [][]string // of a table
}

// A Column has a title for tables, of one or two lines, and a key for JSON.
type Column struct {
	key, title string
	numbers    bool // they are aligned right
	hidden     bool // in tables
}

// Text is a column of texts.
func Text(key, title string) Column { return Column{key: key, title: title} }

// Numbers is a column of numbers.
func Numbers(key, title string) Column { return Column{key: key, title: title, numbers: true} }

// ForPrograms is a column that a table leaves out.
func ForPrograms(key string) Column { return Column{key: key, hidden: true} }

// Unless returns the column, which tables leave out if it is hidden.
func (c Column) Unless(hidden bool) Column {
	c.hidden = hidden
	return c
}

// A Cell is a value. In a table its text is shown instead, if it has one.
type Cell struct {
	Value any // a string, number, bool, time.Time or json.Marshaler; nil: not known
	Text  string
}

// List begins a listing.
func (p *Program) List(f Format, columns ...Column) *Listing {
	return &Listing{out: p.Out, format: f, columns: columns}
}

// Add adds a row, with a value or a Cell for each column.
func (l *Listing) Add(values ...any) {
	var row []string
	for i, v := range values {
		c, is := v.(Cell)
		if !is {
			c.Value = v
		}
		if at, is := c.Value.(time.Time); is {
			c.Value = at.Format(time.RFC3339Nano)
		}
		switch l.format {
		case Table:
			if !l.columns[i].hidden {
				row = append(row, cmp.Or(c.Text, plain(c.Value)))
			}
		case JSON:
			fmt.Fprintf(l.out, "%c%q:%s", "{,"[min(i, 1)], l.columns[i].key, l.out.inJSON(c.Value))
		default:
			row = append(row, plain(c.Value))
		}
	}
	switch l.format {
	case Table:
		l.rows = append(l.rows, row)
	case JSON:
		fmt.Fprintln(l.out, "}")
	default:
		fmt.Fprintln(l.out, strings.Join(row, "\t"))
	}
}

// End writes the table, if it is one and has rows.
func (l *Listing) End() {
	if !l.Empty() {
		shown := slices.DeleteFunc(slices.Clone(l.columns), func(c Column) bool { return c.hidden })
		fmt.Fprint(l.out, drawTable(shown, l.rows, l.out.Width))
	}
}

// Empty reports whether there is no table to write.
func (l *Listing) Empty() bool { return len(l.rows) == 0 }

func plain(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// inJSON returns a value as JSON. One that has no such form, as a time after the year 9999, fails the output.
func (o *Output) inJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		o.err = cmp.Or(o.err, err)
		return []byte("null")
	}
	return text
}

// Answer writes what a command has done: a sentence for people, or a row for programs, of alternating keys and values.
func (p *Program) Answer(f Format, sentence string, pairs ...any) {
	if f == Table {
		fmt.Fprintln(p.Out, sentence)
		return
	}
	l := p.List(f)
	var values []any
	for i := 0; i < len(pairs); i += 2 {
		l.columns, values = append(l.columns, ForPrograms(pairs[i].(string))), append(values, pairs[i+1])
	}
	l.Add(values...)
}

// ListParts begins a listing of the parts of UIDs of one layout. Its JSON is that of uid.Parts; its plain lines hold
// UID, time, worker ID and sequence.
func (p *Program) ListParts(f Format, l bits.Layout) *Listing {
	columns := []Column{Numbers("uid", "UID"), Text("time", "time"), Numbers("worker_id", "worker\nID")}
	if f == Table {
		for _, field := range l.Fields() {
			columns = append(columns, Numbers(field.Name, field.Name))
		}
	}
	return p.List(f, append(columns, Numbers("sequence", "sequence"))...)
}

// AddParts adds a row to a listing of parts.
func (l *Listing) AddParts(p uid.Parts) {
	values := []any{p.UID, p.Time, p.WorkerID}
	if l.format == Table {
		for _, value := range p.Machine() {
			values = append(values, value)
		}
	}
	l.addAs(p, append(values, p.Sequence)...)
}

// AddForeign adds a row of another generator's number, in the same form.
func (l *Listing) AddForeign(p foreign.Parts) { l.addAs(p, p.ID, p.Time, p.Machine, p.Sequence) }

// addAs adds a row that has a JSON of its own.
func (l *Listing) addAs(object any, values ...any) {
	if l.format == JSON {
		fmt.Fprintf(l.out, "%s\n", l.out.inJSON(object))
		return
	}
	l.Add(values...)
}

// Number is a cell of a number >= 0 that may be large.
func Number(n float64) Cell {
	switch {
	case n >= 1<<63:
	case n == math.Trunc(n):
		return Count(int64(n))
	case n >= 100:
		return Cell{n, humanize.Comma(int64(math.Round(n)))}
	}
	return Cell{n, fmt.Sprintf("%.3g", n)}
}

// Count is a cell of a number.
func Count(n int64) Cell { return Cell{n, humanize.Comma(n)} }

// LayoutCell shows programs a layout's full description, and people its widths.
func LayoutCell(l bits.Layout) Cell { return Cell{l.String(), Short(l)} }

// Span is a cell of a duration; programs get seconds.
func Span(d time.Duration) Cell { return Cell{d.Seconds(), Words(d)} }

// Moment is a cell of a time; people see it to the second.
func Moment(t time.Time) Cell { return Cell{t, t.Format("2006-01-02 15:04:05")} }

// Second is a time for a person, without its fraction.
func Second(t time.Time) string { return t.Format(time.RFC3339) }

// Words returns a duration as a person would say it.
func Words(d time.Duration) string {
	const day, year = 24 * time.Hour, 8766 * time.Hour
	switch {
	case d >= 2*year:
		return fmt.Sprintf("%.1f years", float64(d)/float64(year))
	case d >= 2*day:
		return fmt.Sprintf("%.1f days", float64(d)/float64(day))
	case d < time.Minute:
		return d.Round(time.Millisecond).String()
	}
	s := d.Round(time.Second).String()
	for _, zero := range []string{"0s", "0m"} {
		if short, ok := strings.CutSuffix(s, zero); ok && strings.ContainsAny(short[len(short)-1:], "mh") {
			s = short
		}
	}
	return s
}

// Printable returns text from a database with everything replaced that could control a terminal or break a
// tab-separated line.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// PerSecond returns how many UIDs a second one worker of a layout can sustain.
func PerSecond(l bits.Layout) float64 { return float64(l.MaxSequence()+1) / l.Unit().Seconds() }

// Short returns the widths of a layout and its unit, in a form that --layout takes.
func Short(l bits.Layout) string {
	units := map[time.Duration]string{time.Second: "", time.Millisecond: "ms", time.Microsecond: "us",
		time.Nanosecond: "ns", time.Minute: "m", time.Hour: "h"}
	if unit, ok := units[l.Unit()]; ok {
		return fmt.Sprintf("%d%s/%d/%d", l.TimeBits(), unit, l.WorkerBits(), l.SequenceBits())
	}
	return fmt.Sprintf("%d/%d/%d unit=%v", l.TimeBits(), l.WorkerBits(), l.SequenceBits(), l.Unit())
}
