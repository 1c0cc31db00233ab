// Package worker has the commands that look after worker IDs.
package worker

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker/lease"
)

// Command returns the command whose subcommands look after worker IDs.
func Command(p *cli.Program) *cobra.Command {
	return cli.Group(&cobra.Command{Use: "worker", Short: "Look after the worker IDs in a store"},
		newLs(p), newInit(p), newRelease(p), newCheck(p))
}

// with calls do with the registry of a store, under a context that a signal cancels.
func with(ctx context.Context, p *cli.Program, store *places.Store,
	do func(context.Context, *registry.Registry, *places.Opened) error) error {
	return store.With(ctx, p, func(ctx context.Context, s *places.Opened) error {
		reg, err := registry.New(s.Registry, registry.Config{Timeout: store.Timeout, Logger: p.Log()})
		if err != nil {
			return cli.InputError{Err: err}
		}
		return do(ctx, reg, s)
	})
}

// register registers the flags of a store whose worker IDs are there, and of how to show them.
func register(flags *pflag.FlagSet, store *places.Store, format *cli.Format) {
	store.Existing = true
	store.Register(flags)
	store.RegisterNodes(flags)
	store.RegisterLeases(flags)
	flags.Var(format, "format", cli.FormatUsage)
}

// terms reads the description of a layout from a table.
func terms(layout string) (uid.Terms, error) {
	l, err := bits.ParseLayout(layout)
	return l.Terms(), err
}

// idsOf returns the worker IDs of a namespace, by a layout that the user may have given; the last one is -1 if that is
// not known.
func idsOf(ns registry.NamespaceInfo, given cli.LayoutFlag) lease.Range {
	ids, most := ns.IDs, int64(-1)
	if l, err := bits.ParseLayout(ns.Layout); given.Given {
		most = given.MaxWorkerID()
	} else if err == nil {
		most = l.MaxWorkerID()
	}
	switch {
	case ids == (lease.Range{}):
		ids.Last = most
	case most >= 0:
		ids.Last = min(ids.Last, most)
	}
	return ids
}
