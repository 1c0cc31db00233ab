package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// pictureWidth is the most columns that a picture or a hint takes.
const pictureWidth = 80

// portray writes what is in u, for a person.
func portray(w io.Writer, l bits.Layout, u uid.UID, now time.Time) error {
	parts, err := l.Parse(u)
	if err != nil {
		return err
	}
	tick, err := l.Tick(u)
	if err != nil {
		return err
	}
	widest := len("sequence")
	for _, f := range l.Fields() {
		widest = max(widest, len("  ")+len(f.Name))
	}
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "  %-*s  %v\n", widest, name, value) }

	fmt.Fprintln(&b, u)
	line("time", fmt.Sprintf("%s (tick %d)", parts.Time.Format(time.RFC3339Nano), tick))
	line("worker", parts.WorkerID)
	for name, value := range parts.Machine() {
		line("  "+name, value)
	}
	line("sequence", parts.Sequence)
	layout, _, _ := strings.Cut(l.String(), " fields=") // already named in the picture
	line("layout", layout)
	if doubt := l.Doubt(u, now); doubt != "" {
		indent := 2 + widest + 2
		name := "hint"
		for part := range strings.SplitSeq(text.WrapSoft(doubt+", try --guess", pictureWidth-indent), "\n") {
			line(name, strings.TrimRight(part, " "))
			name = ""
		}
	}
	for _, row := range wrap(fieldsOf(l, parts, tick)) {
		b.WriteByte('\n')
		row.draw(&b)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// A bitField is a part of a UID in a picture.
type bitField struct {
	name  string
	bits  int
	value int64
}

// fieldsOf returns the 64 bits of a UID, the highest ones first.
func fieldsOf(l bits.Layout, parts uid.Parts, tick int64) picture {
	all := picture{{"", 1, 0}} // the sign
	if spare := 63 - l.TimeBits() - l.WorkerBits() - l.SequenceBits(); spare > 0 {
		all = append(all, bitField{"unused", spare, 0})
	}
	all = append(all, bitField{"time", l.TimeBits(), tick})
	if fields := l.Fields(); len(fields) > 0 {
		i := 0
		for name, value := range parts.Machine() {
			all = append(all, bitField{name, fields[i].Bits, value})
			i++
		}
	} else if l.WorkerBits() > 0 {
		all = append(all, bitField{"worker", l.WorkerBits(), parts.WorkerID})
	}
	if l.SequenceBits() > 0 {
		all = append(all, bitField{"sequence", l.SequenceBits(), parts.Sequence})
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
func (f bitField) columns() int {
	return max(f.bits, len(f.name), len(f.size()))
}

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
func (p picture) draw(b *strings.Builder) {
	line := func(bar, fill string, content func(bitField) string) {
		var s strings.Builder
		for _, f := range p {
			c := content(f)
			s.WriteString(bar + c + strings.Repeat(fill, f.columns()-len(c)))
		}
		b.WriteString(pictureIndent + strings.TrimRight(s.String()+bar, " ") + "\n")
	}
	rule := func(bitField) string { return "" }
	line(" ", " ", func(f bitField) string { return f.name })
	line("+", "-", rule)
	line("|", " ", func(f bitField) string { return fmt.Sprintf("%0*b", f.bits, f.value) })
	line("+", "-", rule)
	line(" ", " ", bitField.size)
}
