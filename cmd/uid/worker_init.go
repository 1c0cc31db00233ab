package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

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
	lost      bool
	after     afterFlag
}

func (p *program) workerInit() *cobra.Command {
	c := &workerInit{tables: p.newTables(), namespace: "default", layout: newLayoutFlag()}
	c.store.existing = false
	cmd := &cobra.Command{
		Use:                   "init [--namespace NAME] [--layout NAME|T/W/S] [--ids FIRST-LAST] [--lost] [--after UID] [--format table|plain|json]",
		Short:                 "Create a namespace of leases, once",
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if most := c.layout.MaxWorkerID(); c.ids.Last > most {
				return badInput("--ids %s: the layout %s has the worker IDs 0 to %d", c.ids.String(), c.layout.Layout, most)
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
		},
	}
	flags := cmd.Flags()
	c.registerLeases(flags)
	flags.StringVar(&c.namespace, "namespace", c.namespace, "the namespace")
	flags.Var(&c.layout, "layout", layoutUsage)
	flags.Var(&c.ids, "ids", "the worker IDs that it has (default: all of the layout)")
	flags.BoolVar(&c.lost, "lost", false, "its rows were lost, or put back: begin beyond what owners may have")
	flags.Var(&c.after, "after", afterUsage)
	return cmd
}

func (c *workerInit) run(ctx context.Context, r *registry.Registry, place choice) error {
	if c.after != 0 {
		if _, err := c.layout.TickAbove(uid.UID(c.after)); err != nil {
			return badInput("--after: %w", err)
		}
	}
	err := r.Init(ctx, c.namespace, lease.Founding{Layout: c.layout.Layout, Lost: c.lost, IDs: c.ids.Range, After: uid.UID(c.after)})
	switch {
	case errors.Is(err, uid.ErrConfig):
		return inputError{err}
	case err != nil:
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
