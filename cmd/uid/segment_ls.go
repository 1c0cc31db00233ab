package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/segment"
)

// segmentLs is the command that shows rows.
type segmentLs struct{ tables }

func (p *program) segmentList() *cobra.Command {
	c := &segmentLs{p.newTables()}
	cmd, flags := newCommand("ls [TAG...]",
		"Show the tags of a store, and their next numbers",
		func(cmd *cobra.Command, tags []string) error {
			return c.onSegments(cmd.Context(), func(ctx context.Context, s segment.Store) error {
				return c.run(ctx, s, tags)
			})
		})
	cmd.Args = func(_ *cobra.Command, args []string) error {
		for _, tag := range args {
			if err := checkTag(tag); err != nil {
				return err
			}
		}
		return nil
	}
	c.registerSegments(flags)
	flags.Var(&c.format, "format", formatUsage)
	return cmd
}

// run shows all rows, or those of some tags. Tags that have none are an error, after the others.
func (c *segmentLs) run(ctx context.Context, s segment.Store, tags []string) error {
	l := newListing(c.out, c.format, rowColumns...)
	defer l.end()
	if len(tags) == 0 {
		empty := true
		for row, err := range c.rows(ctx, s, "") {
			if err := cmp.Or(err, c.out.failed()); err != nil {
				return err
			}
			empty = false
			l.add(rowCells(row)...)
		}
		if empty {
			c.note("there are no tags in the store")
		}
		return nil
	}
	var missing []error
	for _, tag := range slices.Compact(slices.Sorted(slices.Values(tags))) {
		row, err := c.find(ctx, s, tag)
		switch {
		case errors.Is(err, segment.ErrNoTag):
			missing = append(missing, err)
		case err != nil:
			return err
		default:
			l.add(rowCells(row)...)
		}
	}
	return errors.Join(missing...)
}

// find returns the row of a tag.
func (c *segmentLs) find(ctx context.Context, s segment.Store, tag string) (segmentstore.Row, error) {
	for row, err := range c.rows(ctx, s, tag[:len(tag)-1]) {
		if err != nil || row.Tag == tag {
			return row, err
		}
		if row.Tag > tag {
			break
		}
	}
	return segmentstore.Row{}, noTag(tag)
}
