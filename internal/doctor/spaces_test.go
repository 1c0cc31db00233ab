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
	for name, tt := range map[string]struct {
		o    registry.Overview
		want []string // the values of notes, or that of the one finding that is ok
	}{
		"nothing":        {registry.Overview{HasLeases: true}, []string{none}},
		"disposable":     {registry.Overview{Nodes: used, HasLeases: true}, []string{none}},
		"one":            {registry.Overview{HasLeases: true, Namespaces: many[:1]}, []string{none}},
		"two":            {registry.Overview{HasLeases: true, Namespaces: many[:2]}, []string{`namespaces "n10", "n11" have the layout X`}},
		"three":          {registry.Overview{HasLeases: true, Namespaces: many[:3]}, []string{`namespaces "n10", "n11", "n12" have the layout X`}},
		"eight":          {registry.Overview{HasLeases: true, Namespaces: many[:8]}, []string{`namespaces "n10", "n11", "n12", "n13", "n14", "n15", "n16", "n17" have the layout X`}},
		"many":           {registry.Overview{HasLeases: true, Namespaces: many}, []string{`namespaces "n10", "n11", "n12", "n13", "n14", "n15", "n16", "n17" and 3 more have the layout X`}},
		"of two layouts": {registry.Overview{HasLeases: true, Namespaces: []registry.NamespaceInfo{ns("a", "X"), ns("b", "Y")}}, []string{none}},
		"two of two":     {registry.Overview{HasLeases: true, Namespaces: []registry.NamespaceInfo{ns("a", "Y"), ns("b", "X"), ns("c", "Y"), ns("d", "X")}}, []string{`namespaces "b", "d" have the layout X`, `namespaces "a", "c" have the layout Y`}},
		"of two ranges":  {registry.Overview{HasLeases: true, Namespaces: []registry.NamespaceInfo{part("a", 0, 511), part("b", 512, 1023)}}, []string{none}},
		"of one ID":      {registry.Overview{HasLeases: true, Namespaces: []registry.NamespaceInfo{part("a", 0, 512), part("b", 512, 1023), part("c", 1024, 2047)}}, []string{`namespaces "a", "b" have the layout X`}},
		"a range of all": {registry.Overview{HasLeases: true, Namespaces: []registry.NamespaceInfo{ns("a", "X"), part("b", 512, 1023)}}, []string{`namespaces "a", "b" have the layout X`}},
		"not told":       {registry.Overview{HasLeases: true, Namespaces: []registry.NamespaceInfo{ns("a", ""), ns("b", "")}}, []string{none}},
		"beside":         {registry.Overview{Nodes: used, HasLeases: true, Namespaces: many[:1]}, []string{`disposable IDs beside leases of "n10"`}},
		"never had":      {registry.Overview{Nodes: empty, HasLeases: true, Namespaces: many[:1]}, []string{none}},
		"both":           {registry.Overview{Nodes: used, HasLeases: true, Namespaces: many[:2]}, []string{`namespaces "n10", "n11" have the layout X`, `disposable IDs beside leases of "n10", "n11"`}},
		"of a lease only": {registry.Overview{
			HasLeases: true, Namespaces: []registry.NamespaceInfo{ns("a", ""), ns("b", "X")}, Leases: []registry.LeaseInfo{{Namespace: "a", Layout: "X"}, {Namespace: "b", Layout: "X"}},
		}, []string{`namespaces "a", "b" have the layout X`}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &check{}
			c.spaces(tt.o)
			var values []string
			for _, f := range c.findings {
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
	for _, c := range []*check{{}, {unread: true}} {
		o := registry.Overview{}
		if c.unread {
			o.Nodes = empty
		}
		c.spaces(o)
		require.Empty(t, c.findings, "nothing is known of a table that is not there, or cannot be read")
	}
}
