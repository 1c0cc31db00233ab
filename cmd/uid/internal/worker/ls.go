package worker

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/lease"
)

// ls is the command that shows who holds what.
type ls struct {
	p         *cli.Program
	store     places.Store
	layout    cli.LayoutFlag
	namespace string
	wide      bool // with all columns, whatever the width
	format    cli.Format
}

func newLs(p *cli.Program) *cobra.Command {
	c, quarantine := &ls{p: p, layout: cli.NewLayoutFlag(), format: cli.Table}, 5*time.Minute
	cmd, flags := cli.NewCommand("ls", "Show who holds which worker ID, and how many are left",
		func(cmd *cobra.Command, _ []string) error {
			return with(cmd.Context(), p, &c.store, func(ctx context.Context, r *registry.Registry,
				s *places.Opened) error {
				o, err := r.Overview(ctx, quarantine)
				if err != nil {
					return err
				}
				return c.show(o, s)
			})
		})
	register(flags, &c.store, &c.format)
	flags.StringVar(&c.namespace, "namespace", "", "only the leases of this namespace")
	flags.Var(&c.layout, "layout", cli.LayoutUsage)
	flags.BoolVar(&c.wide, "wide", false, "also show since when, until when, and up to when ticks are reserved")
	flags.Var(cli.SpanVar(&quarantine), "quarantine", "how long workers leave an ID alone after its lease")
	return cmd
}

func (c *ls) show(o registry.Overview, s *places.Opened) error {
	named := func(ns registry.NamespaceInfo) bool { return ns.Namespace == c.namespace }
	if c.namespace != "" && !slices.ContainsFunc(o.Namespaces, named) {
		return unknownNamespace(c.namespace, s.Choice)
	}
	switch {
	case o.Nodes != nil || o.HasLeases:
	case s.Numbers != nil:
		c.p.Note("there is no table of worker IDs (%s, %s)", c.store.Nodes, c.store.Leases)
	default:
		c.p.Note("there are no worker IDs in the store")
	}
	if c.wide {
		c.p.Out.Width = math.MaxInt
	}
	leases := c.p.List(c.format, cli.ForPrograms("kind"), cli.Text("namespace", "namespace"),
		cli.Numbers("worker_id", "ID"), cli.Text("state", "state"), cli.ForPrograms("ended"),
		cli.Text("holder", "holder"), cli.Text("acquired", "since").Unless(!c.wide), cli.ForPrograms("renewed"),
		cli.Text("until", "until").Unless(!c.wide), cli.Numbers("remaining_seconds", "left"), cli.ForPrograms("high"),
		cli.Text("high_time", "reserved up to").Unless(!c.wide), cli.ForPrograms("layout"))
	for _, l := range o.Leases {
		if c.shows(l.Namespace) {
			leases.Add(leaseCells(l, o.Now)...)
		}
	}
	namespaces := c.p.List(c.format, cli.ForPrograms("kind"), cli.Text("namespace", "namespace"),
		cli.Text("layout", "layout"), cli.Text("range", "range"), cli.Numbers("worker_ids", "worker\nIDs"),
		cli.Numbers("live", "live"), cli.Numbers("quarantine", "in\nquarantine"), cli.Numbers("free", "free\nagain"),
		cli.ForPrograms("never_used"), cli.Numbers("left", "left"))
	for _, ns := range o.Namespaces {
		if c.shows(ns.Namespace) {
			namespaces.Add(c.namespaceCells(ns, o.Leases)...)
			if len(ns.Missing) > 0 {
				c.p.Note("namespace %q: %s", cli.Printable(ns.Namespace), storage.MissingRows(ns.Missing))
			}
		}
	}
	nodes := c.p.List(c.format, cli.ForPrograms("kind"), cli.Text("table", "disposable IDs"),
		cli.Numbers("rows", "rows"), cli.Numbers("last", "largest\nID"), cli.Numbers("next", "next\nID"),
		cli.Numbers("used", "used"), cli.Numbers("max_id", "of"), cli.Numbers("left", "left"))
	if o.Nodes != nil && c.namespace == "" {
		most := c.layout.MaxWorkerID()
		nodes.Add("disposable", c.store.Nodes, cli.Count(o.Nodes.Rows), cli.Count(o.Nodes.Last),
			cli.Count(o.Nodes.Next), cli.Count(o.Nodes.Used()), cli.Count(most), cli.Count(max(0, most-o.Nodes.Used())))
	}
	above := false
	for _, l := range []*cli.Listing{leases, namespaces, nodes} {
		if above && !l.Empty() {
			c.p.Out.WriteByte('\n')
		}
		above = above || !l.Empty()
		l.End()
	}
	return nil
}

func (c *ls) shows(namespace string) bool { return c.namespace == "" || c.namespace == namespace }

func leaseCells(l registry.LeaseInfo, now time.Time) []any {
	state, ended, left := cli.Cell{Value: string(l.State)}, "", cli.Span(l.Until.Sub(now))
	left.Text = cli.Words(l.Until.Sub(now).Abs().Round(time.Second))
	if l.State != registry.Live {
		left.Text += " ago"
		ended = "expired"
		if l.Released {
			ended = "released"
		}
		state.Text = ended + ", free"
		if l.State == registry.Quarantined {
			state.Text = ended + ", in quarantine"
		}
	}
	return []any{
		"lease", cli.Printable(l.Namespace), l.WorkerID, state, ended, cli.Printable(l.Holder), cli.Moment(l.Acquired),
		cli.Moment(l.Renewed), cli.Moment(l.Until), left, l.High, highTime(l), cli.Printable(l.Layout),
	}
}

// highTime is the cell of the time of a lease's last tick.
func highTime(l registry.LeaseInfo) cli.Cell {
	layout, err := bits.ParseLayout(l.Layout)
	if err != nil || l.High < 0 || l.High > layout.MaxTick() {
		return cli.Cell{Text: "-"}
	}
	return cli.Moment(layout.TimeOf(l.High))
}

func (c *ls) namespaceCells(ns registry.NamespaceInfo, leases []registry.LeaseInfo) []any {
	layout := cli.Cell{Value: cli.Printable(ns.Layout)}
	if l, err := bits.ParseLayout(ns.Layout); err == nil {
		layout = cli.LayoutCell(l)
	}
	cells := []any{"namespace", cli.Printable(ns.Namespace), layout, rangeCell(ns.IDs)}
	ids := idsOf(ns, c.layout)
	if ids.Last < 0 {
		unknown := cli.Cell{Text: "?"}
		return append(cells, unknown, cli.Count(ns.Live), cli.Count(ns.Quarantined), cli.Count(ns.Free),
			unknown, unknown)
	}
	// Rows outside of --layout and the range do not count: the workers cannot use their IDs.
	rows := map[registry.State]int64{}
	for _, l := range leases {
		if l.Namespace == ns.Namespace && l.WorkerID >= ids.First && l.WorkerID <= ids.Last {
			rows[l.State]++
		}
	}
	live, quarantined, free := rows[registry.Live], rows[registry.Quarantined], rows[registry.Free]
	all := max(0, ids.Last-ids.First+1)
	never := all - live - quarantined - free
	for _, r := range ns.Missing {
		never -= max(0, min(r.Last, ids.Last)-max(r.First, ids.First)+1)
	}
	for _, n := range []int64{all, live, quarantined, free, never, never + free} {
		cells = append(cells, cli.Count(n))
	}
	return cells
}

// rangeCell is the cell of the worker IDs that a namespace has.
func rangeCell(ids lease.Range) cli.Cell {
	if ids == (lease.Range{}) {
		return cli.Cell{Text: "all"}
	}
	return cli.Cell{Value: cli.RangeText(ids)}
}
