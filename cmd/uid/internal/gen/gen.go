// Package gen has the command that makes UIDs, or numbers of a tag.
package gen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/cmd/uid/internal/segment"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/tenure"
)

// gen is the command that makes UIDs.
type gen struct {
	p       *cli.Program
	n       int64
	worker  places.Worker
	after   uid.UID
	format  cli.FormatOrForm
	numbers segment.Drawing // of --segment
}

const (
	// genChunk is how many UIDs gen makes and writes at a time.
	genChunk = 8192
	// defaultLead is the MaxLead that package cached has by default.
	defaultLead = 90 * time.Second
)

// Command returns the command gen.
func Command(p *cli.Program) *cobra.Command {
	g := &gen{p: p, n: 5, format: cli.FormatOrForm{Format: cli.Plain}}
	g.numbers.Step = segment.MaxNumbers
	cmd, flags := cli.NewCommand("gen", "Make UIDs", func(cmd *cobra.Command, _ []string) error {
		if err := g.check(cmd.Flags()); err != nil {
			return err
		}
		if g.numbers.Tag != "" {
			return g.draw(cmd.Context())
		}
		return g.run(cmd.Context())
	})
	flags.VarP(cli.CountVar(&g.n), "count", "n", "how many UIDs; 1e6 is a million")
	g.worker.Register(flags)
	flags.Var(cli.AfterVar(&g.after), "after", cli.AfterUsage)
	flags.Var(&g.format, "format", "plain, json, table, or a form such as base32 or uuid=NAMESPACE")
	n := &g.numbers
	flags.Var(cli.Var(&n.Tag, "TAG", func(tag string) (string, error) { return tag, segment.CheckTag(tag) }), "segment",
		"print numbers of this tag, not UIDs")
	flags.BoolVar(&n.Daily, "daily", false, "print order numbers: a day, and a number of it")
	flags.Var(cli.Var(&n.Zone, "ZONE", cli.ReadZone), "zone",
		"where the days are, such as Europe/Berlin (default UTC)")
	flags.BoolVar(&n.Create, "create", false, "make the tag's row if there is none")
	flags.Var(cli.CountVar(&n.First), "first", "print no number below it")
	flags.Var(cli.CountVar(&n.Last), "last", "print no number above it")
	flags.Var(cli.CountVar(&n.Step), "step", "take at most so many numbers at once")
	g.worker.RegisterSegments(flags)
	return cmd
}

// check refuses flags that do not go together.
func (g *gen) check(flags *pflag.FlagSet) error {
	s := &g.numbers
	if s.Tag == "" {
		return cli.Excludes(flags, "%s is for --segment",
			"daily", "zone", "create", "first", "last", "step", "segment-table")
	}
	if err := cli.Excludes(flags, "%s is for UIDs, not for --segment", "layout", "namespace"); err != nil {
		return err
	}
	switch {
	case !s.Daily && flags.Changed("zone"):
		return cli.BadInput("--zone is for --daily")
	case g.format.Format != cli.Plain || g.format.Form.Write != nil:
		return cli.BadInput("--format is for UIDs; " +
			"a number of --segment has no time, worker ID or sequence: use --format plain")
	case s.Last > 0 && s.Last < s.First:
		return cli.BadInput("--last %d is below --first %d", s.Last, s.First)
	case s.Step > storage.MaxStep:
		return cli.BadInput("--step %d: want 1 to %d", s.Step, int64(storage.MaxStep))
	}
	return nil
}

// draw takes numbers of a tag.
func (g *gen) draw(ctx context.Context) error {
	d, store := &g.numbers, &g.worker.Store
	d.N, d.Lossy = g.n, g.worker.Lossy
	store.Existing = !d.Create && !d.Daily
	if g.after != 0 {
		d.First = max(d.First, int64(min(g.after, math.MaxInt64-1)+1))
		if d.Last > 0 && d.Last < d.First {
			return cli.BadInput("--last %d is below the first number above --after, %d", d.Last, d.First)
		}
	}
	return store.With(ctx, g.p, func(ctx context.Context, s *places.Opened) error {
		return segment.WithCreate(d.Run(ctx, g.p, store, s.Segments), d.Tag, "--create")
	})
}

func (g *gen) run(ctx context.Context) error {
	if err := g.format.TooLong(g.n); err != nil {
		return err
	}
	l := g.worker.Layout.Layout
	if err := tenure.CheckExpiry(bits.Expiry{}, l, g.p.Now()); err != nil {
		if g.worker.Layout.Given {
			return cli.InputError{Err: err}
		}
		return err
	}
	if err := cmp.Or(cli.CheckFloor(l, g.after), checkRoom(l, g.n, g.p.Now())); err != nil {
		return err
	}
	return g.worker.Store.With(ctx, g.p, g.make)
}

// make makes the UIDs.
func (g *gen) make(ctx context.Context, s *places.Opened) (err error) {
	g.worker.Choose(s)
	lead := leadAfter(g.worker.Layout.Layout, g.n)
	cfg := cached.Config{Layout: g.worker.Layout.Layout, After: g.after, Logger: g.p.Log(), Now: g.p.Now}
	switch {
	case s.Numbers == nil && g.worker.Lossy:
		return cli.BadInput("--%s is for databases, which give each run an ID of its own, and for --segment; "+
			"what this store loses is made up for", places.LossyFlag)
	case s.Numbers == nil: // another run gets the ID soon
	case lead > defaultLead:
		// No other run ever gets this worker ID, so nobody else issues the borrowed ticks.
		cfg.MaxLead = cached.Unbounded
	}
	w, err := g.worker.Of(g.p, s)
	if err != nil {
		return err
	}
	generator, err := cached.NewContext(ctx, w, cfg)
	if err != nil {
		if g.after != 0 && errors.Is(err, uid.ErrRange) {
			err = cli.InputError{Err: err}
		}
		return g.worker.Explain(s, err)
	}
	defer func() { err = cmp.Or(err, g.worker.Store.Release(generator.CloseContext)) }()
	if err := g.write(ctx, generator, lead); err != nil {
		return err
	}
	return g.p.Out.Flush()
}

// write draws the UIDs and writes them. It warns of a large lead only once there is one:
// if the output's reader goes away, there may never be.
func (g *gen) write(ctx context.Context, generator *cached.Generator, lead time.Duration) error {
	put, end := g.printer()
	told, layout := false, g.worker.Layout.Layout
	chunk := make([]uid.UID, min(genChunk, g.n))
	for left := g.n; left > 0; {
		n, err := generator.FillContext(ctx, chunk[:min(left, genChunk)])
		for _, u := range chunk[:n] {
			if err := put(u); err != nil {
				return err
			}
		}
		if err := cmp.Or(err, g.p.Out.Failed()); err != nil {
			return err
		}
		left -= int64(n)
		if !told && leadAfter(layout, g.n-left) > defaultLead {
			g.p.Note("the last of these UIDs will be up to %s ahead of the clock: "+
				"the layout %s has %s a second for each worker",
				cli.Words(lead), cli.Short(layout), cli.Number(cli.PerSecond(layout)).Text)
			told = true
		}
	}
	end()
	return nil
}

// printer returns a function that prints a UID, and one to call at the end.
func (g *gen) printer() (put func(uid.UID) error, end func()) {
	switch {
	case g.format.Form.Write != nil:
		return func(u uid.UID) error {
			text, err := g.format.Form.Write(u)
			if err == nil {
				fmt.Fprintln(g.p.Out, text)
			}
			return err
		}, func() {}
	case g.format.Format == cli.Plain:
		return func(u uid.UID) error { g.p.Out.Number(int64(u)); return nil }, func() {}
	}
	l := g.p.ListParts(g.format.Format, g.worker.Layout.Layout)
	return func(u uid.UID) error {
		parts, err := g.worker.Layout.Parse(u)
		if err == nil { // as it is for a UID of this layout
			l.AddParts(parts)
		}
		return err
	}, l.End
}

// leadAfter returns how far n UIDs of one worker, drawn at once, run ahead of the clock,
// in whole ticks; at most the largest Duration.
func leadAfter(l bits.Layout, n int64) time.Duration {
	ticks := (n - 1) >> l.SequenceBits() // after the first one
	if ticks > math.MaxInt64/int64(l.Unit()) {
		return math.MaxInt64
	}
	return time.Duration(ticks) * l.Unit()
}

// checkRoom refuses an n that does not fit into the rest of the time field. (An n that
// just fits may still be too large once the clock has moved on.)
func checkRoom(l bits.Layout, n int64, now time.Time) error {
	left := l.MaxTick() - l.TickAt(now)
	if (n-1)>>l.SequenceBits() > left {
		return cli.BadInput("-n %d: %w: the layout %s has room for %d more UIDs of one worker, until %s",
			n, uid.ErrRange, l, max(0, left+1)<<l.SequenceBits(), l.Expires().Format(time.RFC3339))
	}
	return nil
}
