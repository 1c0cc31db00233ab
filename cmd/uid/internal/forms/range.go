package forms

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
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
			if err := checkRange(layout.Layout, from, to, len(args) > 0 || given("to")); err != nil {
				return err
			}
			lo, hi, err := layout.Range(from, to)
			if err != nil {
				return cli.InputError{Err: err}
			}
			if f != cli.Table {
				p.Record(f, "lo", lo, "hi", hi)
				return nil
			}
			fmt.Fprintf(p.Out, "WHERE id BETWEEN %d AND %d\n", lo, hi)
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

// checkRange refuses a range that layout.Range would refuse, in the words of the flags. given says
// whether to was given; else it is now.
func checkRange(l bits.Layout, from, to time.Time, given bool) error {
	begin, end := l.Epoch(), l.Expires().Add(l.Unit())
	at := func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
	switch {
	case !from.Before(to) && !given:
		return cli.BadInput("--from %s: %w: that is not in the past (now is %s), and without --to the range ends now",
			at(from), uid.ErrRange, to.Format(time.RFC3339))
	case !from.Before(to):
		return cli.BadInput("--from %s: %w: that is not before --to %s", at(from), uid.ErrRange, at(to))
	case from.Before(begin):
		return cli.BadInput("--from %s: %w: the layout %s begins at %s", at(from), uid.ErrRange, l, at(begin))
	case !from.Before(end):
		return cli.BadInput("--from %s: %w: the layout %s ends at %s", at(from), uid.ErrRange, l, at(end))
	case to.After(end) && !given:
		return cli.BadInput("--to is missing: %w: without it the range ends now, %s, and the layout %s ended at %s",
			uid.ErrRange, to.Format(time.RFC3339), l, at(end))
	case to.After(end):
		return cli.BadInput("--to %s: %w: the layout %s ends at %s", at(to), uid.ErrRange, l, at(end))
	}
	return nil
}
