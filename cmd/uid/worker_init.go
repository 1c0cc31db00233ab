package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker/registry"
)

// workerInit is the command that makes a namespace of leases.
type workerInit struct {
	tables
	namespace string
	layout    layoutFlag
	rest      spanFlag
}

func (p *program) workerInit() *cobra.Command {
	c := &workerInit{tables: p.newTables(), namespace: "default", layout: newLayoutFlag()}
	c.store.existing = false
	cmd := &cobra.Command{
		Use:   "init [--namespace NAME] [--layout NAME|T/W/S] [--rest DURATION] [--format table|plain|json]",
		Short: "Make a namespace of leases, once",
		Long: `init makes a namespace of leased worker IDs, and the table if that is missing.
Workers with DurableStore never make one: a table that is not there may have been
renamed or dropped, with its owners still at work. Other workers do, and then lease
no ID for five minutes; init spares the first start that wait.

Who runs it vouches that nobody has an ID of the namespace. It is for a person and
not for a script that runs at each start or deployment. After the table was lost or
emptied, --rest is how long no ID is leased: at least as long as the longest TTL, and
3/2 of the longest Window, of any owner, and with DurableStore the longest MaxLead of
a generator and the longest Offline.

It changes nothing if the namespace is there. Only of one that a worker has made and
that has leased no ID yet it ends the wait, unless --rest is given.

` + registryStore,
		Example:               "  uid worker init --namespace orders --layout default\n  uid worker init --namespace orders --rest 10m",
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return c.with(cmd.Context(), c.run) },
	}
	flags := cmd.Flags()
	c.registerLeases(flags)
	flags.StringVar(&c.namespace, "namespace", c.namespace, "the namespace")
	flags.Var(&c.layout, "layout", layoutUsage)
	flags.Var(&c.rest, "rest", "for how long no ID is leased")
	return cmd
}

func (c *workerInit) run(ctx context.Context, r *registry.Registry) error {
	err := r.Init(ctx, registry.Namespace{Name: c.namespace, Terms: c.layout.Terms(), Rest: time.Duration(c.rest)})
	switch {
	case errors.Is(err, uid.ErrConfig):
		return inputError{err}
	case err != nil:
		return err
	}
	if c.format == table {
		_, err := fmt.Fprintf(c.out, "namespace %q is there, for the layout %s\n", c.namespace, c.layout.Layout)
		return err
	}
	l := newListing(c.out, c.format, column{key: "namespace"}, column{key: "layout"})
	if err := l.add(cell{value: c.namespace}, cell{value: c.layout.Layout.String()}); err != nil {
		return err
	}
	return l.end()
}
