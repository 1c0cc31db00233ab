package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker/lease"
)

// spaces names the spaces of worker IDs whose UIDs can be equal. UIDs are unique within one layout and one space. Each
// namespace is a space, and so are the disposable IDs, whose layout is not in the store. Namespaces with ranges that
// have no ID in common share one space.
func (c *check) spaces(o registry.Overview) (findings []Finding) {
	equal := func(value, why string) {
		findings = append(findings, Finding{LevelNote, "spaces of worker IDs", value, why,
			"Nothing, if UIDs of both are never in one column. Else take all worker IDs from one of them."})
	}
	ids := map[string]lease.Range{}
	users := map[string][]string{} // by layout: the namespaces that use or used it
	for _, ns := range o.Namespaces {
		ids[ns.Namespace] = ns.IDs
		users[ns.Layout] = append(users[ns.Layout], ns.Namespace)
	}
	for _, l := range o.Leases {
		users[l.Layout] = append(users[l.Layout], l.Namespace)
	}
	delete(users, "")
	for _, layout := range slices.Sorted(maps.Keys(users)) {
		names := slices.Compact(slices.Sorted(slices.Values(users[layout])))
		same := slices.DeleteFunc(slices.Clone(names), func(a string) bool {
			return !slices.ContainsFunc(names, func(b string) bool { return a != b && overlap(ids[a], ids[b]) })
		})
		if len(same) > 1 {
			equal(fmt.Sprintf("namespaces %s have the layout %s", listed(same), layout),
				"A UID of one namespace can be equal to a UID of another: they have worker IDs in common.")
		}
	}
	if o.Nodes != nil && o.Nodes.Used() > 0 && len(ids) > 0 {
		equal("disposable IDs beside leases of "+listed(slices.Sorted(maps.Keys(ids))), "A UID under a disposable ID "+
			"can be equal to one under a leased ID of the same layout: both have a worker 1.")
	}
	if len(findings) == 0 && !c.unread && (o.Nodes != nil || o.HasLeases) {
		return []Finding{Fine("spaces of worker IDs", "no two whose UIDs could be equal are known")}
	}
	return findings
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
