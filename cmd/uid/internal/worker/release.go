package worker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/worker"
)

// newRelease returns the command that ends a lease.
func newRelease(p *cli.Program) *cobra.Command {
	store, format, force := places.Store{}, cli.Table, false
	cmd, flags := cli.NewCommand("release [NAMESPACE/]ID",
		"End the lease of a worker ID whose holder is known to be dead", func(cmd *cobra.Command, args []string) error {
			namespace, id, err := leaseName(args[0])
			if err != nil {
				return err
			}
			return with(cmd.Context(), p, &store, func(ctx context.Context, r *registry.Registry,
				s *places.Opened) error {
				was, err := r.Release(ctx, namespace, id, force)
				switch {
				case errors.Is(err, worker.ErrNoNamespace):
					return fmt.Errorf("%w: %w", registry.ErrNoLease, unknownNamespace(namespace, s.Choice))
				case errors.Is(err, registry.ErrLive):
					return fmt.Errorf("%w; if its holder is known to be dead, --force ends it", err)
				case err != nil:
					return err
				}
				showReleased(p, format, was)
				return nil
			})
		})
	cmd.Args = cli.OneArg("worker ID, with its namespace: default/7")
	register(flags, &store, &format)
	flags.BoolVar(&force, "force", false, "end even a live lease")
	return cmd
}

// leaseName splits NAMESPACE/ID. Its errors do not repeat the argument, which may be a
// DSN given without its flag.
func leaseName(text string) (namespace string, id int64, err error) {
	if i := strings.LastIndexByte(text, '/'); i >= 0 {
		if namespace, text = text[:i], text[i+1:]; namespace == "" {
			return "", 0, cli.BadInput("the namespace before the / is empty")
		}
	}
	id, err = strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return "", 0, cli.BadInput("what follows the namespace is no worker ID: " +
			"it has to be a whole number of at least 0, as in default/7")
	}
	return namespace, id, nil
}

// unknownNamespace is the error of a namespace that is not in the store. It does not repeat what
// cannot be a name, which may be a DSN.
func unknownNamespace(name string, place places.Choice) error {
	if name, err := settings.Namespace(name); err == nil {
		return fmt.Errorf("%w: %q; this shows those that there are: uid worker ls%s",
			worker.ErrNoNamespace, name, place.Flag())
	}
	return fmt.Errorf("%w: the text is no name of one", worker.ErrNoNamespace)
}

// showReleased says what release did; was is the lease before.
func showReleased(p *cli.Program, format cli.Format, was registry.LeaseInfo) {
	state, holder := "expired", cli.Printable(was.Holder)
	switch {
	case was.State == registry.Live:
		state = "live"
	case was.Released:
		state = "released already"
	}
	p.Answer(format, fmt.Sprintf("worker ID %d of namespace %q is released: "+
		"it was %s, of %s since %s, until %s; its ticks up to %d stay used",
		was.WorkerID, was.Namespace, state, holder, cli.Second(was.Acquired), cli.Second(was.Until), was.High),
		"namespace", cli.Printable(was.Namespace), "worker_id", was.WorkerID, "was_live", was.State == registry.Live,
		"was_released", was.Released, "holder", holder, "acquired", was.Acquired, "renewed", was.Renewed,
		"until", was.Until, "high", was.High)
}
