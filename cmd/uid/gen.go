package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/connect/scheme"
	"github.com/uidgen/uid/internal/namespace"
)

// gen is the command that makes UIDs.
type gen struct {
	*program
	n      countFlag
	store  store
	layout layoutFlag
	after  afterFlag
	format formatOrForm

	namespace    string // of leases
	namespaceSet bool

	segment genSegment
}

const (
	// genChunk is how many UIDs gen makes and writes at a time.
	genChunk = 8192
	// maxTableRows is the longest table of UIDs. A table is built in memory, and nobody
	// reads a longer one.
	maxTableRows = 10_000
)

func (p *program) gen() *cobra.Command {
	g := &gen{program: p, n: 5, layout: newLayoutFlag(), format: formatOrForm{format: plain}, namespace: namespace.Default}
	cmd := &cobra.Command{
		Use:                   "gen [-n 5] [--store FILE|URL | --mysql DSN] [--layout NAME|T/W/S | --segment TAG [--daily]] [--after UID] [--format FORMAT]",
		Short:                 "Make UIDs",
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := g.check(cmd.Flags()); err != nil {
				return err
			}
			if g.segment.tag != "" {
				return g.runSegment(cmd.Context())
			}
			return g.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.VarP(&g.n, "count", "n", "how many UIDs; 1e6 is a million")
	g.store.register(flags)
	flags.Var(&setString{&g.namespace, &g.namespaceSet, "NAME"}, "namespace", "namespace of a leased ID (default \"default\")")
	flags.Var(&g.layout, "layout", layoutUsage)
	flags.Var(&g.after, "after", afterUsage)
	flags.Var(&g.format, "format", "plain, json, table, or a form such as base32 or uuid=NAMESPACE (uid help gen)")
	g.segment.register(flags)
	return cmd
}

func (g *gen) run(ctx context.Context) (err error) {
	if g.format.format == table && g.n > maxTableRows {
		return badInput("-n %d: a table has at most %d rows; use --format plain or json", g.n, maxTableRows)
	}
	if err := (bits.Expiry{}).Start(g.layout.Layout, g.now()); err != nil {
		if g.layout.set {
			return inputError{err}
		}
		return err
	}
	if err := checkFloor(g.layout.Layout, g.after); err != nil {
		return err
	}
	if err := checkRoom(g.layout.Layout, int64(g.n), g.now()); err != nil {
		return err
	}
	lead := leadAfter(g.layout.Layout, int64(g.n))
	cfg := cached.Config{Layout: g.layout.Layout, After: uid.UID(g.after), Logger: g.log(), Now: g.now}
	if lead > cached.DefaultMaxLead {
		// No other run ever gets this worker ID, so nobody else issues the borrowed ticks.
		cfg.MaxLead = cached.Unbounded
	}

	ctx, stop := untilSignal(ctx)
	defer stop()

	s, err := g.open(ctx, scheme.Options{})
	if err != nil {
		return interrupted(ctx, err)
	}
	defer s.close()
	if s.numbers == nil {
		if g.segment.lossy {
			return badInput("--%s is for databases, which give each run an ID of its own, and for --segment; "+
				"what this store loses is made up for", lossyFlag)
		}
		cfg.MaxLead = 0 // another run gets the ID soon
	}
	w, err := g.worker(s)
	if err != nil {
		return interrupted(ctx, err)
	}
	generator, err := cached.NewContext(ctx, w, cfg)
	if err != nil {
		if g.after != 0 && errors.Is(err, uid.ErrRange) {
			err = inputError{err}
		}
		return interrupted(ctx, g.full(s, err))
	}
	defer func() {
		// Not under ctx: release the worker ID after an interruption, too.
		ctx, cancel := g.store.closing()
		defer cancel()
		if closeErr := generator.CloseContext(ctx); err == nil {
			err = closeErr
		}
	}()
	if err := g.write(ctx, generator, lead); err != nil {
		return interrupted(ctx, err)
	}
	return g.out.Flush()
}

// write draws the UIDs and writes them. It warns of a large lead only once there is one:
// if the output's reader goes away, there may never be.
func (g *gen) write(ctx context.Context, generator *cached.Generator, lead time.Duration) error {
	put, end := g.printer()
	bar := newProgress(g.stdout, g.stderr, int64(g.n))
	defer bar.end()
	told := false
	chunk := make([]uid.UID, min(genChunk, g.n))
	for left := int64(g.n); left > 0; {
		n, err := generator.FillContext(ctx, chunk[:min(left, genChunk)])
		for _, u := range chunk[:n] {
			if err := put(u); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		left -= int64(n)
		if !told && leadAfter(g.layout.Layout, int64(g.n)-left) > cached.DefaultMaxLead {
			g.note("the last of these UIDs will be up to %s ahead of the clock: the layout %s has %s a second for each worker",
				words(lead), short(g.layout.Layout), number(perSecond(g.layout.Layout)).text)
			told = true
		}
		bar.add(n)
	}
	return end()
}

// printer returns a function that prints a UID, and one to call at the end.
func (g *gen) printer() (put func(uid.UID) error, end func() error) {
	if write := g.format.form.Write; write != nil {
		return func(u uid.UID) error {
			text, err := write(u)
			if err == nil {
				_, err = g.out.WriteString(text + "\n")
			}
			return err
		}, func() error { return nil }
	}
	if g.format.format == plain {
		return func(u uid.UID) error {
			b := strconv.AppendInt(g.out.AvailableBuffer(), int64(u), 10)
			_, err := g.out.Write(append(b, '\n'))
			return err
		}, func() error { return nil }
	}
	l := newPartsListing(g.out, g.format.format, g.layout.Layout)
	return func(u uid.UID) error {
		parts, err := g.layout.Parse(u)
		if err != nil {
			return err // not for a UID of this layout
		}
		return l.add(parts)
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
func checkFloor(l bits.Layout, after afterFlag) error {
	if after == 0 {
		return nil
	}
	if _, err := l.TickAbove(uid.UID(after)); err != nil {
		return badInput("--after: %w", err)
	}
	return nil
}

// perSecond returns how many UIDs a second one worker of a layout can sustain.
func perSecond(l bits.Layout) float64 {
	return float64(l.MaxSequence()+1) / l.Unit().Seconds()
}

// short returns the widths of a layout and its unit, in a form that --layout takes.
func short(l bits.Layout) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Second, ""}, {time.Millisecond, "ms"}, {time.Microsecond, "us"}, {time.Nanosecond, "ns"}, {time.Minute, "m"}, {time.Hour, "h"}} {
		if u.unit == l.Unit() {
			return fmt.Sprintf("%d%s/%d/%d", l.TimeBits(), u.name, l.WorkerBits(), l.SequenceBits())
		}
	}
	return fmt.Sprintf("%d/%d/%d unit=%v", l.TimeBits(), l.WorkerBits(), l.SequenceBits(), l.Unit())
}
