package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/uidgen/uid/cmd/uid/internal/anyform"
)

// format is the form of a command's output, its flag --format.
type format string

const (
	plain  format = "plain"
	asJSON format = "json"
	table  format = "table"

	formatKind = "plain|json|table"
	formKind   = "FORMAT" // or a form
)

const formatUsage = "form of the output"

func (f *format) Set(text string) error {
	switch v := format(text); v {
	case plain, asJSON, table:
		*f = v
		return nil
	}
	return fmt.Errorf("%.40q is not one of plain, json, table", text)
}

func (f *format) String() string  { return string(*f) }
func (*format) Type() string      { return formatKind }
func (f *format) chosen() *format { return f }

// formatOrForm is a --format that can also be a form of UIDs.
type formatOrForm struct {
	format
	form anyform.Form // not zero: each UID is a line in this form
}

func (f *formatOrForm) Set(text string) (err error) {
	if f.form, err = anyform.Named(text); err == nil {
		f.format = plain
		return nil
	}
	f.form = anyform.Form{}
	if f.format.Set(text) != nil {
		return fmt.Errorf("%.40q is not one of %s", text, formatsAndForms)
	}
	return nil
}

func (*formatOrForm) Type() string { return formKind }

const formatsAndForms = "plain, json, table, " + anyform.Names

// formatOf returns a command's --format, nil if it has none.
func formatOf(flags *pflag.FlagSet) *format {
	if flag := flags.Lookup("format"); flag != nil {
		return flag.Value.(interface{ chosen() *format }).chosen()
	}
	return nil
}

// addJSON gives a command with --format the switch --json, too.
func addJSON(cmd *cobra.Command) {
	if f := formatOf(cmd.Flags()); f != nil {
		cmd.Flags().BoolFunc("json", "short for --format json", func(text string) error {
			if text != "true" {
				return fmt.Errorf("%.40q: it takes no value", text)
			}
			*f = asJSON
			return nil
		})
	}
}

// oneFormat refuses --format together with --json.
func oneFormat(cmd *cobra.Command, _ []string) error {
	if flags := cmd.Flags(); formatOf(flags) != nil && flags.Changed("format") && flags.Changed("json") {
		return badInput("--format and --json exclude each other: --json is short for --format json")
	}
	return nil
}
