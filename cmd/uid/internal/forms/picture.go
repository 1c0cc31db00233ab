package forms

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
)

// pictureWidth is the most columns that a picture or a hint takes.
const pictureWidth = 80

// A portrait is what a person is shown of a number.
type portrait struct {
	number  string
	lines   [][2]string // a name and what it is
	doubt   string
	picture picture
}

func (p *portrait) line(name string, value any) {
	p.lines = append(p.lines, [2]string{name, fmt.Sprint(value)})
}

func (p *portrait) write(w io.Writer) {
	widest := len("sequence")
	for _, l := range p.lines {
		widest = max(widest, len(l[0]))
	}
	if p.doubt != "" {
		name := "hint"
		for part := range strings.SplitSeq(text.WrapSoft(p.doubt, pictureWidth-2-widest-2), "\n") {
			p.line(name, strings.TrimRight(part, " "))
			name = ""
		}
	}
	fmt.Fprintln(w, p.number)
	for _, l := range p.lines {
		fmt.Fprintf(w, "  %-*s  %s\n", widest, l[0], l[1])
	}
	for _, row := range wrap(p.picture) {
		fmt.Fprintln(w)
		row.draw(w)
	}
}

// timeLine is the time of a number, with its tick.
func timeLine(at time.Time, tick int64) string {
	return fmt.Sprintf("%s (tick %d)", at.Format(time.RFC3339Nano), tick)
}

// portrayUID writes what is in u, which is of the layout l.
func portrayUID(w io.Writer, l bits.Layout, u uid.UID, now time.Time) error {
	parts, err := l.Parse(u)
	if err != nil {
		return err
	}
	fields := []uid.Field{{Name: "time", Bits: l.TimeBits()}}
	if machine := l.Fields(); len(machine) > 0 {
		fields = append(fields, machine...)
	} else {
		fields = append(fields, uid.Field{Name: "worker", Bits: l.WorkerBits()})
	}
	fields = append(fields, uid.Field{Name: "sequence", Bits: l.SequenceBits()})
	p := portrait{number: u.String(), doubt: l.Doubt(u, now), picture: pictureOf(int64(u), fields)}
	tick, _ := l.Tick(u) // as it is for a UID that has parts
	p.line("time", timeLine(parts.Time, tick))
	p.line("worker", parts.WorkerID)
	for name, value := range parts.Machine() {
		p.line("  "+name, value)
	}
	p.line("sequence", parts.Sequence)
	layout, _, _ := strings.Cut(l.String(), " fields=") // already named in the picture
	p.line("layout", layout)
	p.write(w)
	return nil
}

// portrayForeign writes what is in a number of another generator.
func portrayForeign(w io.Writer, f foreign.Format, id int64, now time.Time) error {
	parts, err := f.Parse(id)
	if err != nil {
		return err
	}
	p := portrait{number: strconv.FormatInt(id, 10), doubt: doubtOf(f, id, now), picture: pictureOf(id, f.Fields())}
	for _, field := range p.picture {
		switch field.name {
		case "": // the sign
		case "time":
			p.line("time", timeLine(parts.Time, field.value))
		default:
			p.line(field.name, field.value)
		}
	}
	p.line("layout", f)
	if id < 0 {
		l := f.Layout()
		p.line("note", "the seconds have run over into the sign since "+l.Expires().Add(l.Unit()).Format(time.RFC3339))
	}
	p.write(w)
	return nil
}

// doubtOf is bits.Layout.Doubt for a number of another generator.
func doubtOf(f foreign.Format, id int64, now time.Time) string {
	p, err := f.Parse(id)
	switch {
	case err != nil:
		return err.Error()
	case id >= 0:
		return f.Layout().Doubt(uid.UID(id), now)
	case p.Time.Sub(now) > 24*time.Hour:
		return fmt.Sprintf("its time, %s, is in the future: it may be of another format",
			p.Time.Format(time.RFC3339Nano))
	}
	return ""
}

// A bitField is a part of a UID in a picture.
type bitField struct {
	name  string
	bits  int
	value int64
}

// pictureOf returns the 64 bits of a number, the highest ones first.
func pictureOf(id int64, fields []uid.Field) (all picture) {
	width := 0
	for _, f := range fields {
		width += f.Bits
	}
	if width < 64 {
		all = picture{{"", 1, 0}} // the sign
	}
	if width < 63 {
		all = append(all, bitField{"unused", 63 - width, 0})
	}
	for _, f := range fields {
		width -= f.Bits
		if f.Bits > 0 {
			all = append(all, bitField{f.Name, f.Bits, int64(uint64(id) >> width & (1<<f.Bits - 1))})
		}
	}
	return all
}

// size is the width in words: "22 bits", or "4" for a narrow field.
func (f bitField) size() string {
	if f.bits >= len("9 bits") {
		return fmt.Sprintf("%d bits", f.bits)
	}
	return strconv.Itoa(f.bits)
}

// columns is the drawn width, without the bars at the sides.
func (f bitField) columns() int { return max(f.bits, len(f.name), len(f.size())) }

// A picture is bit fields side by side.
type picture []bitField

const pictureIndent = "  "

func (p picture) width() int {
	n := len(pictureIndent) + 1
	for _, f := range p {
		n += f.columns() + 1
	}
	return n
}

// wrap splits a picture that is too wide.
func wrap(p picture) []picture {
	rows := []picture{nil}
	for _, f := range p {
		last := &rows[len(rows)-1]
		if len(*last) > 0 && append((*last)[:len(*last):len(*last)], f).width() > pictureWidth {
			rows = append(rows, nil)
			last = &rows[len(rows)-1]
		}
		*last = append(*last, f)
	}
	return rows
}

// draw writes the picture:
//
//	  time                         worker                 sequence
//	+-+----------------------------+----------------------+-------------+
//	|0|0000010100000001100011111001|0000000000000000000100|0000000001001|
//	+-+----------------------------+----------------------+-------------+
//	 1 28 bits                      22 bits                13 bits
func (p picture) draw(w io.Writer) {
	line := func(bar, fill string, content func(bitField) string) {
		var s strings.Builder
		for _, f := range p {
			c := content(f)
			s.WriteString(bar + c + strings.Repeat(fill, f.columns()-len(c)))
		}
		fmt.Fprintln(w, pictureIndent+strings.TrimRight(s.String()+bar, " "))
	}
	rule := func(bitField) string { return "" }
	line(" ", " ", func(f bitField) string { return f.name })
	line("+", "-", rule)
	line("|", " ", func(f bitField) string { return fmt.Sprintf("%0*b", f.bits, f.value) })
	line("+", "-", rule)
	line(" ", " ", bitField.size)
}
