package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/worker/lease"
)

// newInit returns the command that creates a namespace of leases.
func newInit(p *cli.Program) *cobra.Command {
	store, layout, format := places.Store{}, cli.NewLayoutFlag(), cli.Table
	name, founding := "", lease.Founding{}
	cmd, flags := cli.NewCommand("init", "Create a namespace of leases, once",
		func(cmd *cobra.Command, _ []string) error {
			founding.Layout = layout.Layout
			if most := layout.MaxWorkerID(); founding.IDs.Last > most {
				return cli.BadInput("--ids %s: the layout %s has the worker IDs 0 to %d",
					cli.RangeText(founding.IDs), layout.Layout, most)
			}
			place, err := store.Choose(p.Getenv)
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("namespace") {
				name = cmp.Or(place.Namespace(), name)
			}
			return with(cmd.Context(), p, &store, func(ctx context.Context, r *registry.Registry,
				s *places.Opened) error {
				err := cli.CheckFloor(founding.Layout, founding.After)
				if err == nil {
					err = r.Init(ctx, name, founding)
				}
				switch {
				case errors.Is(err, uid.ErrConfig):
					return cli.InputError{Err: err}
				case err != nil:
					return err
				}
				showFounded(p, format, name, founding, s.Choice)
				return nil
			})
		})
	store.Register(flags)
	store.RegisterLeases(flags)
	flags.Var(&format, "format", cli.FormatUsage)
	flags.StringVar(&name, "namespace", settings.DefaultNamespace, "the namespace")
	flags.Var(&layout, "layout", cli.LayoutUsage)
	flags.Var(cli.Var(&founding.IDs, "FIRST-LAST", cli.ReadRange), "ids",
		"the worker IDs that it has (default: all of the layout)")
	flags.BoolVar(&founding.Lost, "lost", false, "its rows were lost, or put back: begin beyond what owners may have")
	flags.Var(cli.AfterVar(&founding.After), "after", cli.AfterUsage)
	return cmd
}

func showFounded(p *cli.Program, format cli.Format, name string, f lease.Founding, place places.Choice) {
	if format != cli.Table {
		p.Record(format, "namespace", name, "layout", f.Layout.String(), "range", rangeCell(f.IDs).Value)
		return
	}
	ids := ""
	if f.IDs != (lease.Range{}) {
		ids = fmt.Sprintf(", with the worker IDs %v", f.IDs)
	}
	fmt.Fprintf(p.Out, "namespace %q is in %s, for the layout %s%s\n", name, place, f.Layout, ids)
}
