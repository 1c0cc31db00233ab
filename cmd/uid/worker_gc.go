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

// workerGC is the command that removes rows that nobody needs.
type workerGC struct {
	tables
	olderThan spanFlag
	dryRun    bool
}

func (p *program) workerCollect() *cobra.Command {
	c := &workerGC{tables: p.newTables(), olderThan: spanFlag(7 * 24 * time.Hour)}
	cmd := &cobra.Command{
		Use:   "gc [--older-than DURATION] [--dry-run] [--format table|plain|json]",
		Short: "Remove leases that nobody needs any more",
		Long: `gc removes the rows of leases that ended more than --older-than ago (an hour at
least). Their IDs are then as if they had never been used. It keeps rows whose last
tick is less than --older-than ago or in the future, since that tick must not be
forgotten, and the row that holds a namespace's layout. Nobody has to run it: workers
use free IDs again by themselves.

gc never removes disposable IDs: the largest one keeps old ones from being given again.

` + registryHelp,
		Example:               "  uid worker gc --dry-run\n  uid worker gc --older-than 720h",
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.with(cmd.Context(), c.run)
		},
	}
	flags := cmd.Flags()
	c.register(flags)
	flags.Var(&c.olderThan, "older-than", "for how long a lease has to be over")
	flags.BoolVar(&c.dryRun, "dry-run", false, "only show what would be removed")
	return cmd
}

func (c *workerGC) run(ctx context.Context, r *registry.Registry) error {
	done, err := r.Collect(ctx, registry.Collection{OlderThan: time.Duration(c.olderThan), Terms: terms, DryRun: c.dryRun})
	if errors.Is(err, uid.ErrConfig) {
		return inputError{err}
	}
	// Show what was removed even if the rest failed.
	return errors.Join(c.show(done), err)
}

func (c *workerGC) show(done registry.Collected) error {
	l := newListing(c.out, c.format, column{"namespace", "namespace", false}, column{"worker_id", "ID", true}, column{"action", "", false},
		column{"holder", "holder", false}, column{"until", "until", false}, column{"high", "last tick", true},
		column{"high_time", "used up to", false}, column{"why", "why", false})
	add := func(lease registry.LeaseInfo, action, why string) error {
		return l.add(cell{value: printable(lease.Namespace)}, cell{value: lease.WorkerID}, cell{value: action}, cell{value: printable(lease.Holder)},
			moment(lease.Until), cell{value: lease.High}, highTime(lease), cell{value: printable(why)})
	}
	action := "removed"
	if c.dryRun {
		action = "would be removed"
	}
	for _, lease := range done.Removed {
		if err := add(lease, action, ""); err != nil {
			return err
		}
	}
	for _, kept := range done.Kept {
		if err := add(kept.LeaseInfo, "kept", kept.Why); err != nil {
			return err
		}
	}
	if err := l.end(); err != nil || c.format != table {
		return err
	}
	_, err := fmt.Fprintf(c.out, "%d %s, %d kept\n", len(done.Removed), action, len(done.Kept))
	return err
}
