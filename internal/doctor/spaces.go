package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker/lease"
)

// spaces names the spaces of worker IDs whose UIDs can be equal. UIDs are unique within one
// layout and one space. Each namespace is a space, and so are the disposable IDs, whose layout is
// not in the store. Namespaces with ranges that have no ID in common share one space.
func (c *check) spaces(o registry.Overview) {
	const what = "spaces of worker IDs"
	const do = "Nothing, where UIDs of both never stand in one column. Else take all worker IDs from one of them."
	ids := map[string]lease.Range{}
	sharing := map[string]map[string]bool{} // by layout: those who use or used it
	add := func(layout, namespace string) {
		if sharing[layout] == nil {
			sharing[layout] = map[string]bool{}
		}
		sharing[layout][namespace] = true
	}
	for _, ns := range o.Namespaces {
		ids[ns.Namespace] = ns.IDs
		add(ns.Layout, ns.Namespace)
	}
	for _, l := range o.Leases {
		add(l.Layout, l.Namespace)
	}
	delete(sharing, "")
	before := len(c.findings)
	for _, layout := range slices.Sorted(maps.Keys(sharing)) {
		names := slices.Sorted(maps.Keys(sharing[layout]))
		same := slices.DeleteFunc(slices.Clone(names), func(a string) bool {
			return !slices.ContainsFunc(names, func(b string) bool { return a != b && overlap(ids[a], ids[b]) })
		})
		if len(same) > 1 {
			c.add(Finding{LevelNote, what, fmt.Sprintf("namespaces %s have the layout %s", listed(same), layout),
				"A UID of one namespace can be equal to a UID of another: they have worker IDs in common.", do})
		}
	}
	if o.Nodes != nil && o.Nodes.Used() > 0 && len(ids) > 0 {
		c.add(Finding{LevelNote, what, "disposable IDs beside leases of " + listed(slices.Sorted(maps.Keys(ids))),
			"A UID under a disposable ID can be equal to one under a leased ID of the same layout: " +
				"both have a worker 1.", do})
	}
	if len(c.findings) == before && !c.unread && (o.Nodes != nil || o.HasLeases) {
		c.add(Finding{Level: LevelOK, What: what, Value: "no two whose UIDs could be equal are known"})
	}
}

func overlap(a, b lease.Range) bool {
	all := lease.Range{}
	return a == all || b == all || a.First <= b.Last && b.First <= a.Last
}

// listed lists names, or the first few of many.
func listed(names []string) string {
	const most = 8
	shown := fmt.Sprintf("%q", names[:min(most, len(names))])
	text := strings.ReplaceAll(shown[1:len(shown)-1], `" "`, `", "`)
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}
