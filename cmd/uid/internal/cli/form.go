package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/anyform"
	"github.com/uidgen/uid/foreign"
	"github.com/uidgen/uid/internal/presets"
)

// FormFlag says what a number is read by: a layout, or the format of another generator.
type FormFlag struct {
	LayoutFlag                // zero if there is none that reads UIDs in order
	Format     foreign.Format // nil if a layout is given
}

func NewFormFlag() FormFlag { return FormFlag{LayoutFlag: NewLayoutFlag()} }

const FormUsage = LayoutUsage + `; or sonyflake, sonyflake2, with what is not as usual: ` +
	`"sonyflake2 40/7/16 unit=1ms" (time, sequence, machine), "sonyflake epoch=2020-01-01T00:00:00Z"; ` +
	`or uidgenerator likewise, which is read with its negative UIDs`

func (f *FormFlag) Set(text string) (err error) {
	if !namesFormat(text) {
		f.Format = nil
		return f.LayoutFlag.Set(text)
	}
	if f.Format, err = foreign.ParseFormat(text); err != nil {
		return err
	}
	f.Given, f.Layout = true, bits.Layout{}
	if g := f.Format; g.Name() == "uidgenerator" {
		f.Layout = g.Layout()
	}
	return nil
}

func (f *FormFlag) String() string {
	if f.Format != nil {
		return f.Format.String()
	}
	return f.LayoutFlag.String()
}

// namesFormat reports whether the text begins with the name of a foreign format.
func namesFormat(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && slices.Contains(presets.Formats(), words[0])
}

// ByFormat reports whether id is read by the format, not by the layout.
func (f *FormFlag) ByFormat(id int64) bool { return f.Format != nil && (id < 0 || f.IsZero()) }

// Check returns an error if the form does not hold id.
func (f *FormFlag) Check(id int64) (err error) {
	if f.ByFormat(id) {
		_, err = f.Format.Parse(id)
	} else {
		_, err = f.Tick(uid.UID(id))
	}
	return err
}

const ReadAsUsage = "the form of the UIDs, where their texts do not tell: " +
	"base32, base58, base58-flickr, base62, base62-inverted, prefix=NAME, uuid=NAMESPACE"

// ReadAsVar is the form in which UIDs are read; nil is any that tells by itself which it is.
func ReadAsVar(to **anyform.Form) pflag.Value {
	return Var(to, "FORM", func(name string) (*anyform.Form, error) {
		f, err := anyform.Named(name)
		return &f, err
	})
}

// MinusError explains a number below 0 that was taken for a flag. For any other error it
// returns nil.
func MinusError(err error) error {
	e, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return nil
	}
	digits := e.GetSpecifiedShortnames()
	if digits == "" || len(digits) > len("9223372036854775808") || strings.Trim(digits, "0123456789") != "" {
		return nil
	}
	return BadInput("-%s begins as a flag does: put -- before it, as in \"uid parse -- -%[1]s\"", digits)
}

// Format is the form of a command's output, its flag --format.
type Format string

// The formats.
const (
	Plain Format = "plain"
	JSON  Format = "json"
	Table Format = "table"

	formatKind = "plain|json|table"
	formKind   = "FORMAT" // or a form
)

// FormatUsage is the help of --format.
const FormatUsage = "form of the output"

// MaxTableRows is the longest table of UIDs or numbers. A table is built in memory, and nobody reads a longer one.
const MaxTableRows = 10_000

func (f *Format) Set(text string) error {
	switch v := Format(text); v {
	case Plain, JSON, Table:
		*f = v
		return nil
	}
	return fmt.Errorf("%.40q is not one of plain, json, table", text)
}

func (f *Format) String() string { return string(*f) }
func (*Format) Type() string     { return formatKind }

// TooLong refuses a table of so many rows.
func (f Format) TooLong(n int64) error {
	if f == Table && n > MaxTableRows {
		return BadInput("-n %d: a table has at most %d rows; use --format plain or json", n, MaxTableRows)
	}
	return nil
}

// FormatOrForm is a --format that can also be a form of UIDs.
type FormatOrForm struct {
	Format
	Form anyform.Form // not zero: each UID is a line in this form
}

func (f *FormatOrForm) Set(text string) (err error) {
	if f.Form, err = anyform.Named(text); err == nil {
		f.Format = Plain
		return nil
	}
	f.Form = anyform.Form{}
	if f.Format.Set(text) != nil {
		return fmt.Errorf("%.40q is not one of %s", text, formatsAndForms)
	}
	return nil
}

func (*FormatOrForm) Type() string { return formKind }

const formatsAndForms = "plain, json, table, " + anyform.Names

// addJSON gives a command with --format the switch --json, too.
func addJSON(cmd *cobra.Command) {
	if format := cmd.Flags().Lookup("format"); format != nil {
		cmd.Flags().BoolFunc("json", "short for --format json", func(text string) error {
			if text != "true" {
				return fmt.Errorf("%.40q: it takes no value", text)
			}
			return format.Value.Set(string(JSON))
		})
	}
}

// oneFormat refuses --format together with --json.
func oneFormat(cmd *cobra.Command, _ []string) error {
	if flags := cmd.Flags(); flags.Changed("format") && flags.Changed("json") {
		return BadInput("--format and --json exclude each other: --json is short for --format json")
	}
	return nil
}

// Excludes returns an error when one of the flags is given.
func Excludes(flags *pflag.FlagSet, text string, names ...string) error {
	for _, name := range names {
		if flags.Changed(name) {
			return BadInput(text, "--"+name)
		}
	}
	return nil
}
