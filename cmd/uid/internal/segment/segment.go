// Package segment has the commands that take dense numbers of tags, and look after their rows.
package segment

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
)

// Command returns the command whose subcommands look after dense numbers.
func Command(p *cli.Program) *cobra.Command {
	return cli.Group(&cobra.Command{Use: "segment", Short: "Take dense numbers from a store, and look after them"},
		newLs(p), newNext(p), newSet(p))
}

// tagSigns are what a tag can have besides letters, digits and spaces.
const tagSigns = "!\"#$%&'()*+,-./:;<=>?_"

// CheckTag is storage.CheckTag with a text that does not repeat the tag, which may be a DSN
// without its flag.
func CheckTag(tag string) error {
	if storage.CheckTag(tag) == nil {
		return nil
	}
	return cli.BadInput("these %d bytes are no tag: it has 1 to 128 ASCII letters, digits, spaces and %s, "+
		"and no space at either end", len(tag), tagSigns)
}

// oneTag checks the arguments of a command for a tag.
func oneTag(cmd *cobra.Command, args []string) error {
	if err := cli.OneArg("tag, such as invoice")(cmd, args); err != nil {
		return err
	}
	return CheckTag(args[0])
}

// rowsAtOnce is how many rows are read at a time.
const rowsAtOnce = 500

// rows returns the rows of the tags after one, in the order of their bytes.
func rows(ctx context.Context, p *cli.Program, store *places.Store, s segment.Store,
	after string) iter.Seq2[storage.Segment, error] {
	return func(yield func(storage.Segment, error) bool) {
		for {
			var page []storage.Segment
			err := store.Try(ctx, p, func(ctx context.Context) (err error) {
				page, err = s.Rows(ctx, after, rowsAtOnce)
				return err
			})
			if err != nil {
				yield(storage.Segment{}, fmt.Errorf("read the segments: %w", err))
				return
			}
			for _, row := range page {
				if !yield(row, nil) {
					return
				}
				after = row.Tag
			}
			if len(page) < rowsAtOnce {
				return
			}
		}
	}
}

// rowColumns are the columns of a tag's row.
var rowColumns = []cli.Column{cli.Text("tag", "tag"), cli.Numbers("next", "next number"), cli.Numbers("step", "step"),
	cli.Text("updated", "updated"), cli.Text("description", "description")}

func rowCells(row storage.Segment) []any {
	updated := cli.Cell{Text: "-"}
	if !row.Updated.IsZero() {
		updated = cli.Moment(row.Updated.UTC())
	}
	return []any{
		cli.Printable(row.Tag), cli.Cell{Value: uid.UID(row.Next), Text: cli.Count(row.Next).Text}, cli.Count(row.Step),
		updated, cli.Printable(row.Description),
	}
}

// noTag is the error of a tag that has no row.
func noTag(tag string) error { return fmt.Errorf("%w: %q", segment.ErrNoTag, tag) }

// WithCreate tells how to make the row that an error says is missing.
func WithCreate(err error, tag, how string) error {
	if errors.Is(err, segment.ErrNoTag) {
		return fmt.Errorf("%w; %s makes it", noTag(tag), how)
	}
	return err
}

// newNext returns the command that takes numbers.
func newNext(p *cli.Program) *cobra.Command {
	d, store, format := Drawing{N: 1, Step: MaxNumbers}, places.Store{Existing: true}, cli.Plain
	cmd, flags := cli.NewCommand("next TAG", "Take the next numbers of a tag",
		func(cmd *cobra.Command, args []string) error {
			if err := format.TooLong(d.N); err != nil {
				return err
			}
			d.Tag = args[0]
			if format != cli.Plain {
				d.listing = p.List(format, cli.Text("tag", "tag"), cli.Numbers("number", "number"))
			}
			return store.With(cmd.Context(), p, func(ctx context.Context, s *places.Opened) error {
				return WithCreate(d.Run(ctx, p, &store, s.Segments), d.Tag, "uid segment set --create")
			})
		})
	cmd.Args = oneTag
	store.Register(flags)
	store.RegisterSegments(flags)
	flags.VarP(cli.CountVar(&d.N), "count", "n", "how many numbers; 1e6 is a million")
	flags.Var(&format, "format", cli.FormatUsage)
	flags.BoolVar(&d.Lossy, places.LossyFlag, false, places.LossyUsage)
	return cmd
}
