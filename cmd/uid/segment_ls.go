package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/segment"
)

// segmentLs is the command that shows rows.
type segmentLs struct{ tables }

func (p *program) segmentList() *cobra.Command {
	c := &segmentLs{p.newTables()}
	cmd := &cobra.Command{
		Use:                   "ls [TAG...] [--format table|plain|json]",
		Short:                 "Show the tags of a store, and their next numbers",
		DisableFlagsInUseLine: true,
		Args: func(_ *cobra.Command, args []string) error {
			for _, tag := range args {
				if err := checkTag(tag); err != nil {
					return err
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, tags []string) error {
			return c.onSegments(cmd.Context(), func(ctx context.Context, s segment.Store) error { return c.run(ctx, s, tags) })
		},
	}
	c.registerSegments(cmd.Flags())
	c.registerFormat(cmd.Flags())
	return cmd
}

func (c *segmentLs) run(ctx context.Context, s segment.Store, tags []string) error {
	l := newListing(c.out, c.format, rowColumns...)
	if len(tags) > 0 {
		return c.named(ctx, s, l, tags)
	}
	empty := true
	for row, err := range c.rows(ctx, s, "") {
		if err != nil {
			return errors.Join(l.end(), err)
		}
		empty = false
		if err := l.add(rowCells(row)...); err != nil {
			return err
		}
	}
	if empty {
		c.note("there are no tags in the store")
	}
	return l.end()
}

// named shows the rows of some tags. Those that have none are an error, after the others.
func (c *segmentLs) named(ctx context.Context, s segment.Store, l *listing, tags []string) error {
	var missing []error
	for _, tag := range slices.Compact(slices.Sorted(slices.Values(tags))) {
		row, err := c.find(ctx, s, tag)
		switch {
		case errors.Is(err, segment.ErrNoTag):
			missing = append(missing, err)
			continue
		case err != nil:
			return errors.Join(l.end(), err)
		}
		if err := l.add(rowCells(row)...); err != nil {
			return err
		}
	}
	return errors.Join(append(missing, l.end())...)
}

// find returns the row of a tag.
func (c *segmentLs) find(ctx context.Context, s segment.Store, tag string) (segment.Row, error) {
	for row, err := range c.rows(ctx, s, tag[:len(tag)-1]) {
		switch {
		case err != nil:
			return segment.Row{}, err
		case row.Tag == tag:
			return row, nil
		case row.Tag > tag:
			return segment.Row{}, noTag(tag)
		}
	}
	return segment.Row{}, noTag(tag)
}
