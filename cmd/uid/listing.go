package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
)

// A listing writes rows of the same columns in one of three formats: a table for people;
// one JSON object per line; or one row per line, tab-separated. It writes the last two as
// rows come in, and a table when the listing ends.
type listing struct {
	out     *output
	format  format
	columns []column
	rows    [][]string // of a table
}

// A column has a title for tables, of one or two lines, and a key for JSON. Numbers are
// aligned right.
type column struct {
	key, title string
	numbers    bool
}

// forPrograms is the title of a column that a table leaves out.
const forPrograms = "-"

// A cell is a value. In a table its text is shown instead, if it has one.
type cell struct {
	value any // a string, number, bool, time.Time or json.Marshaler; nil: not known
	text  string
}

func newListing(out *output, f format, columns ...column) *listing {
	return &listing{out: out, format: f, columns: columns}
}

// add adds a row, with a cell for each column.
func (l *listing) add(cells ...cell) {
	switch l.format {
	case table:
		var row []string
		for i, c := range cells {
			if l.columns[i].title != forPrograms {
				row = append(row, cmp.Or(c.text, c.plain()))
			}
		}
		l.rows = append(l.rows, row)
	case asJSON:
		for i, c := range cells {
			fmt.Fprintf(l.out, "%c%q:%s", "{,"[min(i, 1)], l.columns[i].key, l.out.inJSON(c.program()))
		}
		fmt.Fprintln(l.out, "}")
	default:
		var row []string
		for _, c := range cells {
			row = append(row, c.plain())
		}
		fmt.Fprintln(l.out, strings.Join(row, "\t"))
	}
}

// end writes the table, if it is one and has rows.
func (l *listing) end() {
	if len(l.rows) > 0 {
		shown := slices.DeleteFunc(slices.Clone(l.columns), func(c column) bool { return c.title == forPrograms })
		fmt.Fprint(l.out, drawTable(shown, l.rows, l.out.width))
	}
}

// inJSON returns a value as JSON. One that has no such form, as a time after the year 9999, fails the output.
func (o *output) inJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		o.err = cmp.Or(o.err, err)
		return []byte("null")
	}
	return text
}

// record writes a row for programs, of keys and values by turns.
func (p *program) record(f format, pairs ...any) {
	l := newListing(p.out, f)
	var cells []cell
	for i := 0; i < len(pairs); i += 2 {
		l.columns, cells = append(l.columns, column{key: pairs[i].(string)}), append(cells, cell{value: pairs[i+1]})
	}
	l.add(cells...)
}

// partsListing lists the parts of UIDs of one layout. Its JSON is that of uid.Parts; its
// plain lines hold UID, time, worker ID and sequence.
type partsListing struct {
	*listing
}

func newPartsListing(out *output, f format, l bits.Layout) partsListing {
	columns := []column{{"uid", "UID", true}, {"time", "time", false}, {"worker_id", "worker\nID", true}}
	if f == table {
		for _, field := range l.Fields() {
			columns = append(columns, column{field.Name, field.Name, true})
		}
	}
	return partsListing{newListing(out, f, append(columns, column{"sequence", "sequence", true})...)}
}

func (l partsListing) add(p uid.Parts) {
	if l.format == asJSON {
		fmt.Fprintf(l.out, "%s\n", l.out.inJSON(p))
		return
	}
	cells := []cell{{value: p.UID}, {value: p.Time}, {value: p.WorkerID}}
	if l.format == table {
		for _, value := range p.Machine() {
			cells = append(cells, cell{value: value})
		}
	}
	l.listing.add(append(cells, cell{value: p.Sequence})...)
}

// addForeign adds a row of another generator's number, in the same form.
func (l partsListing) addForeign(p foreign.Parts) {
	if l.format == asJSON {
		fmt.Fprintf(l.out, "%s\n", l.out.inJSON(p))
		return
	}
	l.listing.add(cell{value: p.ID}, cell{value: p.Time}, cell{value: p.Machine}, cell{value: p.Sequence})
}

// plain returns the value as text.
func (c cell) plain() string {
	if v := c.program(); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// program returns what the other formats show.
func (c cell) program() any {
	if t, ok := c.value.(time.Time); ok {
		return t.Format(time.RFC3339Nano)
	}
	return c.value
}

// number is a cell of a number >= 0 that may be large.
func number(n float64) cell {
	switch {
	case n >= 1<<63:
		return cell{value: n, text: fmt.Sprintf("%.3g", n)}
	case n == math.Trunc(n):
		return cell{value: int64(n), text: grouped(int64(n))}
	case n >= 100:
		return cell{value: n, text: grouped(int64(math.Round(n)))}
	}
	return cell{value: n, text: fmt.Sprintf("%.3g", n)}
}

// layoutCell shows programs a layout's full description, and people its widths.
func layoutCell(l bits.Layout) cell { return cell{value: l.String(), text: short(l)} }

// span is a cell of a duration; programs get seconds.
func span(d time.Duration) cell { return cell{value: d.Seconds(), text: words(d)} }

// words returns a duration as a person would say it.
func words(d time.Duration) string {
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

// grouped returns n >= 0 with a comma after every three digits.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count is a cell of a number.
func count(n int64) cell { return cell{value: n, text: grouped(n)} }

// printable returns text from a database with everything replaced that could control a
// terminal or break a tab-separated line.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// moment is a cell of a time; people see it to the second.
func moment(t time.Time) cell { return cell{value: t, text: t.Format("2006-01-02 15:04:05")} }
