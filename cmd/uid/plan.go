package main

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	planning "github.com/uidgen/uid/plan"
)

// plan is the command that finds layouts, and what a move to one costs.
type plan struct {
	*program
	need   planning.Need
	move   move
	format format
}

func (p *program) plan() *cobra.Command {
	c := &plan{program: p, format: table}
	c.need = planning.Need{Workers: 8, Years: 10, Hold: time.Hour, MaxLead: 24 * time.Hour}
	c.move = move{program: p, from: newFormFlag(), to: newLayoutFlag(), format: &c.format}
	cmd, flags := newCommand("plan --rate X | --from LAYOUT",
		"Find layouts that are large enough, and what a move to one costs", func(cmd *cobra.Command, _ []string) error {
			flags := cmd.Flags()
			if flags.Changed("from") {
				if err := excludes(flags, "%s is for finding a layout, not for --from", needFlags...); err != nil {
					return err
				}
				return c.move.run()
			}
			if err := excludes(flags, "%s is for --from", moveFlags...); err != nil {
				return err
			}
			if !flags.Changed("rate") {
				return badInput("--rate is missing, the UIDs a second of one worker; or --from, the layout to leave")
			}
			return c.run()
		})
	flags.Var(numberVar(&c.need.Rate), "rate", "UIDs a second that each worker must sustain")
	flags.Var(numberVar(&c.need.Burst), "burst", "UIDs that a worker may be asked for at once, over and above --rate")
	flags.Var(countVar(&c.need.Workers), "workers", "workers that are at work at the same time")
	flags.Var(numberVar(&c.need.RestartsPerDay), "restarts-per-day", "how often each worker is restarted a day")
	flags.Var(numberVar(&c.need.Years), "years", "how long the layout has to last, from now on")
	flags.BoolVar(&c.need.JSSafe, "js-safe", false, "UIDs that a JavaScript number holds exactly, of 53 bits")
	flags.Var(timeVar(&c.need.Epoch), "epoch", "when tick 0 begins (default 2026-01-01)")
	flags.Var(spanVar(&c.need.MaxLead), "max-lead", "the most that a burst may borrow")
	flags.Var(spanVar(&c.need.Hold), "hold", "how long a leased ID stays out of use after its worker's end")
	c.move.register(flags)
	flags.Var(&c.format, "format", formatUsage)
	return cmd
}

func (c *plan) run() error {
	c.need.From = c.now()
	options, err := planning.Layouts(c.need)
	if misfit, ok := errors.AsType[*planning.NoFitError](err); ok {
		if c.format != table {
			return misfit
		}
		return c.tell(misfit)
	}
	if err != nil {
		return inputError{err}
	}
	c.list(options)
	return nil
}

func (c *plan) list(options []planning.Option) {
	columns := []column{
		{"layout", "layout", false}, {"name", "name", false}, {"uids_per_second", "UIDs/s", true},
		{"worker_ids", "worker\nIDs", true}, {"disposable_restarts", "disposable IDs\n(restarts)", true},
		{"disposable_days", "last", true}, {"leased_restarts_per_day", "leased IDs\n(restarts/day)", true},
		{"full", "full", false},
	}
	if c.need.Burst > 0 {
		columns = append(columns,
			column{"lead_seconds", "burst\nlead", true}, column{"give_back_seconds", "given\nback", true})
	}
	l := newListing(c.out, c.format, columns...)
	for _, o := range options {
		cells := []cell{
			layoutCell(o.Layout), {value: o.Name}, number(o.Sustained), number(float64(o.WorkerIDs)),
			number(float64(o.DisposableRestarts)), c.disposableDays(o),
			number(o.LeasedRestartsPerDay), {value: o.Full, text: o.Full.Format(time.DateOnly)},
		}
		if c.need.Burst > 0 {
			cells = append(cells, span(o.Lead), span(o.GiveBack))
		}
		l.add(cells...)
	}
	l.end()
}

func (c *plan) disposableDays(o planning.Option) cell {
	const day, most = float64(24 * time.Hour), math.MaxInt64 / float64(24*time.Hour)
	days := cell{value: o.DisposableDays, text: words(time.Duration(min(o.DisposableDays, most-1) * day))}
	switch {
	case o.Disposable:
		days.text = "long enough"
	case o.DisposableRestarts == 0:
		days.text = "no"
	}
	return days
}

// tell writes for a person why no layout fits. That is the command's answer, not an error.
func (c *plan) tell(misfit *planning.NoFitError) error {
	if misfit.Unit == 0 {
		fmt.Fprint(c.out, "No layout holds: no sequence is wide enough for the burst.\n")
	} else {
		fmt.Fprintf(c.out, "No layout holds. At ticks of %v it takes %d bits of time, %d of worker ID and %d of\n"+
			"sequence: %d, and there are %d.\n", misfit.Unit, misfit.TimeBits, misfit.WorkerBits, misfit.SequenceBits,
			misfit.TimeBits+misfit.WorkerBits+misfit.SequenceBits, misfit.Limit)
	}
	if len(misfit.GiveUp) == 0 {
		fmt.Fprint(c.out, "Lowering one number is not enough: lower several.\n")
	} else {
		fmt.Fprint(c.out, "One of these alone would make it fit:\n")
	}
	for _, change := range misfit.GiveUp {
		what := change.Text
		if c.need.JSSafe && !change.Need.JSSafe {
			what = "numbers that are not safe in JavaScript"
		}
		fmt.Fprintf(c.out, "  %s\n", what)
	}
	return errAnswered
}
