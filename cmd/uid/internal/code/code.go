// Package code has the command code: what takes a UID apart in another language, to be copied.
package code

import (
	"embed"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
)

//go:embed language/*.txt
var texts embed.FS

var templates = template.Must(template.ParseFS(texts, "language/*.txt"))

// Languages are what --for takes.
var Languages = []string{"java", "js", "mysql", "postgres", "python"}

// Command returns the command code.
func Command(p *cli.Program) *cobra.Command {
	layout, language := cli.NewLayoutFlag(), ""
	cmd, flags := cli.NewCommand("code --for LANGUAGE", "Print code that takes a UID apart in another language",
		func(*cobra.Command, []string) error {
			if !slices.Contains(Languages, language) {
				return cli.BadInput("--for is %q, and not one of %s", language, strings.Join(Languages, ", "))
			}
			if epoch := layout.Epoch(); epoch.Nanosecond()%1000 != 0 {
				return cli.BadInput("the epoch %s has nanoseconds, which other languages' times have not",
					epoch.Format(time.RFC3339Nano))
			}
			return templates.ExecuteTemplate(p.Out, language+".txt", forLayout(layout.Layout))
		})
	flags.StringVar(&language, "for", "", strings.Join(Languages, ", "))
	flags.Var(&layout, "layout", cli.LayoutUsage)
	return cmd
}

// numbers are what the code has of a layout.
type numbers struct {
	Layout   bits.Layout
	Shift    int   // of the time
	num, den int64 // a tick is num/den microseconds
	Parts    []part
}

// A part is one below the time.
type part struct {
	Name  string
	shift int
	mask  int64
}

func forLayout(l bits.Layout) numbers {
	n := numbers{Layout: l, Shift: l.WorkerBits() + l.SequenceBits(), num: int64(l.Unit()), den: 1000}
	common := new(big.Int).GCD(nil, nil, big.NewInt(n.num), big.NewInt(n.den)).Int64()
	n.num, n.den = n.num/common, n.den/common
	fields := l.Fields()
	if len(fields) == 0 {
		fields = []uid.Field{{Name: "worker", Bits: l.WorkerBits()}}
	}
	shift := n.Shift
	for _, f := range append(fields, uid.Field{Name: "sequence", Bits: l.SequenceBits()}) {
		if shift -= f.Bits; f.Bits > 0 {
			n.Parts = append(n.Parts, part{strings.ReplaceAll(f.Name, "-", "_"), shift, 1<<f.Bits - 1})
		}
	}
	return n
}

// EpochMicros is the epoch in microseconds since 1970.
func (n numbers) EpochMicros() int64 { return n.Layout.Epoch().UnixMicro() }

// EpochSQL is the epoch as a TIMESTAMP in UTC.
func (n numbers) EpochSQL() string { return n.Layout.Epoch().Format("2006-01-02 15:04:05.999999") }

// ToMicros is what makes microseconds of ticks, with a language's operator for the division and mark of its integers.
func (n numbers) ToMicros(divide, mark string) string { return scale(n.num, n.den, divide, mark) }

// ToTicks is what makes ticks of microseconds.
func (n numbers) ToTicks(divide, mark string) string { return scale(n.den, n.num, divide, mark) }

func scale(by, over int64, divide, mark string) (text string) {
	if by != 1 {
		text = fmt.Sprintf(" * %d%s", by, mark)
	}
	if over != 1 {
		text += fmt.Sprintf(" %s %d%s", divide, over, mark)
	}
	return text
}

// Of takes the part out of what value says.
func (p part) Of(value, mark string) string {
	if p.shift > 0 {
		value = fmt.Sprintf("(%s >> %d%s)", value, p.shift, mark)
	}
	return fmt.Sprintf("%s & %d%s", value, p.mask, mark)
}
