// Package plan has the command that finds layouts, and says what a move to one costs.
package plan

import (
	"cmp"
	_ "embed"
	"errors"
	"math"
	"text/template"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
	planning "github.com/uidgen/uid/plan"
)

// layouts is the half of plan that finds layouts.
type layouts struct {
	p      *cli.Program
	need   planning.Need
	format cli.Format
}

// Command returns the command plan.
func Command(p *cli.Program) *cobra.Command {
	c := &layouts{p: p, format: cli.Table}
	c.need = planning.Need{Workers: 8, Years: 10, Hold: time.Hour, MaxLead: 24 * time.Hour}
	m := move{p: p, from: cli.NewFormFlag(), to: cli.NewLayoutFlag(), format: &c.format}
	cmd, flags := cli.NewCommand("plan --rate X | --from LAYOUT",
		"Find layouts that are large enough, and what a move to one costs", func(cmd *cobra.Command, _ []string) error {
			flags := cmd.Flags()
			if flags.Changed("from") {
				if err := cli.Excludes(flags, "%s is for finding a layout, not for --from", needFlags...); err != nil {
					return err
				}
				return m.run()
			}
			if err := cli.Excludes(flags, "%s is for --from", moveFlags...); err != nil {
				return err
			}
			if !flags.Changed("rate") {
				return cli.BadInput(
					"--rate is missing, the UIDs a second of one worker; or --from, the layout to leave")
			}
			return c.run()
		})
	flags.Var(cli.NumberVar(&c.need.Rate), "rate", "UIDs a second that each worker must sustain")
	flags.Var(cli.NumberVar(&c.need.Burst), "burst",
		"UIDs that a worker may be asked for at once, over and above --rate")
	flags.Var(cli.CountVar(&c.need.Workers), "workers", "workers that are at work at the same time")
	flags.Var(cli.NumberVar(&c.need.RestartsPerDay), "restarts-per-day", "how often each worker is restarted a day")
	flags.Var(cli.NumberVar(&c.need.Years), "years", "how long the layout has to last, from now on")
	flags.BoolVar(&c.need.JSSafe, "js-safe", false, "UIDs that a JavaScript number holds exactly, of 53 bits")
	flags.Var(cli.TimeVar(&c.need.Epoch), "epoch", "when tick 0 begins (default 2026-01-01)")
	flags.Var(cli.SpanVar(&c.need.MaxLead), "max-lead", "the most that a burst may borrow")
	flags.Var(cli.SpanVar(&c.need.Hold), "hold", "how long a leased ID stays out of use after its worker's end")
	m.register(flags)
	flags.Var(&c.format, "format", cli.FormatUsage)
	return cmd
}

func (c *layouts) run() error {
	c.need.From = c.p.Now()
	options, err := planning.Layouts(c.need)
	if misfit, ok := errors.AsType[*planning.NoFitError](err); ok {
		if c.format != cli.Table {
			return misfit
		}
		return c.tell(misfit)
	}
	if err != nil {
		return cli.InputError{Err: err}
	}
	c.list(options)
	return nil
}

func (c *layouts) list(options []planning.Option) {
	columns := []cli.Column{
		cli.Text("layout", "layout"), cli.Text("name", "name"), cli.Numbers("uids_per_second", "UIDs/s"),
		cli.Numbers("worker_ids", "worker\nIDs"), cli.Numbers("disposable_restarts", "disposable IDs\n(restarts)"),
		cli.Numbers("disposable_days", "last"), cli.Numbers("leased_restarts_per_day", "leased IDs\n(restarts/day)"),
		cli.Text("full", "full"),
		cli.Numbers("lead_seconds", "burst\nlead"), cli.Numbers("give_back_seconds", "given\nback"),
	}
	if c.need.Burst == 0 {
		columns = columns[:len(columns)-2]
	}
	l := c.p.List(c.format, columns...)
	for _, o := range options {
		l.Add([]any{
			cli.LayoutCell(o.Layout), o.Name, cli.Number(o.Sustained), cli.Count(o.WorkerIDs),
			cli.Count(o.DisposableRestarts), disposableDays(o), cli.Number(o.LeasedRestartsPerDay),
			cli.Cell{Value: o.Full, Text: o.Full.Format(time.DateOnly)}, cli.Span(o.Lead), cli.Span(o.GiveBack),
		}[:len(columns)]...)
	}
	l.End()
}

func disposableDays(o planning.Option) cli.Cell {
	const day, most = float64(24 * time.Hour), math.MaxInt64 / float64(24*time.Hour)
	days := cli.Cell{Value: o.DisposableDays, Text: cli.Words(time.Duration(min(o.DisposableDays, most-1) * day))}
	switch {
	case o.Disposable:
		days.Text = "long enough"
	case o.DisposableRestarts == 0:
		days.Text = "no"
	}
	return days
}

//go:embed none.txt
var noneText string

// tell writes for a person why no layout fits. That is the command's answer, not an error.
func (c *layouts) tell(misfit *planning.NoFitError) error {
	err := fill(c.p, noneText, struct {
		*planning.NoFitError
		Bits   int
		JSSafe bool
	}{misfit, misfit.TimeBits + misfit.WorkerBits + misfit.SequenceBits, c.need.JSSafe})
	return cmp.Or(err, cli.ErrAnswered)
}

// fill writes a text with what is to stand in it.
func fill(p *cli.Program, text string, values any) error {
	funcs := template.FuncMap{"second": cli.Second, "words": cli.Words}
	return template.Must(template.New("").Funcs(funcs).Parse(text)).Execute(p.Out, values)
}
