package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/worker/lease"
)

// workerInit is the command that creates a namespace of leases.
type workerInit struct {
	tables
	namespace string
	layout    layoutFlag
	ids       lease.Range
	lost      bool
	after     uid.UID
}

func (p *program) workerInit() *cobra.Command {
	c := &workerInit{tables: p.newTables(), layout: newLayoutFlag()}
	c.store.existing = false
	cmd, flags := newCommand("init", "Create a namespace of leases, once", func(cmd *cobra.Command, _ []string) error {
		if most := c.layout.MaxWorkerID(); c.ids.Last > most {
			return badInput("--ids %s: the layout %s has the worker IDs 0 to %d",
				rangeText(c.ids), c.layout.Layout, most)
		}
		place, err := c.store.choose(c.getenv)
		if err != nil {
			return err
		}
		if !cmd.Flags().Changed("namespace") {
			c.namespace = cmp.Or(place.namespace(), c.namespace)
		}
		return c.with(cmd.Context(), func(ctx context.Context, r *registry.Registry) error {
			return c.run(ctx, r, place)
		})
	})
	c.store.register(flags)
	c.registerLeases(flags)
	flags.StringVar(&c.namespace, "namespace", settings.DefaultNamespace, "the namespace")
	flags.Var(&c.layout, "layout", layoutUsage)
	flags.Var(value[lease.Range]{&c.ids, "FIRST-LAST", readRange}, "ids",
		"the worker IDs that it has (default: all of the layout)")
	flags.BoolVar(&c.lost, "lost", false, "its rows were lost, or put back: begin beyond what owners may have")
	flags.Var(afterVar(&c.after), "after", afterUsage)
	return cmd
}

func (c *workerInit) run(ctx context.Context, r *registry.Registry, place choice) error {
	if err := checkFloor(c.layout.Layout, c.after); err != nil {
		return err
	}
	err := r.Init(ctx, c.namespace, lease.Founding{Layout: c.layout.Layout, Lost: c.lost, IDs: c.ids, After: c.after})
	switch {
	case errors.Is(err, uid.ErrConfig):
		return inputError{err}
	case err != nil:
		return err
	case c.format != table:
		c.record(c.format,
			"namespace", c.namespace, "layout", c.layout.Layout.String(), "range", rangeCell(c.ids).value)
		return nil
	}
	ids := ""
	if c.ids != (lease.Range{}) {
		ids = fmt.Sprintf(", with the worker IDs %v", c.ids)
	}
	fmt.Fprintf(c.out, "namespace %q is in %s, for the layout %s%s\n", c.namespace, place, c.layout.Layout, ids)
	return nil
}
