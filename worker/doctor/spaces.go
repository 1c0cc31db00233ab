package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

// spaces names the spaces of worker IDs whose UIDs can be equal. UIDs are unique within one
// layout and one space. Each namespace is a space, and so are the disposable IDs, whose layout is
// not in the store. Namespaces with ranges that have no ID in common share one space.
func (c *check) spaces(o registry.Overview) {
	const what = "spaces of worker IDs"
	const do = "Nothing, where UIDs of both never stand in one column. Else take all worker IDs from one of them."
	var names []string
	for _, ns := range o.Namespaces {
		names = append(names, ns.Namespace)
	}
	before := len(c.findings)
	sharing := namespacesOf(o)
	for _, layout := range slices.Sorted(maps.Keys(sharing)) {
		if same := overlapping(sharing[layout], o.Namespaces); len(same) > 1 {
			c.add(Finding{LevelNote, what, fmt.Sprintf("%s have the layout %s", listed(same), layout),
				"A UID of one namespace can be equal to a UID of another: they have worker IDs in common.", do})
		}
	}
	if o.Nodes != nil && o.Nodes.Used() > 0 && len(names) > 0 {
		c.add(Finding{LevelNote, what, "disposable IDs beside " + listed(names),
			"A UID under a disposable ID can be equal to one under a leased ID of the same layout: both have a worker 1.", do})
	}
	if len(c.findings) == before && !c.unread && (o.Nodes != nil || o.HasLeases) {
		c.add(Finding{Level: LevelOK, What: what, Value: "no two whose UIDs could be equal are known"})
	}
}

// namespacesOf returns the namespaces in which a layout is or was used, in their order.
func namespacesOf(o registry.Overview) map[string][]string {
	all := map[string][]string{}
	add := func(layout, namespace string) {
		if layout != "" && !slices.Contains(all[layout], namespace) {
			all[layout] = append(all[layout], namespace)
		}
	}
	for _, ns := range o.Namespaces {
		add(ns.Layout, ns.Namespace)
	}
	for _, l := range o.Leases {
		add(l.Layout, l.Namespace)
	}
	for _, names := range all {
		slices.Sort(names)
	}
	return all
}

// overlapping returns those of the names that have a worker ID in common with another of them.
func overlapping(names []string, infos []registry.NamespaceInfo) (both []string) {
	ids := map[string]lease.Range{}
	for _, ns := range infos {
		ids[ns.Namespace] = ns.IDs
	}
	for _, a := range names {
		if slices.ContainsFunc(names, func(b string) bool { return a != b && overlap(ids[a], ids[b]) }) {
			both = append(both, a)
		}
	}
	return both
}

func overlap(a, b lease.Range) bool {
	all := lease.Range{}
	return a == all || b == all || a.First <= b.Last && b.First <= a.Last
}

// listed lists namespaces, or the first few of many.
func listed(names []string) string {
	const most = 8
	var quoted []string
	for _, name := range names[:min(most, len(names))] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	text := "namespace " + quoted[0]
	switch last := len(quoted) - 1; {
	case len(names) > most:
		text = fmt.Sprintf("namespaces %s and %d more", strings.Join(quoted, ", "), len(names)-most)
	case last > 0:
		text = fmt.Sprintf("namespaces %s and %s", strings.Join(quoted[:last], ", "), quoted[last])
	}
	return text
}
