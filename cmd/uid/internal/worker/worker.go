// Package worker has the commands that look after worker IDs.
package worker

import (
	"cmp"
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

// maxID holds the flags that say how many worker IDs there are.
type maxID struct {
	layout cli.LayoutFlag
	max    int64 // 0: not given
}

func (m *maxID) register(flags *pflag.FlagSet) {
	m.layout = cli.NewLayoutFlag()
	flags.Var(&m.layout, "layout", cli.LayoutUsage)
	flags.Var(cli.CountVar(&m.max), "max-id", "the largest worker ID, instead of --layout's")
}

func (m *maxID) check() error {
	if m.layout.Given && m.max > 0 {
		return cli.BadInput("--layout and --max-id exclude each other")
	}
	return nil
}

// disposable is the largest worker ID of the table of disposable IDs, which names no
// layout.
func (m *maxID) disposable() int64 { return cmp.Or(m.max, m.layout.MaxWorkerID()) }

// leased returns the worker IDs of a namespace; the last one is -1 if that is not known.
func (m *maxID) leased(ns registry.NamespaceInfo) lease.Range {
	ids, all := ns.IDs, lease.Range{}
	most := int64(-1)
	if m.max > 0 || m.layout.Given {
		most = m.disposable()
	} else if l, err := bits.ParseLayout(ns.Layout); err == nil {
		most = l.MaxWorkerID()
	}
	switch {
	case ids == all:
		ids.Last = most
	case most >= 0:
		ids.Last = min(ids.Last, most)
	}
	return ids
}
