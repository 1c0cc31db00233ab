package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uidgen/uid/worker/registry"
)

// spaces names the spaces of worker IDs whose UIDs can be equal. UIDs are unique within one
// layout and one space. Each namespace is a space, and so are the disposable IDs, whose layout is
// in no table.
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
		if same := sharing[layout]; len(same) > 1 {
			c.add(Finding{LevelNote, what, fmt.Sprintf("%s have the layout %s", listed(same), layout),
				"A UID of one namespace can be equal to a UID of another: each of them has a worker 0.", do})
		}
	}
	if o.Nodes != nil && o.Nodes.Used() > 0 && len(names) > 0 {
		c.add(Finding{LevelNote, what, "disposable IDs beside " + listed(names),
			"A UID under a disposable ID can be equal to one under a leased ID of the same layout: both have a worker 1.", do})
	}
	if len(c.findings) == before && !c.unread && (c.hasNodes || c.hasLease) {
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
