package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/worker/doctor"
)

// workerCheck is the command that checks a store.
type workerCheck struct {
	tables
	ids     maxID
	durable bool
}

func (p *program) workerCheck() *cobra.Command {
	c := &workerCheck{tables: p.newTables()}
	cmd := &cobra.Command{
		Use:                   "check [--durable] [--layout NAME|T/W/S | --max-id N] [--format table|plain|json]",
		Short:                 "Check a store for what could harm its workers",
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.ids.check(); err != nil {
				return err
			}
			return c.open(cmd.Context(), func(ctx context.Context, s *workerStore) error {
				findings, err := doctor.Check(ctx, s.all, doctor.Config{
					MaxWorkerID: c.ids.disposable(), Never: c.durable, Terms: terms, Timeout: time.Duration(c.store.timeout), Logger: c.log(),
				})
				if err != nil {
					return err
				}
				return c.show(findings)
			})
		},
	}
	flags := cmd.Flags()
	c.register(flags)
	flags.BoolVar(&c.durable, "durable", false, "judge for workers whose store is said never to lose a write")
	c.ids.register(flags)
	return cmd
}

func (c *workerCheck) show(findings []doctor.Finding) error {
	l := newListing(c.out, c.format, column{"level", "", false}, column{"what", "what", false}, column{"value", "value", false})
	if c.format != table {
		l.columns = append(l.columns, column{key: "why"}, column{key: "do"})
	}
	levels := map[doctor.Level]int{}
	for _, f := range findings {
		levels[f.Level]++
		cells := []cell{{value: string(f.Level)}, {value: f.What}}
		if c.format == table {
			cells = append(cells, cell{value: f.Value, text: findingText(f)})
		} else {
			cells = append(cells, cell{value: f.Value}, cell{value: f.Why}, cell{value: f.Do})
		}
		if err := l.add(cells...); err != nil {
			return err
		}
	}
	if err := l.end(); err != nil {
		return err
	}
	if c.format == table {
		_, err := fmt.Fprintf(c.out, "\n%s, %s, %s\n", plural(levels[doctor.LevelError], "error"), plural(levels[doctor.LevelWarn], "warning"),
			plural(levels[doctor.LevelNote], "note"))
		if err != nil {
			return err
		}
	}
	if levels[doctor.LevelError] > 0 {
		return errAnswered
	}
	return nil
}

// findingText is a finding's value; below it, if something is wrong, why and what to do.
func findingText(f doctor.Finding) string {
	lines := []string{f.Value}
	if f.Why != "" {
		lines = append(lines, f.Why)
	}
	if f.Do != "" {
		lines = append(lines, "→ "+f.Do)
	}
	return strings.Join(lines, "\n")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
