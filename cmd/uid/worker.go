package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/worker/lease"
)

// worker is the command whose subcommands look after worker IDs.
func (p *program) worker() *cobra.Command {
	return ofCommands(&cobra.Command{
		Use: "worker", Short: "Look after the worker IDs in a store",
	}, p.workerList(), p.workerInit(), p.workerRelease(), p.workerCheck())
}

// tables is what the subcommands share: the store, and how to show it.
type tables struct {
	*program
	store                   store
	nodes, leases, segments string // names of tables, where the store has some
	inTables                bool   // it has
	format                  format
}

// The default names of tables.
const (
	nodeTable    = "WORKER_NODE"
	leaseTable   = "WORKER_LEASE"
	segmentTable = "leaf_alloc"
)

func (p *program) newTables() tables {
	return tables{program: p, store: store{existing: true}, format: table}
}

func (r *tables) register(flags *pflag.FlagSet) {
	r.store.register(flags)
	flags.StringVar(&r.nodes, "node-table", nodeTable, "table of disposable IDs, in a database")
	r.registerLeases(flags)
}

func (r *tables) registerLeases(flags *pflag.FlagSet) {
	flags.StringVar(&r.leases, "lease-table", leaseTable, "table of leased IDs, in a database")
	flags.Var(&r.format, "format", formatUsage)
}

// with calls do with the registry, under a context that a signal cancels.
func (r *tables) with(ctx context.Context, do func(context.Context, *registry.Registry) error) error {
	return r.open(ctx, func(ctx context.Context, s *workerStore) error {
		reg, err := registry.New(s.Registry, registry.Config{Timeout: r.store.timeout, Logger: r.log()})
		if err != nil {
			return inputError{err}
		}
		return do(ctx, reg)
	})
}

// open calls do with the store, under a context that a signal cancels.
func (r *tables) open(ctx context.Context, do func(context.Context, *workerStore) error) error {
	return onStore(ctx, func(ctx context.Context) (*workerStore, error) {
		return r.store.open(ctx, r.program, scheme.Options{
			NodeTable: unless(nodeTable, r.nodes), LeaseTable: unless(leaseTable, r.leases),
			SegmentTable: unless(segmentTable, r.segments),
		})
	}, func(ctx context.Context, s *workerStore) error {
		r.inTables = s.Numbers != nil
		return do(ctx, s)
	})
}

// unless returns "" for the default name of a table: PostgreSQL's is in lower case.
func unless(byDefault, name string) string {
	if name == byDefault {
		return ""
	}
	return name
}

// terms reads the description of a layout from a table.
func terms(layout string) (uid.Terms, error) {
	l, err := bits.ParseLayout(layout)
	return l.Terms(), err
}

// maxID holds the flags that say how many worker IDs there are.
type maxID struct {
	layout layoutFlag
	max    int64 // 0: not given
}

func (m *maxID) register(flags *pflag.FlagSet) {
	m.layout = newLayoutFlag()
	flags.Var(&m.layout, "layout", layoutUsage)
	flags.Var(countVar(&m.max), "max-id", "the largest worker ID, instead of --layout's")
}

func (m *maxID) check() error {
	if m.layout.set && m.max > 0 {
		return badInput("--layout and --max-id exclude each other")
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
	if m.max > 0 || m.layout.set {
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
