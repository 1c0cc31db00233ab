package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/internal/doctor"
)

// workerCheck is the command that checks a store.
type workerCheck struct {
	tables
	ids     maxID
	durable bool
}

func (p *program) workerCheck() *cobra.Command {
	c := &workerCheck{tables: p.newTables()}
	cmd, flags := newCommand("check",
		"Check a store for what could harm its workers", func(cmd *cobra.Command, _ []string) error {
			if err := c.ids.check(); err != nil {
				return err
			}
			return c.open(cmd.Context(), func(ctx context.Context, s *workerStore) error {
				findings, err := doctor.Check(ctx, s.Registry, doctor.Config{
					MaxWorkerID: c.ids.disposable(), Never: c.durable, Terms: terms,
					Timeout: c.store.timeout, Logger: c.log(),
				})
				if err != nil {
					return err
				}
				return c.show(findings)
			})
		})
	c.register(flags)
	flags.BoolVar(&c.durable, "durable", false, "judge for workers whose store is said never to lose a write")
	c.ids.register(flags)
	return cmd
}

func (c *workerCheck) show(findings []doctor.Finding) error {
	l := newListing(c.out, c.format,
		column{"level", "", false}, column{"what", "what", false}, column{"value", "value", false},
		column{"why", forPrograms, false}, column{"do", forPrograms, false})
	levels := map[doctor.Level]int{}
	for _, f := range findings {
		levels[f.Level]++
		l.add(cell{value: string(f.Level)}, cell{value: f.What}, cell{value: f.Value, text: findingText(f)},
			cell{value: f.Why}, cell{value: f.Do})
	}
	l.end()
	if c.format == table {
		fmt.Fprintf(c.out, "\n%s, %s, %s\n", plural(levels[doctor.LevelError], "error"),
			plural(levels[doctor.LevelWarn], "warning"), plural(levels[doctor.LevelNote], "note"))
	}
	if levels[doctor.LevelError] > 0 {
		return errAnswered
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
