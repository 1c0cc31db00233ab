package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/segment"
)

// segmentNext is the command that takes numbers.
type segmentNext struct {
	tables
	n     countFlag
	lossy bool
}

func (p *program) segmentNext() *cobra.Command {
	c := &segmentNext{tables: p.newTables(), n: 1}
	c.format = plain
	cmd := &cobra.Command{
		Use:                   "next TAG [-n 1] [--lossy-store] [--format plain|json|table]",
		Short:                 "Take the next numbers of a tag",
		DisableFlagsInUseLine: true,
		Args:                  oneTag,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.onSegments(cmd.Context(), func(ctx context.Context, s segment.Store) error {
				if c.format == table && c.n > maxTableRows {
					return badInput("-n %d: a table has at most %d rows; use --format plain or json", c.n, maxTableRows)
				}
				d := drawing{tables: &c.tables, tag: args[0], n: int64(c.n), step: maxNumbers, lossy: c.lossy}
				if c.format != plain {
					d.listing = newListing(c.out, c.format, column{"tag", "tag", false}, column{"number", "number", true})
				}
				return withCreate(d.run(ctx, s), d.tag, "uid segment set --create")
			})
		},
	}
	flags := cmd.Flags()
	c.registerSegments(flags)
	flags.VarP(&c.n, "count", "n", "how many numbers; 1e6 is a million")
	c.registerFormat(flags)
	flags.BoolVar(&c.lossy, lossyFlag, false, lossyUsage)
	return cmd
}
