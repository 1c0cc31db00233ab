package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
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
			if err := cli.CheckFloor(founding.Layout, founding.After); err != nil {
				return err
			}
			return store.With(cmd.Context(), p, func(ctx context.Context, s *places.Opened) error {
				name = cmp.Or(name, s.Choice.Namespace(), settings.DefaultNamespace)
				leases, err := s.Registry.Namespace(name)
				if err != nil {
					return cli.InputError{Err: err}
				}
				f := found{Store: leases}
				err = store.Try(ctx, p, func(ctx context.Context) error { return lease.Found(ctx, &f, founding) })
				switch {
				case errors.Is(err, uid.ErrConfig):
					return cli.InputError{Err: err}
				case err != nil:
					return fmt.Errorf("make %s: %w", leases.Name(), err)
				}
				f.show(p, format, name, founding, s.Choice)
				return nil
			})
		})
	store.Register(flags)
	store.RegisterLeases(flags)
	flags.Var(&format, "format", cli.FormatUsage)
	flags.Var(cli.TextVar(&name, "NAME"), "namespace", `the namespace (default "default")`)
	flags.Var(&layout, "layout", cli.LayoutUsage)
	flags.Var(cli.Var(&founding.IDs, "FIRST-LAST", cli.ReadRange), "ids",
		"the worker IDs that it has (default: all of the layout)")
	flags.BoolVar(&founding.Lost, "lost", false, "its rows were lost, or put back: begin beyond what owners may have")
	flags.Var(cli.AfterVar(&founding.After), "after", cli.AfterUsage)
	return cmd
}

// A found store is one of a namespace, and keeps what the namespace was before [lease.Found] and is now.
type found struct {
	lease.Store
	was, is storage.Namespace
	now     time.Time
}

func (f *found) Init(ctx context.Context, decide func(*storage.Namespace, storage.Clock) error) error {
	return f.Store.Init(ctx, func(ns *storage.Namespace, now storage.Clock) error {
		f.was, f.now = *ns, now.Now
		err := decide(ns, now)
		f.is = *ns
		return err
	})
}

// show says whether the namespace was made and, if it was there, since when, how it was made and what has changed.
func (f *found) show(p *cli.Program, format cli.Format, name string, founding lease.Founding, place places.Choice) {
	fresh, changed := f.was.Fresh, f.was.Fresh || f.is.Floor != f.was.Floor || f.is.IDs != f.was.IDs
	says := fmt.Sprintf("namespace %q is in %s, for the layout %s", name, place, f.is.Layout)
	if f.is.IDs != (lease.Range{}) {
		says += fmt.Sprintf(", with the worker IDs %v", f.is.IDs)
	}
	at := func(floor int64) time.Time { return founding.Layout.TimeOf(max(0, floor)) }
	if !fresh {
		says += "; it has been there since " + cli.Second(f.is.Made)
		switch made := at(f.was.Floor).Sub(f.is.Made); {
		case f.was.Floor < 0:
			says += ", made by uid worker init"
		case (made - lease.Burn).Abs() <= max(time.Second, founding.Layout.Unit()):
			says += ", made by a first start or uid worker init --lost"
		}
	}
	until := cli.Cell{}
	if floor := at(f.is.Floor); floor.After(f.now) {
		until.Value = floor
		says += "; its first UIDs are ahead of the clock until " + cli.Second(floor)
	}
	switch {
	case changed:
	case until.Value != nil && !founding.Lost && founding.After == 0:
		says += "; nothing was changed: nobody can vouch for a namespace that is there; wait until then, " +
			"or make one of another name, before its first start"
	default:
		says += "; nothing was changed"
	}
	p.Answer(format, says, "namespace", name, "layout", f.is.Layout, "range", rangeCell(f.is.IDs).Value,
		"created", fresh, "changed", changed, "made", f.is.Made, "ahead_until", until)
}
