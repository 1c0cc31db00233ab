package forms

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/anyform"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
)

// Range returns the command range.
func Range(p *cli.Program) *cobra.Command {
	var from, to time.Time
	layout, f := cli.NewLayoutFlag(), cli.Table
	cmd, flags := cli.NewCommand("range DAY|UID | --from TIME",
		"Show the smallest and the largest UID of a time, for SQL",
		func(cmd *cobra.Command, args []string) (err error) {
			given := cmd.Flags().Changed
			switch {
			case len(args) > 1 || len(args) == 1 && (given("from") || given("to")):
				return cli.BadInput("range takes one day or UID, or else --from and --to (uid range --help)")
			case len(args) == 1:
				if from, to, err = rangeOf(args[0], layout.Layout); err != nil {
					return err
				}
			}
			if from.IsZero() {
				return cli.BadInput("--from is missing, a time such as %s", cli.TimeUsage)
			}
			if to.IsZero() {
				to = p.Now().UTC()
			}
			lo, hi, err := layout.Range(from, to)
			if err != nil && len(args) == 0 && !given("to") {
				err = fmt.Errorf("%w; without --to the range ends now", err)
			}
			if err != nil {
				return cli.InputError{Err: err}
			}
			p.Answer(f, fmt.Sprintf("WHERE id BETWEEN %d AND %d", lo, hi), "lo", lo, "hi", hi)
			return nil
		})
	cmd.Args = cobra.ArbitraryArgs
	flags.Var(cli.TimeVar(&from), "from", cli.TimeUsage)
	flags.Var(cli.TimeVar(&to), "to", "the end, not included")
	flags.Var(&layout, "layout", cli.LayoutUsage)
	flags.Var(&f, "format", cli.FormatUsage)
	return cmd
}

// rangeOf returns the day, or the tick of the UID, that an argument names.
func rangeOf(text string, l bits.Layout) (from, to time.Time, err error) {
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at, at.AddDate(0, 0, 1), nil
	}
	u, err := anyform.Parse(text)
	if err != nil {
		return from, to, cli.BadInput(
			"%.40q is neither a day such as 2026-11-21 nor a UID: other times go with --from and --to", text)
	}
	parts, err := l.Parse(u)
	if err != nil {
		err = cli.InputError{Err: err}
	}
	return parts.Time, parts.Time.Add(l.Unit()), err
}
