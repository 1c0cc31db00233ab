package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
)

// storeMove is the command that moves a file.
type storeMove struct {
	tables
	force bool
}

func (p *program) storeMove() *cobra.Command {
	c := &storeMove{tables: p.newTables()}
	cmd := &cobra.Command{
		Use:   "move FILE [--force] [--format table|plain|json]",
		Short: "Move the store's SQLite file to another place",
		Long: `move moves the SQLite file of the store, with all that is in it, to another path of the
same file system; no file may be there. Name the new path in $` + storeEnv + ` or with
--store from then on: otherwise the next run makes a new file in the old place, whose
worker IDs begin with 1 again.

Programs that hold a lease of the file, and generators of numbers that have it open,
fail after the move until they open it in its new place. So a file with live leases
needs --force.

` + registryHelp,
		Example:               "  uid store move /srv/uid/workers.db",
		DisableFlagsInUseLine: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return badInput("%s takes the new path (%[1]s --help)", cmd.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd.Context(), args[0])
		},
	}
	c.registerPlace(cmd.Flags())
	cmd.Flags().BoolVar(&c.force, "force", false, "move it even if leases are live")
	return cmd
}

func (c *storeMove) run(ctx context.Context, to string) error {
	from, err := c.file()
	if err != nil {
		return err
	}
	if !isPath(to, runtime.GOOS) { // no run could name it
		return badInput("the new path cannot be used: a SQLite file has %s", pathForm)
	}
	if to, err = filepath.Abs(to); err != nil {
		return err
	}
	u, err := c.usedFile(ctx)
	if err != nil {
		return err
	}
	if u.live > 0 && !c.force {
		return fmt.Errorf("%s has %s, whose holders would fail: --force moves it all the same", from, plural(int(u.live), "live lease"))
	}
	err = c.alone(ctx, from, func() error {
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is something at %s already", to)
		}
		return os.Rename(from, to)
	})
	if err != nil {
		return err
	}
	if c.format == table {
		_, err := fmt.Fprintf(c.out, "moved %s to %s\nname it from now on, with %s or --store\n", from, to, storeEnv)
		return err
	}
	l := newListing(c.out, c.format, column{key: "from"}, column{key: "to"})
	if err := l.add(cell{value: from}, cell{value: to}); err != nil {
		return err
	}
	return l.end()
}
