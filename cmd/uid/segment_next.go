package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/segment"
)

// segmentNext is the command that takes numbers.
func (p *program) segmentNext() *cobra.Command {
	c, n, lossy := p.newTables(), int64(1), false
	c.format = plain
	cmd, flags := newCommand("next TAG",
		"Take the next numbers of a tag",
		func(cmd *cobra.Command, args []string) error {
			return c.onSegments(cmd.Context(), func(ctx context.Context, s segment.Store) error {
				if err := c.format.tooLong(n); err != nil {
					return err
				}
				d := drawing{tables: &c, tag: args[0], n: n, step: maxNumbers, lossy: lossy}
				if c.format != plain {
					d.listing = newListing(c.out, c.format,
						column{"tag", "tag", false}, column{"number", "number", true})
				}
				return withCreate(d.run(ctx, s), d.tag, "uid segment set --create")
			})
		})
	cmd.Args = oneTag
	c.registerSegments(flags)
	flags.VarP(countVar(&n), "count", "n", "how many numbers; 1e6 is a million")
	flags.Var(&c.format, "format", formatUsage)
	flags.BoolVar(&lossy, lossyFlag, false, lossyUsage)
	return cmd
}
