package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/tenure"
	"github.com/uidgen/uid/internal/ticks"
)

// gen is the command that makes UIDs. The other commands that do have its flags, too.
type gen struct {
	*program
	n         int64
	store     store
	layout    layoutFlag
	after     uid.UID
	format    formatOrForm
	namespace string  // of leases; "" if not given
	segment   drawing // of --segment
}

const (
	// genChunk is how many UIDs gen makes and writes at a time.
	genChunk = 8192
	// maxTableRows is the longest table of UIDs. A table is built in memory, and nobody
	// reads a longer one.
	maxTableRows = 10_000
	// defaultLead is the MaxLead that package cached has by default.
	defaultLead = 90 * time.Second
)

func (p *program) newGen() gen {
	return gen{program: p, n: 5, layout: newLayoutFlag(), format: formatOrForm{format: plain},
		segment: drawing{tables: &tables{program: p}, step: maxNumbers}}
}

func (p *program) gen() *cobra.Command {
	g := p.newGen()
	cmd, flags := newCommand("gen", "Make UIDs", func(cmd *cobra.Command, _ []string) error {
		if err := g.check(cmd.Flags()); err != nil {
			return err
		}
		if g.segment.tag != "" {
			return g.runSegment(cmd.Context())
		}
		return g.run(cmd.Context())
	})
	flags.VarP(countVar(&g.n), "count", "n", "how many UIDs; 1e6 is a million")
	g.store.register(flags)
	flags.Var(textVar(&g.namespace, "NAME"), "namespace", namespaceUsage)
	flags.Var(&g.layout, "layout", layoutUsage)
	flags.Var(afterVar(&g.after), "after", afterUsage)
	flags.Var(&g.format, "format", "plain, json, table, or a form such as base32 or uuid=NAMESPACE")
	g.registerSegment(flags)
	return cmd
}

const namespaceUsage = `namespace of a leased ID (default "default")`

// tooLong refuses a table of so many rows.
func (f format) tooLong(n int64) error {
	if f == table && n > maxTableRows {
		return badInput("-n %d: a table has at most %d rows; use --format plain or json", n, maxTableRows)
	}
	return nil
}

func (g *gen) run(ctx context.Context) error {
	if err := g.format.tooLong(g.n); err != nil {
		return err
	}
	if err := tenure.CheckExpiry(bits.Expiry{}, g.layout.Layout, g.now()); err != nil {
		if g.layout.set {
			return inputError{err}
		}
		return err
	}
	l := g.layout.Layout
	if err := cmp.Or(checkFloor(l, g.after), checkRoom(l, g.n, g.now())); err != nil {
		return err
	}
	return onStore(ctx, g.open, g.make)
}

// make makes the UIDs.
func (g *gen) make(ctx context.Context, s *workerStore) (err error) {
	lead := leadAfter(g.layout.Layout, g.n)
	cfg := cached.Config{Layout: g.layout.Layout, After: g.after, Logger: g.log(), Now: g.now}
	switch {
	case s.Numbers == nil && g.segment.lossy:
		return badInput("--%s is for databases, which give each run an ID of its own, and for --segment; "+
			"what this store loses is made up for", lossyFlag)
	case s.Numbers == nil: // another run gets the ID soon
	case lead > defaultLead:
		// No other run ever gets this worker ID, so nobody else issues the borrowed ticks.
		cfg.MaxLead = cached.Unbounded
	}
	w, err := g.worker(s)
	if err != nil {
		return err
	}
	generator, err := cached.NewContext(ctx, w, cfg)
	if err != nil {
		if g.after != 0 && errors.Is(err, uid.ErrRange) {
			err = inputError{err}
		}
		return g.full(s, err)
	}
	defer func() { err = cmp.Or(err, g.store.release(generator.CloseContext)) }()
	if err := g.write(ctx, generator, lead); err != nil {
		return err
	}
	return g.out.Flush()
}

// write draws the UIDs and writes them. It warns of a large lead only once there is one:
// if the output's reader goes away, there may never be.
func (g *gen) write(ctx context.Context, generator *cached.Generator, lead time.Duration) error {
	put, end := g.printer()
	bar := newProgress(g.stdout, g.stderr, g.n)
	defer bar.end()
	told := false
	chunk := make([]uid.UID, min(genChunk, g.n))
	for left := g.n; left > 0; {
		n, err := generator.FillContext(ctx, chunk[:min(left, genChunk)])
		for _, u := range chunk[:n] {
			if err := put(u); err != nil {
				return err
			}
		}
		if err := cmp.Or(err, g.out.failed()); err != nil {
			return err
		}
		left -= int64(n)
		if !told && leadAfter(g.layout.Layout, g.n-left) > defaultLead {
			g.note("the last of these UIDs will be up to %s ahead of the clock: "+
				"the layout %s has %s a second for each worker",
				words(lead), short(g.layout.Layout), number(perSecond(g.layout.Layout)).text)
			told = true
		}
		bar.add(n)
	}
	end()
	return nil
}

// printer returns a function that prints a UID, and one to call at the end.
func (g *gen) printer() (put func(uid.UID) error, end func()) {
	switch {
	case g.format.form.Write != nil:
		return func(u uid.UID) error {
			text, err := g.format.form.Write(u)
			if err == nil {
				fmt.Fprintln(g.out, text)
			}
			return err
		}, func() {}
	case g.format.format == plain:
		return func(u uid.UID) error { g.out.number(int64(u)); return nil }, func() {}
	}
	l := newPartsListing(g.out, g.format.format, g.layout.Layout)
	return func(u uid.UID) error {
		parts, err := g.layout.Parse(u)
		if err == nil { // as it is for a UID of this layout
			l.add(parts)
		}
		return err
	}, l.end
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
		return badInput("-n %d: %w: the layout %s has room for %d more UIDs of one worker, until %s",
			n, uid.ErrRange, l, max(0, left+1)<<l.SequenceBits(), l.Expires().Format(time.RFC3339))
	}
	return nil
}

// checkFloor refuses a floor that no UID of a layout is above.
func checkFloor(l bits.Layout, after uid.UID) error {
	if after == 0 {
		return nil
	}
	if _, err := ticks.Above(l, after); err != nil {
		return badInput("--after: %w", err)
	}
	return nil
}

// perSecond returns how many UIDs a second one worker of a layout can sustain.
func perSecond(l bits.Layout) float64 { return float64(l.MaxSequence()+1) / l.Unit().Seconds() }

// short returns the widths of a layout and its unit, in a form that --layout takes.
func short(l bits.Layout) string {
	units := map[time.Duration]string{time.Second: "", time.Millisecond: "ms", time.Microsecond: "us",
		time.Nanosecond: "ns", time.Minute: "m", time.Hour: "h"}
	if unit, ok := units[l.Unit()]; ok {
		return fmt.Sprintf("%d%s/%d/%d", l.TimeBits(), unit, l.WorkerBits(), l.SequenceBits())
	}
	return fmt.Sprintf("%d/%d/%d unit=%v", l.TimeBits(), l.WorkerBits(), l.SequenceBits(), l.Unit())
}
