package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

// workerInit is the command that creates a namespace of leases.
type workerInit struct {
	tables
	namespace string
	layout    layoutFlag
	ids       rangeFlag
	rest      spanFlag
	after     afterFlag
}

func (p *program) workerInit() *cobra.Command {
	c := &workerInit{tables: p.newTables(), namespace: "default", layout: newLayoutFlag()}
	c.store.existing = false
	cmd := &cobra.Command{
		Use:   "init [--namespace NAME] [--layout NAME|T/W/S] [--ids FIRST-LAST] [--rest DURATION] [--after UID] [--format table|plain|json]",
		Short: "Create a namespace of leases, once",
		Long: `init creates a namespace of leased worker IDs, and the table, say, if that is missing.
Workers with DurableStore never create one: a missing table may have been renamed or
dropped while its owners are still at work. Other workers do, and then lease no ID
for five minutes; init spares the first start that wait.

With --ids the namespace has only these of the layout's worker IDs. Several stores, of a
region each, can so share one space of worker IDs: give each a range of its own.

Whoever runs it vouches that nobody has an ID of the namespace. So a person should
run it, not a script at each start or deployment. After a store was lost or emptied,
give --rest, during which no ID is leased: at least the longest TTL and 3/2 of the
longest Window of any owner, and with DurableStore also the longest MaxLead of any
generator and the longest Offline.

After a move from another generator or layout, --after keeps the UIDs of all workers that
lease an ID from then on above the largest UID of before. It lies ten minutes ahead of the
clock at most; without DurableStore starts wait until it is two minutes ahead.

If the namespace exists, init changes nothing, with two exceptions: if a worker created
it and it has leased no ID yet, init without --rest ends the wait, and sets --ids; and
--after raises its floor.

` + storeHelp,
		Example:               "  uid worker init --namespace orders --layout default\n  uid worker init --layout twitter --ids 512-1023\n  uid worker init --namespace orders --rest 10m",
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if most := c.layout.MaxWorkerID(); c.ids.Last > most {
				return badInput("--ids %s: the layout %s has the worker IDs 0 to %d", c.ids.String(), c.layout.Layout, most)
			}
			return c.with(cmd.Context(), c.run)
		},
	}
	flags := cmd.Flags()
	c.registerLeases(flags)
	flags.StringVar(&c.namespace, "namespace", c.namespace, "the namespace")
	flags.Var(&c.layout, "layout", layoutUsage)
	flags.Var(&c.ids, "ids", "the worker IDs that it has (default: all of the layout)")
	flags.Var(&c.rest, "rest", "how long no ID is leased")
	flags.Var(&c.after, "after", afterUsage)
	return cmd
}

// terms returns the layout's terms, with the floor.
func (c *workerInit) terms() (uid.Terms, error) {
	t := c.layout.Terms()
	if c.after == 0 {
		return t, nil
	}
	tick, err := c.layout.TickAbove(uid.UID(c.after))
	if err != nil {
		return t, badInput("--after: %w", err)
	}
	t.MinTick = tick
	return t, nil
}

func (c *workerInit) run(ctx context.Context, r *registry.Registry) error {
	terms, err := c.terms()
	if err != nil {
		return err
	}
	err = r.Init(ctx, registry.Namespace{Name: c.namespace, Terms: terms, Rest: time.Duration(c.rest), IDs: c.ids.Range})
	switch {
	case errors.Is(err, uid.ErrConfig):
		return inputError{err}
	case err != nil:
		return err
	}
	place, err := c.store.choose(c.getenv)
	if err != nil {
		return err
	}
	if c.format == table {
		ids := ""
		if c.ids.Range != (lease.Range{}) {
			ids = fmt.Sprintf(", with the worker IDs %v", c.ids.Range)
		}
		_, err := fmt.Fprintf(c.out, "namespace %q is in %s, for the layout %s%s\n", c.namespace, place, c.layout.Layout, ids)
		return err
	}
	l := newListing(c.out, c.format, column{key: "namespace"}, column{key: "layout"}, column{key: "range"})
	if err := l.add(cell{value: c.namespace}, cell{value: c.layout.Layout.String()}, rangeCell(c.ids.Range)); err != nil {
		return err
	}
	return l.end()
}
