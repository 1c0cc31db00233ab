package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/segment"
)

// segment is the command whose subcommands look after dense numbers.
func (p *program) segment() *cobra.Command {
	return ofCommands(&cobra.Command{
		Use: "segment", Short: "Take dense numbers from a store, and look after them",
	}, p.segmentList(), p.segmentNext(), p.segmentSet())
}

// tagSigns are what a tag can have besides letters, digits and spaces.
const tagSigns = "!\"#$%&'()*+,-./:;<=>?_"

// checkTag is segmentstore.CheckTag with a text that does not repeat the tag, which may be a DSN
// without its flag.
func checkTag(tag string) error {
	if segmentstore.CheckTag(tag) == nil {
		return nil
	}
	return badInput("these %d bytes are no tag: it has 1 to 128 ASCII letters, digits, spaces and %s, "+
		"and no space at either end", len(tag), tagSigns)
}

// oneTag checks the arguments of a command for a tag.
func oneTag(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return badInput("%s takes one tag, such as invoice (%[1]s --help)", cmd.CommandPath())
	}
	return checkTag(args[0])
}

// registerSegments registers the flags of a command about segments.
func (r *tables) registerSegments(flags *pflag.FlagSet) {
	r.store.register(flags)
	registerSegmentTable(flags, &r.segments)
}

func registerSegmentTable(flags *pflag.FlagSet, name *string) {
	flags.StringVar(name, "segment-table", segmentTable, "table of segments, in a database")
}

// lossyFlag is --lossy-store.
const (
	lossyFlag  = "lossy-store"
	lossyUsage = "use a store that can lose what it has given out, so that numbers come twice"
)

// onSegments calls do with the segments of the store, under a context that a signal cancels.
func (r *tables) onSegments(ctx context.Context, do func(context.Context, segment.Store) error) error {
	return r.open(ctx, func(ctx context.Context, s *workerStore) error { return do(ctx, s.Segments) })
}

// try calls attempt until it succeeds, fails for good, or the time is up.
func (r *tables) try(ctx context.Context, attempt func(context.Context) error) error {
	return retry.Do(ctx, r.store.timeout, r.log(), attempt)
}

// rowsAtOnce is how many rows are read at a time.
const rowsAtOnce = 500

// rows returns the rows of the tags after one, in the order of their bytes.
func (r *tables) rows(ctx context.Context, s segment.Store, after string) iter.Seq2[segmentstore.Row, error] {
	return func(yield func(segmentstore.Row, error) bool) {
		for {
			var page []segmentstore.Row
			err := r.try(ctx, func(ctx context.Context) (err error) {
				page, err = s.Rows(ctx, after, rowsAtOnce)
				return err
			})
			if err != nil {
				yield(segmentstore.Row{}, fmt.Errorf("read the segments: %w", err))
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
var rowColumns = []column{{"tag", "tag", false}, {"next", "next number", true}, {"step", "step", true},
	{"updated", "updated", false}, {"description", "description", false}}

func rowCells(row segmentstore.Row) []cell {
	updated := cell{value: nil, text: "-"}
	if !row.Updated.IsZero() {
		updated = moment(row.Updated.UTC())
	}
	return []cell{
		{value: printable(row.Tag)}, {value: uid.UID(row.Next), text: grouped(row.Next)}, count(row.Step),
		updated, {value: printable(row.Description)},
	}
}

// noTag is the error of a tag that has no row.
func noTag(tag string) error { return fmt.Errorf("%w: %q", segment.ErrNoTag, tag) }

// withCreate tells how to make the row that an error says is missing.
func withCreate(err error, tag, how string) error {
	if errors.Is(err, segment.ErrNoTag) {
		return fmt.Errorf("%w; %s makes it", noTag(tag), how)
	}
	return err
}

// quietly returns a logger for what fails in ways that the command reports itself: without -v it
// says nothing.
func (p *program) quietly() *slog.Logger {
	if p.verbose {
		return p.log()
	}
	return slog.New(slog.DiscardHandler)
}
