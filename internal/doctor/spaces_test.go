package doctor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker/lease"
)

func TestSpaces(t *testing.T) {
	ns := func(name, layout string) registry.NamespaceInfo {
		return registry.NamespaceInfo{Namespace: name, Layout: layout}
	}
	part := func(name string, first, last int64) registry.NamespaceInfo {
		return registry.NamespaceInfo{Namespace: name, Layout: "X", IDs: lease.Range{First: first, Last: last}}
	}
	var many []registry.NamespaceInfo
	for i := range 11 {
		many = append(many, ns(fmt.Sprint("n", i+10), "X"))
	}
	used, empty := &registry.NodeInfo{Rows: 0, Last: 0, Next: 2}, &registry.NodeInfo{Next: 1}
	const none = "no two whose UIDs could be equal are known"
	const ab, n10n11 = `namespaces "a", "b" have the layout X`, `namespaces "n10", "n11" have the layout X`
	const eight = `namespaces "n10", "n11", "n12", "n13", "n14", "n15", "n16", "n17"`
	type all = []registry.NamespaceInfo
	for name, tt := range map[string]struct {
		nodes      *registry.NodeInfo
		namespaces []registry.NamespaceInfo
		want       []string // the values of notes, or that of the one finding that is ok
	}{
		"nothing":        {nil, nil, []string{none}},
		"disposable":     {used, nil, []string{none}},
		"one":            {nil, many[:1], []string{none}},
		"two":            {nil, many[:2], []string{n10n11}},
		"three":          {nil, many[:3], []string{`namespaces "n10", "n11", "n12" have the layout X`}},
		"eight":          {nil, many[:8], []string{eight + ` have the layout X`}},
		"many":           {nil, many, []string{eight + ` and 3 more have the layout X`}},
		"of two layouts": {nil, all{ns("a", "X"), ns("b", "Y")}, []string{none}},
		"two of two": {nil, all{ns("a", "Y"), ns("b", "X"), ns("c", "Y"), ns("d", "X")},
			[]string{`namespaces "b", "d" have the layout X`, `namespaces "a", "c" have the layout Y`}},
		"of two ranges":   {nil, all{part("a", 0, 511), part("b", 512, 1023)}, []string{none}},
		"of one ID":       {nil, all{part("a", 0, 512), part("b", 512, 1023), part("c", 1024, 2047)}, []string{ab}},
		"a range of all":  {nil, all{ns("a", "X"), part("b", 512, 1023)}, []string{ab}},
		"not told":        {nil, all{ns("a", ""), ns("b", "")}, []string{none}},
		"beside":          {used, many[:1], []string{`disposable IDs beside leases of "n10"`}},
		"never had":       {empty, many[:1], []string{none}},
		"both":            {used, many[:2], []string{n10n11, `disposable IDs beside leases of "n10", "n11"`}},
		"of leases alone": {nil, all{ns("a", ""), ns("b", "X")}, []string{ab}},
	} {
		t.Run(name, func(t *testing.T) {
			o := registry.Overview{Nodes: tt.nodes, HasLeases: true, Namespaces: tt.namespaces}
			if name == "of leases alone" {
				o.Leases = []registry.LeaseInfo{{Namespace: "a", Layout: "X"}, {Namespace: "b", Layout: "X"}}
			}
			var values []string
			for _, f := range (&check{}).spaces(o) {
				values = append(values, f.Value)
				level := LevelNote
				if f.Value == none {
					level = LevelOK
				}
				checkFinding(t, f, level)
				require.Equal(t, "spaces of worker IDs", f.What)
			}
			require.Equal(t, tt.want, values)
		})
	}
	const unknown = "nothing is known of a table that is not there, or cannot be read"
	require.Empty(t, (&check{}).spaces(registry.Overview{}), unknown)
	require.Empty(t, (&check{unread: true}).spaces(registry.Overview{Nodes: empty}), unknown)
}
