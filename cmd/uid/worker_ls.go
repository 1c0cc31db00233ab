package main

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker/lease"
)

// workerLs is the command that shows who holds what.
type workerLs struct {
	tables
	ids        maxID
	namespace  string
	wide       bool // with all columns, whatever the width
	quarantine time.Duration
}

func (p *program) workerList() *cobra.Command {
	c := &workerLs{tables: p.newTables(), quarantine: 5 * time.Minute}
	cmd, flags := newCommand("ls",
		"Show who holds which worker ID, and how many are left", func(cmd *cobra.Command, _ []string) error {
			if err := c.ids.check(); err != nil {
				return err
			}
			return c.with(cmd.Context(), func(ctx context.Context, r *registry.Registry) error {
				o, err := r.Overview(ctx, c.quarantine)
				if err != nil {
					return err
				}
				return c.show(o)
			})
		})
	c.register(flags)
	flags.StringVar(&c.namespace, "namespace", "", "only the leases of this namespace")
	c.ids.register(flags)
	flags.BoolVar(&c.wide, "wide", false, "also show since when, until when, and up to when ticks are reserved")
	flags.Var(spanVar(&c.quarantine), "quarantine", "how long workers leave an ID alone after its lease")
	return cmd
}

func (c *workerLs) show(o registry.Overview) error {
	named := func(ns registry.NamespaceInfo) bool { return ns.Namespace == c.namespace }
	if c.namespace != "" && !slices.ContainsFunc(o.Namespaces, named) {
		return c.unknownNamespace(c.namespace)
	}
	switch {
	case o.Nodes != nil || o.HasLeases:
	case c.inTables:
		c.note("there is no table of worker IDs (%s, %s)", c.nodes, c.leases)
	default:
		c.note("there are no worker IDs in the store")
	}
	leases := newListing(c.out, c.format, c.leaseColumns()...)
	for _, l := range o.Leases {
		if c.shows(l.Namespace) {
			leases.add(leaseCells(l, o.Now)...)
		}
	}
	namespaces := newListing(c.out, c.format, namespaceColumns...)
	for _, ns := range o.Namespaces {
		if c.shows(ns.Namespace) {
			namespaces.add(c.namespaceCells(ns, o.Leases)...)
			if len(ns.Missing) > 0 {
				c.note("namespace %q: %s", printable(ns.Namespace), leasestore.MissingRows(ns.Missing))
			}
		}
	}
	nodes := newListing(c.out, c.format, nodeColumns...)
	if o.Nodes != nil && c.namespace == "" {
		most := c.ids.disposable()
		nodes.add(cell{value: "disposable"}, cell{value: c.nodes}, count(o.Nodes.Rows), count(o.Nodes.Last),
			count(o.Nodes.Next), count(o.Nodes.Used()), count(most), count(max(0, most-o.Nodes.Used())))
	}
	above := false
	for _, l := range []*listing{leases, namespaces, nodes} {
		if len(l.rows) > 0 {
			if above {
				c.out.WriteByte('\n')
			}
			above = true
			l.end()
		}
	}
	return nil
}

func (c *workerLs) shows(namespace string) bool { return c.namespace == "" || c.namespace == namespace }

// kind tells programs what a line is about.
var kind = column{"kind", forPrograms, false}

// leaseColumns are those of a lease.
func (c *workerLs) leaseColumns() []column {
	since, until, reserved := forPrograms, forPrograms, forPrograms
	if c.wide {
		since, until, reserved = "since", "until", "reserved up to"
		c.out.width = math.MaxInt
	}
	return []column{
		kind, {"namespace", "namespace", false}, {"worker_id", "ID", true}, {"state", "state", false},
		{"ended", forPrograms, false}, {"holder", "holder", false}, {"acquired", since, false},
		{"renewed", forPrograms, false}, {"until", until, false}, {"remaining_seconds", "left", true},
		{"high", forPrograms, true}, {"high_time", reserved, false}, {"layout", forPrograms, false},
	}
}

// The columns of a namespace, and of the table of disposable IDs.
var (
	namespaceColumns = []column{
		kind, {"namespace", "namespace", false}, {"layout", "layout", false}, {"range", "range", false},
		{"worker_ids", "worker\nIDs", true}, {"live", "live", true}, {"quarantine", "in\nquarantine", true},
		{"free", "free\nagain", true}, {"never_used", forPrograms, true}, {"left", "left", true},
	}
	nodeColumns = []column{
		kind, {"table", "disposable IDs", false}, {"rows", "rows", true}, {"last", "largest\nID", true},
		{"next", "next\nID", true}, {"used", "used", true}, {"max_id", "of", true}, {"left", "left", true},
	}
)

func leaseCells(l registry.LeaseInfo, now time.Time) []cell {
	state, ended, remaining := cell{value: string(l.State)}, "", span(l.Until.Sub(now))
	remaining.text = words(l.Until.Sub(now).Abs().Round(time.Second))
	if l.State != registry.Live {
		remaining.text += " ago"
		ended = "expired"
		if l.Released {
			ended = "released"
		}
		state.text = ended + ", free"
		if l.State == registry.Quarantined {
			state.text = ended + ", in quarantine"
		}
	}
	return []cell{
		{value: "lease"}, {value: printable(l.Namespace)}, {value: l.WorkerID}, state, {value: ended},
		{value: printable(l.Holder)}, moment(l.Acquired), moment(l.Renewed), moment(l.Until), remaining,
		{value: l.High}, highTime(l), {value: printable(l.Layout)},
	}
}

// highTime is the cell of the time of a lease's last tick.
func highTime(l registry.LeaseInfo) cell {
	layout, err := bits.ParseLayout(l.Layout)
	if err != nil || l.High < 0 || l.High > layout.MaxTick() {
		return cell{value: nil, text: "-"}
	}
	return moment(layout.TimeOf(l.High))
}

func (c *workerLs) namespaceCells(ns registry.NamespaceInfo, leases []registry.LeaseInfo) []cell {
	layout := cell{value: printable(ns.Layout)}
	if l, err := bits.ParseLayout(ns.Layout); err == nil {
		layout = layoutCell(l)
	}
	cells := []cell{{value: "namespace"}, {value: printable(ns.Namespace)}, layout, rangeCell(ns.IDs)}
	ids := c.ids.leased(ns)
	if ids.Last < 0 {
		unknown := cell{value: nil, text: "?"}
		return append(cells, unknown, count(ns.Live), count(ns.Quarantined), count(ns.Free), unknown, unknown)
	}
	// Rows outside of --max-id and the range do not count: the workers cannot use their IDs.
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
	return append(cells, count(all), count(live), count(quarantined), count(free), count(never), count(never+free))
}

// rangeCell is the cell of the worker IDs that a namespace has.
func rangeCell(ids lease.Range) cell {
	if ids == (lease.Range{}) {
		return cell{value: nil, text: "all"}
	}
	return cell{value: rangeText(ids)}
}
