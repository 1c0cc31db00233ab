package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/uidgen/uid/bits"
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

// A cell is a value. In a table its text is shown instead, if it has one.
type cell struct {
	value any // a string, number, bool, time.Time or json.Marshaler; nil: not known
	text  string
}

func newListing(out *output, f format, columns ...column) *listing {
	return &listing{out: out, format: f, columns: columns}
}

// add adds a row, with a cell for each column.
func (l *listing) add(cells ...cell) error {
	switch l.format {
	case table:
		var row []string
		for _, c := range cells {
			row = append(row, c.people())
		}
		l.rows = append(l.rows, row)
		return nil
	case asJSON:
		l.out.WriteByte('{')
		for i, c := range cells {
			if i > 0 {
				l.out.WriteByte(',')
			}
			value, err := json.Marshal(c.program())
			if err != nil {
				return err
			}
			fmt.Fprintf(l.out, "%q:%s", l.columns[i].key, value)
		}
		_, err := l.out.WriteString("}\n")
		return err
	default:
		for i, c := range cells {
			if i > 0 {
				l.out.WriteByte('\t')
			}
			if v := c.program(); v != nil {
				fmt.Fprint(l.out, v)
			}
		}
		return l.out.WriteByte('\n')
	}
}

// end writes the table, if it is one and has rows.
func (l *listing) end() error {
	if len(l.rows) == 0 {
		return nil
	}
	_, err := l.out.WriteString(drawTable(l.columns, l.rows, l.out.width))
	return err
}

// people returns what the table shows.
func (c cell) people() string {
	if c.text != "" {
		return c.text
	}
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
func layoutCell(l bits.Layout) cell {
	return cell{value: l.String(), text: short(l)}
}

// span is a cell of a duration; programs get seconds.
func span(d time.Duration) cell {
	return cell{value: d.Seconds(), text: words(d)}
}

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
