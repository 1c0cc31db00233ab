package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/uidgen/uid/worker/registry"
)

// storeCommand is the command whose subcommands are about the store as a whole.
func (p *program) storeCommand() *cobra.Command {
	c := &storeShow{p.newTables()}
	cmd := &cobra.Command{
		Use:   "store [move|remove] [--format table|plain|json]",
		Short: "Show the store in use; move its file, or remove it",
		Long: `store shows which store is in use, who has named it, and what is in it: how many
disposable worker IDs were given out, how many namespaces of leases there are and how
many leases are live, and how many tags have numbers. It shows no password, and of a
server no more than its kind.

` + registryHelp,
		Example:               "  uid store\n  uid store --store workers.db --json\n  uid store move /srv/uid/workers.db",
		DisableFlagsInUseLine: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownCommand(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	c.registerPlace(cmd.Flags())
	cmd.AddCommand(p.storeMove(), p.storeRemove())
	return cmd
}

// registerPlace registers the flags of a command about the store as a whole.
func (r *tables) registerPlace(flags *pflag.FlagSet) {
	r.registerStore(flags)
	r.registerFormat(flags)
}

// storeShow is the command that shows the store in use.
type storeShow struct{ tables }

func (c *storeShow) run(ctx context.Context) error {
	place, err := c.store.choose(c.getenv)
	if err != nil {
		return err
	}
	by := cell{value: place.source}
	if place.source == "" {
		by = cell{value: "default", text: "nobody: it is the default"}
	}
	name, bytes, there := describePlace(place)
	cells := []cell{{value: name}, by, bytes, {}, {}, {}, {}}
	if !there {
		c.note("there is no such file; uid gen makes it")
		return c.show(cells)
	}
	var u usage
	err = c.open(ctx, func(ctx context.Context, s *workerStore) (err error) {
		u, err = c.usage(ctx, s)
		return err
	})
	if err != nil {
		return err
	}
	return c.show(append(cells[:3], count(u.disposable), count(u.namespaces), count(u.live), count(u.tags)))
}

// show writes the cells: one below the other for people, without those that are not known.
func (c *storeShow) show(cells []cell) error {
	columns := []column{
		{key: "store", title: "store"}, {key: "given_by", title: "given by"}, {key: "bytes", title: "bytes"},
		{key: "disposable_ids", title: "disposable IDs used"}, {key: "namespaces", title: "namespaces"},
		{key: "live_leases", title: "live leases"}, {key: "tags", title: "tags of numbers"},
	}
	if c.format != table {
		l := newListing(c.out, c.format, columns...)
		if err := l.add(cells...); err != nil {
			return err
		}
		return l.end()
	}
	for i, cell := range cells {
		if text := cell.people(); text != "" {
			fmt.Fprintf(c.out, "%-19s  %s\n", columns[i].title, text)
		}
	}
	return nil
}

// describePlace returns the name of a store in use, without secrets, the size of a file, and
// whether there is such a file.
func describePlace(place choice) (name string, bytes cell, there bool) {
	switch {
	case place.file != "":
		info, err := os.Stat(place.file)
		if err == nil {
			bytes = count(info.Size())
		}
		return place.file, bytes, !os.IsNotExist(err)
	case place.dsn != "":
		return "a MySQL or MariaDB server", bytes, true
	}
	return fmt.Sprintf("a server of %s://", place.url.engine.schemes[0]), bytes, true
}

// A usage says how much of a store is used.
type usage struct {
	disposable, namespaces, leases, live, tags int64
}

// String says it in words: "2 disposable IDs, 1 tag". It is empty when nothing is used.
func (u usage) String() string {
	var all []string
	for _, part := range []struct {
		n    int64
		what string
	}{{u.disposable, "disposable ID"}, {u.namespaces, "namespace"}, {u.leases, "lease"}, {u.tags, "tag"}} {
		if part.n > 0 {
			all = append(all, plural(int(part.n), part.what))
		}
	}
	return strings.Join(all, ", ")
}

// usage looks what is in the store.
func (r *tables) usage(ctx context.Context, s *workerStore) (u usage, err error) {
	reg, err := r.registry(s)
	if err != nil {
		return u, err
	}
	overview, err := reg.Overview(ctx, 0)
	if err != nil {
		return u, err
	}
	if overview.Nodes != nil {
		u.disposable = overview.Nodes.Used()
	}
	u.namespaces, u.leases = int64(len(overview.Namespaces)), int64(len(overview.Leases))
	for _, l := range overview.Leases {
		if l.State == registry.Live {
			u.live++
		}
	}
	for _, err := range r.rows(ctx, s.segments, "") {
		if err != nil {
			return u, err
		}
		u.tags++
	}
	return u, nil
}
