package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

// storeRemove is the command that removes a file.
type storeRemove struct {
	tables
	force bool
}

func (p *program) storeRemove() *cobra.Command {
	c := &storeRemove{tables: p.newTables()}
	cmd := &cobra.Command{
		Use:   "remove [--force] [--format table|plain|json]",
		Short: "Remove the store's SQLite file",
		Long: `remove removes the SQLite file of the store. A file that has given out anything needs
--force, since a new file begins anew. Worker ID 1 comes again: until the clock has
passed the time of the last UID that was made, the same UIDs can be made again. And the
numbers of tags come again, from 1 on.

` + registryHelp,
		Example:               "  uid store remove --force",
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	c.registerPlace(cmd.Flags())
	cmd.Flags().BoolVar(&c.force, "force", false, "remove it even if it has given out IDs or numbers")
	return cmd
}

func (c *storeRemove) run(ctx context.Context) error {
	path, err := c.file()
	if err != nil {
		return err
	}
	u, err := c.usedFile(ctx)
	if err != nil {
		return err
	}
	if held := u.String(); held != "" && !c.force {
		return fmt.Errorf("%s holds %s, which could come again in a new one: --force removes it all the same", path, held)
	}
	if err := c.alone(ctx, path, func() error { return os.Remove(path) }); err != nil {
		return err
	}
	if c.format == table {
		_, err := fmt.Fprintf(c.out, "removed %s\n", path)
		return err
	}
	l := newListing(c.out, c.format, column{key: "removed"})
	if err := l.add(cell{value: path}); err != nil {
		return err
	}
	return l.end()
}
