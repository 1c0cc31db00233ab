package segment

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
)

// ls is the command that shows rows.
type ls struct {
	p      *cli.Program
	store  places.Store
	format cli.Format
}

func newLs(p *cli.Program) *cobra.Command {
	c := &ls{p: p, store: places.Store{Existing: true}, format: cli.Table}
	cmd, flags := cli.NewCommand("ls [TAG...]", "Show the tags of a store, and their next numbers",
		func(cmd *cobra.Command, tags []string) error {
			return c.store.With(cmd.Context(), p, func(ctx context.Context, s *places.Opened) error {
				return c.run(ctx, s.Segments, tags)
			})
		})
	cmd.Args = func(_ *cobra.Command, args []string) error {
		for _, tag := range args {
			if err := CheckTag(tag); err != nil {
				return err
			}
		}
		return nil
	}
	c.store.Register(flags)
	c.store.RegisterSegments(flags)
	flags.Var(&c.format, "format", cli.FormatUsage)
	return cmd
}

// run shows all rows, or those of some tags. Tags that have none are an error, after the others.
func (c *ls) run(ctx context.Context, s segment.Store, tags []string) error {
	l := c.p.List(c.format, rowColumns...)
	defer l.End()
	if len(tags) == 0 {
		empty := true
		for row, err := range rows(ctx, c.p, &c.store, s, "") {
			if err := cmp.Or(err, c.p.Out.Failed()); err != nil {
				return err
			}
			empty = false
			l.Add(rowCells(row)...)
		}
		if empty {
			c.p.Note("there are no tags in the store")
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
			l.Add(rowCells(row)...)
		}
	}
	return errors.Join(missing...)
}

// find returns the row of a tag.
func (c *ls) find(ctx context.Context, s segment.Store, tag string) (storage.Segment, error) {
	for row, err := range rows(ctx, c.p, &c.store, s, tag[:len(tag)-1]) {
		if err != nil || row.Tag == tag {
			return row, err
		}
		if row.Tag > tag {
			break
		}
	}
	return storage.Segment{}, noTag(tag)
}
