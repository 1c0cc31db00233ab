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
		Use:   "next TAG [-n 1] [--lossy-store] [--format plain|json|table]",
		Short: "Take the next numbers of a tag",
		Long: `next takes the next numbers of a tag and prints them, one per line. It takes as many as
it prints, whatever the row's step, and at most a million at once. What it has not
printed in the end, because it was interrupted, it gives back; numbers are skipped only
when others have taken some since, or when it is killed. When the reader of its output goes
away, what was on the way there is skipped: up to tens of thousands, in buffers and pipes.

It refuses a store that can lose what it has acknowledged, in a crash or when another
server takes over: numbers would come twice. --lossy-store accepts that.

In JSON a number is a text, since JavaScript would lose bits of it.

` + registryHelp,
		Example:               "  uid segment next invoice --store numbers.db\n  uid segment next order -n 1000 > orders.txt",
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
