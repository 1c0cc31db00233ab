package segment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
)

// set is the command that writes a row.
type set struct {
	p             *cli.Program
	store         places.Store
	format        cli.Format
	next, step    int64 // 0: not given
	description   string
	described     bool
	create, lower bool
}

func newSet(p *cli.Program) *cobra.Command {
	c := &set{p: p, format: cli.Table}
	cmd, flags := cli.NewCommand("set TAG",
		"Raise the next number of a tag, describe it, or make it", func(cmd *cobra.Command, args []string) error {
			c.described = cmd.Flags().Changed("description")
			if err := c.check(args[0]); err != nil {
				return err
			}
			c.store.Existing = !c.create
			return c.store.With(cmd.Context(), p, func(ctx context.Context, s *places.Opened) error {
				return c.run(ctx, s.Segments, args[0])
			})
		})
	cmd.Args = oneTag
	c.store.Register(flags)
	c.store.RegisterSegments(flags)
	flags.Var(&c.format, "format", cli.FormatUsage)
	flags.Var(cli.CountVar(&c.next), "next", "the next number")
	flags.Var(cli.CountVar(&c.step), "step", "the fewest numbers that are taken at once")
	flags.StringVar(&c.description, "description", "", "a text for people, of 256 characters at most")
	flags.BoolVar(&c.create, "create", false, "make the row if there is none")
	flags.BoolVar(&c.lower, "lower", false, "lower the next number, so that numbers can come twice")
	return cmd
}

// check refuses what no row can have.
func (c *set) check(tag string) error {
	if c.next == 0 && c.step == 0 && !c.described && !c.create {
		return cli.BadInput("there is nothing to set: give --next, --step, --description or --create")
	}
	if c.lower && c.next == 0 {
		return cli.BadInput("--lower is for --next")
	}
	if !utf8.ValidString(c.description) || strings.ContainsFunc(c.description, unicode.IsControl) {
		return cli.BadInput("--description: it has a control character, or is not UTF-8")
	}
	row := storage.Segment{Tag: tag, Next: c.next, Step: max(1, c.step), Description: c.description}
	if err := row.Check(); err != nil {
		return cli.InputError{Err: err}
	}
	return nil
}

func (c *set) run(ctx context.Context, s segment.Store, tag string) error {
	var is storage.Segment
	var taken int64 // the highest next number that there was
	err := c.store.Try(ctx, c.p, func(ctx context.Context) error {
		return s.Change(ctx, tag, func(row *storage.Segment) error {
			taken = max(taken, row.Next, row.Floor)
			err := c.change(row)
			is = *row
			return err
		})
	})
	if err != nil {
		return err
	}
	if is.Next < taken {
		c.p.Note("the numbers %d to %d of tag %q can now come twice", is.Next, taken-1, tag)
	}
	c.p.Answer(c.format, fmt.Sprintf("tag %q: the next number is %d, the step %d", is.Tag, is.Next, is.Step),
		"tag", is.Tag, "next", uid.UID(is.Next), "step", is.Step, "description", cli.Printable(is.Description))
	return nil
}

// change decides what becomes of a row.
func (c *set) change(row *storage.Segment) error {
	next, least := c.next, max(row.Next, row.Floor)
	if row.Fresh {
		if !c.create {
			return fmt.Errorf("%w; --create makes it", noTag(row.Tag))
		}
		row.Fresh, row.Step, next = false, 1, max(next, 1)
	}
	if next > 0 {
		if next < least && !c.lower {
			return fmt.Errorf("the next number of tag %q was %d, and %d is below: "+
				"numbers that were given out could come twice; --lower accepts that",
				row.Tag, least, next)
		}
		if row.Next = next; next < least {
			// Generators that have taken these numbers find no note of theirs, and stop.
			row.Takers = slices.DeleteFunc(row.Takers, func(t storage.Taker) bool { return t.Last >= next })
		}
		row.Stamp()
	}
	if c.step > 0 {
		row.Step = c.step
	}
	if c.described {
		row.Description = c.description
	}
	return nil
}
