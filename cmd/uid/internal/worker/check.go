package worker

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/internal/doctor"
)

// newCheck returns the command that checks a store.
func newCheck(p *cli.Program) *cobra.Command {
	store, layout, format, durable := places.Store{}, cli.NewLayoutFlag(), cli.Table, false
	cmd, flags := cli.NewCommand("check", "Check a store for what could harm its workers",
		func(cmd *cobra.Command, _ []string) error {
			return store.With(cmd.Context(), p, func(ctx context.Context, s *places.Opened) error {
				findings, err := doctor.Check(ctx, s.Registry, doctor.Config{
					MaxWorkerID: layout.MaxWorkerID(), Never: durable, Terms: terms,
					Timeout: store.Timeout, Logger: p.Log(),
				})
				if err != nil {
					return err
				}
				return showFindings(p, format, findings)
			})
		})
	register(flags, &store, &format)
	flags.BoolVar(&durable, "durable", false, "judge for workers whose store is said never to lose a write")
	flags.Var(&layout, "layout", cli.LayoutUsage)
	return cmd
}

func showFindings(p *cli.Program, format cli.Format, findings []doctor.Finding) error {
	l := p.List(format, cli.Text("level", ""), cli.Text("what", "what"), cli.Text("value", "value"),
		cli.ForPrograms("why"), cli.ForPrograms("do"))
	levels := map[doctor.Level]int{}
	for _, f := range findings {
		levels[f.Level]++
		l.Add(string(f.Level), f.What, cli.Cell{Value: f.Value, Text: findingText(f)}, f.Why, f.Do)
	}
	l.End()
	if format == cli.Table {
		fmt.Fprintf(p.Out, "\n%s, %s, %s\n", plural(levels[doctor.LevelError], "error"),
			plural(levels[doctor.LevelWarn], "warning"), plural(levels[doctor.LevelNote], "note"))
	}
	if levels[doctor.LevelError] > 0 {
		return cli.ErrAnswered
	}
	return nil
}

// findingText is a finding's value; below it, if something is wrong, why and what to do.
func findingText(f doctor.Finding) string {
	text := f.Value
	if f.Why != "" {
		text += "\n" + f.Why
	}
	if f.Do != "" {
		text += "\n→ " + f.Do
	}
	return text
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
