package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/backfill"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
)

// backfillCommand is the command that makes UIDs for times that are past.
type backfillCommand struct {
	gen      // its store, layout, namespace and format
	from, to time.Time
	within   time.Duration // 0: not given
	workers  int64
	sorted   bool
	durable  bool
}

const durableFlag = "durable-store"

func (p *program) backfill() *cobra.Command {
	b := &backfillCommand{gen: p.newGen(), workers: 1}
	cmd, flags := newCommand("backfill [TIME...] [--from TIME] [--to TIME] [--within DURATION] "+
		"[--store FILE|URL | --mysql DSN] [--namespace NAME [--durable-store]] [--layout NAME|T/W/S] [--format FORMAT]",
		"Make UIDs for times that are past",
		func(cmd *cobra.Command, args []string) error { return b.run(cmd.Context(), args) })
	cmd.Args = cobra.ArbitraryArgs
	flags.Var(timeVar(&b.from), "from", "no time is earlier (default: when the layout begins)")
	flags.Var(timeVar(&b.to), "to", "no time is later (default: now)")
	flags.Var(spanVar(&b.within), "within", "how much later than its time a UID may be when ticks are full")
	flags.Var(countVar(&b.workers), "workers", "how many worker IDs the run takes")
	flags.BoolVar(&b.sorted, "sorted", false, "times do not go back: the run needs no memory for each of them")
	b.store.register(flags)
	flags.Var(textVar(&b.namespace, "NAME"), "namespace", "take worker IDs from this namespace of leases")
	flags.BoolVar(&b.durable, durableFlag, false, "the store of the namespace never loses what it has acknowledged")
	flags.Var(&b.layout, "layout", layoutUsage)
	flags.Var(&b.format, "format", formatUsage)
	return cmd
}

func (b *backfillCommand) run(ctx context.Context, args []string) error {
	times, err := readAll(args, parseMoment)
	if err != nil {
		return err
	}
	return onStore(ctx, b.open, func(ctx context.Context, s *workerStore) (err error) {
		g, err := b.generator(ctx, s)
		if err != nil {
			return err
		}
		defer func() { err = cmp.Or(err, b.store.release(g.CloseContext)) }()
		return b.write(ctx, g, times)
	})
}

// generator makes the generator, on the store's disposable IDs or leases.
func (b *backfillCommand) generator(ctx context.Context, s *workerStore) (*backfill.Generator, error) {
	cfg := backfill.Config{Layout: b.layout.Layout, From: b.from, To: b.to, Workers: int(min(b.workers, 1<<30)),
		Sorted: b.sorted, Logger: b.log(), Now: b.now}
	var source backfill.Source
	switch {
	case s.Numbers == nil || b.namespace != "":
		leases, err := s.Registry.Namespace(b.namespace)
		if err != nil {
			return nil, inputError{err}
		}
		losses := lease.ByHistory
		if b.durable || s.place.file() != "" {
			losses = lease.Never
		}
		if losses == lease.ByHistory && !leases.Durable() {
			return nil, badInput("a store of this kind can lose what it has acknowledged, and two runs could then "+
				"make the same UIDs; --%s says that this one does not", durableFlag)
		}
		source = backfill.FromLeases(leases, backfill.LeaseConfig{Losses: losses, Timeout: b.store.timeout})
	case b.durable:
		return nil, badInput("--%s is for --namespace; without it the run has an ID of its own", durableFlag)
	default:
		source = backfill.FromNumbers(s.Numbers, disposable.Config{Timeout: b.store.timeout})
	}
	g, err := backfill.NewContext(ctx, source, cfg)
	switch {
	case errors.Is(err, worker.ErrNoNamespace):
		return nil, noNamespace(b.namespace, s, b.layout)
	case errors.Is(err, uid.ErrConfig), errors.Is(err, uid.ErrRange):
		return nil, inputError{err}
	}
	return g, err
}

// write makes and writes a UID for each of the times or, without any, for each line of the input.
func (b *backfillCommand) write(ctx context.Context, g *backfill.Generator, times []time.Time) error {
	put, end := b.printer()
	n := 0
	show := func(t time.Time) error {
		n++
		if err := ctx.Err(); err != nil {
			return err
		}
		if b.format.format == table && n > maxTableRows {
			return badInput("a table has at most %d rows; use --format plain or json", maxTableRows)
		}
		u, err := g.AtOrAfter(t, b.within)
		if err != nil {
			return badInput("time %d: %w", n, err)
		}
		return put(u)
	}
	err := eachToken(b.program, times, "time", bufio.ScanLines, parseMoment, show)
	// A signal that ends the writer of the input, too, may have cut that off.
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	end()
	return nil
}

// parseMoment reads a time as readTime does, or as milliseconds since 1970.
func parseMoment(text string) (time.Time, error) {
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.UnixMilli(ms).UTC(), nil
	}
	t, err := readTime(text)
	if err != nil {
		return t, fmt.Errorf("%w: %w, nor a number of milliseconds since 1970", uid.ErrSyntax, err)
	}
	return t, nil
}
