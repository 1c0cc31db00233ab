package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

// workerLs is the command that shows who holds what.
type workerLs struct {
	tables
	ids        maxID
	namespace  string
	quarantine spanFlag
}

func (p *program) workerList() *cobra.Command {
	c := &workerLs{tables: p.newTables(), quarantine: spanFlag(5 * time.Minute)}
	cmd := &cobra.Command{
		Use:                   "ls [--namespace NAME] [--layout NAME|T/W/S | --max-id N] [--format table|plain|json]",
		Short:                 "Show who holds which worker ID, and how many are left",
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.ids.check(); err != nil {
				return err
			}
			return c.with(cmd.Context(), func(ctx context.Context, r *registry.Registry) error {
				o, err := r.Overview(ctx, time.Duration(c.quarantine))
				if err != nil {
					return err
				}
				return c.show(o)
			})
		},
	}
	flags := cmd.Flags()
	c.register(flags)
	flags.StringVar(&c.namespace, "namespace", "", "only the leases of this namespace")
	c.ids.register(flags)
	flags.Var(&c.quarantine, "quarantine", "how long workers leave an ID alone after its lease")
	return cmd
}

func (c *workerLs) show(o registry.Overview) error {
	if c.namespace != "" && !slices.ContainsFunc(o.Namespaces, func(ns registry.NamespaceInfo) bool { return ns.Namespace == c.namespace }) {
		return c.unknownNamespace(c.namespace)
	}
	if o.Nodes == nil && !o.HasLeases {
		if c.inTables {
			c.note("there is no table of worker IDs (%s, %s)", c.nodes, c.leases)
		} else {
			c.note("there are no worker IDs in the store")
		}
		return nil
	}
	shown := 0
	section := func(l *listing) error {
		if len(l.rows) > 0 {
			if shown > 0 {
				c.out.WriteByte('\n')
			}
			shown++
		}
		return l.end()
	}
	leases := c.listOf(leaseColumns...)
	for _, l := range o.Leases {
		if c.shows(l.Namespace) {
			if err := leases.add(leaseCells(l, o.Now)...); err != nil {
				return err
			}
		}
	}
	if err := section(leases.listing); err != nil {
		return err
	}
	namespaces := c.listOf(kind, column{"namespace", "namespace", false}, column{"layout", "layout", false}, column{"range", "range", false}, column{"worker_ids", "worker\nIDs", true},
		column{"live", "live", true}, column{"quarantine", "in\nquarantine", true}, column{"free", "free\nagain", true},
		column{"never_used", "", true}, column{"left", "left", true})
	for _, ns := range o.Namespaces {
		if c.shows(ns.Namespace) {
			if err := namespaces.add(c.namespaceCells(ns, o.Leases)...); err != nil {
				return err
			}
		}
	}
	if err := section(namespaces.listing); err != nil {
		return err
	}
	for _, ns := range o.Namespaces {
		if c.shows(ns.Namespace) && len(ns.Missing) > 0 {
			c.note("namespace %q: %s", printable(ns.Namespace), lease.MissingRows(ns.Missing))
		}
	}
	if o.Nodes == nil || c.namespace != "" {
		return nil
	}
	most := c.ids.disposable()
	nodes := c.listOf(kind, column{"table", "disposable IDs", false}, column{"rows", "rows", true}, column{"last", "largest\nID", true},
		column{"next", "next\nID", true}, column{"used", "used", true}, column{"max_id", "of", true}, column{"left", "left", true})
	err := nodes.add(cell{value: "disposable"}, cell{value: c.nodes}, count(o.Nodes.Rows), count(o.Nodes.Last), count(o.Nodes.Next),
		count(o.Nodes.Used()), count(most), count(max(0, most-o.Nodes.Used())))
	if err != nil {
		return err
	}
	return section(nodes.listing)
}

func (c *workerLs) shows(namespace string) bool { return c.namespace == "" || c.namespace == namespace }

// A briefListing leaves columns without a title, which are for programs only, out of a
// table.
type briefListing struct {
	*listing
	all []column
}

func (r *tables) listOf(columns ...column) briefListing {
	shown := columns
	if r.format == table {
		shown = nil
		for _, c := range columns {
			if c.title != "" {
				shown = append(shown, c)
			}
		}
	}
	return briefListing{newListing(r.out, r.format, shown...), columns}
}

func (l briefListing) add(cells ...cell) error {
	if l.format == table {
		var shown []cell
		for i, c := range l.all {
			if c.title != "" {
				shown = append(shown, cells[i])
			}
		}
		cells = shown
	}
	return l.listing.add(cells...)
}

// kind tells programs what a line is about.
var kind = column{key: "kind"}

// count is a cell of a number.
func count(n int64) cell { return cell{value: n, text: grouped(n)} }

// leaseColumns are the columns of a lease.
var leaseColumns = []column{
	kind, {"namespace", "namespace", false}, {"worker_id", "ID", true}, {"state", "state", false}, {"ended", "", false},
	{"holder", "holder", false}, {"acquired", "since", false}, {"renewed", "", false}, {"until", "until", false},
	{"remaining_seconds", "left", true}, {"high", "", true}, {"high_time", "reserved up to", false}, {"layout", "", false},
}

func leaseCells(l registry.LeaseInfo, now time.Time) []cell {
	state, ended := cell{value: string(l.State)}, ""
	if l.State != registry.Live {
		ended = "expired"
		if l.Released {
			ended = "released"
		}
		state.text = ended + ", free"
		if l.State == registry.Quarantined {
			state.text = ended + ", in quarantine"
		}
	}
	remaining := span(l.Until.Sub(now))
	remaining.text = words(l.Until.Sub(now).Abs().Round(time.Second))
	if l.State != registry.Live {
		remaining.text += " ago"
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

// printable returns text from a database with everything replaced that could control a
// terminal or break a tab-separated line.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// moment is a cell of a time; people see it to the second.
func moment(t time.Time) cell { return cell{value: t, text: t.Format("2006-01-02 15:04:05")} }

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
	var live, quarantined, free int64
	for _, l := range leases {
		switch {
		case l.Namespace != ns.Namespace || l.WorkerID < ids.First || l.WorkerID > ids.Last:
		case l.State == registry.Live:
			live++
		case l.State == registry.Free:
			free++
		default:
			quarantined++
		}
	}
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

// describe says in a sentence who holds or held a lease.
func describe(l registry.LeaseInfo) string {
	state := "expired"
	switch {
	case l.State == registry.Live:
		state = "live"
	case l.Released:
		state = "released already"
	}
	return fmt.Sprintf("it was %s, of %s since %s, until %s", state, printable(l.Holder),
		l.Acquired.Format(time.RFC3339), l.Until.Format(time.RFC3339))
}
