package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/backfill"
	"github.com/uidgen/uid/connect/scheme"
	"github.com/uidgen/uid/internal/namespace"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
)

// backfillCommand is the command that makes UIDs for times that are past.
type backfillCommand struct {
	*program
	store        store
	layout       layoutFlag
	format       formatOrForm
	from, to     timeFlag
	within       spanFlag // 0: not given
	workers      countFlag
	sorted       bool
	namespace    string
	namespaceSet bool
	durable      bool
}

const durableFlag = "durable-store"

func (p *program) backfill() *cobra.Command {
	b := &backfillCommand{program: p, layout: newLayoutFlag(), format: formatOrForm{format: plain}, workers: 1, namespace: namespace.Default}
	cmd := &cobra.Command{
		Use:                   "backfill [TIME...] [--from TIME] [--to TIME] [--within DURATION] [--store FILE|URL | --mysql DSN] [--namespace NAME [--durable-store]] [--layout NAME|T/W/S] [--format FORMAT]",
		Short:                 "Make UIDs for times that are past",
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return b.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&b.from, "from", "no time is earlier (default: when the layout begins)")
	flags.Var(&b.to, "to", "no time is later (default: now)")
	flags.Var(&optionalSpan{&b.within}, "within", "how much later than its time a UID may be when ticks are full")
	flags.Var(&b.workers, "workers", "how many worker IDs the run takes")
	flags.BoolVar(&b.sorted, "sorted", false, "times do not go back: the run needs no memory for each of them")
	b.store.register(flags)
	flags.Var(&setString{&b.namespace, &b.namespaceSet, "NAME"}, "namespace", "take worker IDs from this namespace of leases")
	flags.BoolVar(&b.durable, durableFlag, false, "the store of the namespace never loses what it has acknowledged")
	flags.Var(&b.layout, "layout", layoutUsage)
	flags.Var(&b.format, "format", "form of the output")
	return cmd
}

func (b *backfillCommand) run(ctx context.Context, args []string) (err error) {
	var times []time.Time
	for _, arg := range args {
		t, err := parseMoment(arg)
		if err != nil {
			return inputError{err}
		}
		times = append(times, t)
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	s, err := b.store.open(ctx, b.program, scheme.Options{})
	if err != nil {
		return interrupted(ctx, err)
	}
	defer s.close()
	if name := s.place.namespace(); name != "" && !b.namespaceSet {
		b.namespace, b.namespaceSet = name, true
	}
	g, err := b.generator(ctx, s)
	if err != nil {
		return interrupted(ctx, err)
	}
	defer func() {
		// Not under ctx: give ticks back after an interruption, too.
		ctx, cancel := b.store.closing()
		defer cancel()
		if closeErr := g.CloseContext(ctx); err == nil {
			err = closeErr
		}
	}()
	return interrupted(ctx, b.write(ctx, g, times))
}

// generator makes the generator, on the store's disposable IDs or leases.
func (b *backfillCommand) generator(ctx context.Context, s *workerStore) (*backfill.Generator, error) {
	cfg := backfill.Config{Layout: b.layout.Layout, From: b.from.Time, To: b.to.Time, Workers: int(min(int64(b.workers), 1<<30)), Logger: b.log(), Now: b.now}
	if b.sorted {
		cfg.Order = backfill.Sorted(0)
	}
	timeout := time.Duration(b.store.timeout)
	leased := s.numbers == nil || b.namespaceSet
	var source backfill.Source
	switch {
	case leased:
		leases, err := s.all.Namespace(b.namespace)
		if err != nil {
			return nil, inputError{err}
		}
		losses := lease.ByHistory
		if b.durable || s.place.file() != "" {
			losses = lease.Never
		}
		if losses == lease.ByHistory && !leases.Durable() {
			return nil, badInput("a store of this kind can lose what it has acknowledged, and two runs could then make the same UIDs; --%s says that this one does not", durableFlag)
		}
		source = backfill.FromLeases(leases, backfill.LeaseConfig{Losses: losses, Timeout: timeout})
	case b.durable:
		return nil, badInput("--%s is for --namespace; without it the run has an ID of its own", durableFlag)
	default:
		source = backfill.FromNumbers(s.numbers, disposable.Config{Timeout: timeout})
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
		u, err := g.AtOrAfter(t, time.Duration(b.within))
		if err != nil {
			return badInput("time %d: %w", n, err)
		}
		return put(u)
	}
	if len(times) == 0 {
		if err := eachLine(b.program, "time", parseMoment, show); err != nil {
			return err
		}
		return end()
	}
	for _, t := range times {
		if err := show(t); err != nil {
			return err
		}
	}
	return end()
}

func (b *backfillCommand) printer() (put func(uid.UID) error, end func() error) {
	g := gen{program: b.program, layout: b.layout, format: b.format}
	return g.printer()
}

// parseMoment reads a time as timeFlag does, or as milliseconds since 1970.
func parseMoment(text string) (time.Time, error) {
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.UnixMilli(ms).UTC(), nil
	}
	var f timeFlag
	if err := f.Set(text); err != nil {
		return time.Time{}, fmt.Errorf("%w: %w, nor a number of milliseconds since 1970", uid.ErrSyntax, err)
	}
	return f.Time, nil
}
