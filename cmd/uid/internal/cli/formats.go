package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/uidgen/uid/cmd/uid/internal/anyform"
)

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
