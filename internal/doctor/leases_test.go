package doctor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker/lease"
)

func TestJudgeNamespace(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	const layout = "the layout"
	terms := uid.Terms{Layout: layout, Epoch: now.Add(-1000 * time.Second), Unit: time.Second, MaxTick: 1_000_000, MaxWorkerID: 9}
	one := func(id int64, change func(*registry.LeaseInfo)) registry.LeaseInfo {
		l := registry.LeaseInfo{Namespace: "n", WorkerID: id, State: registry.Free, Layout: layout, Acquired: now, Renewed: now, Until: now, High: 1000}
		if change != nil {
			change(&l)
		}
		return l
	}
	busy := func(first, n int64) (all []registry.LeaseInfo) {
		for id := range n {
			all = append(all, one(first+id, func(l *registry.LeaseInfo) {
				if l.State = registry.Live; id%2 == 1 {
					l.State = registry.Quarantined
				}
			}))
		}
		return all
	}
	high := func(tick int64, s registry.State) registry.LeaseInfo {
		return one(4, func(l *registry.LeaseInfo) { l.High, l.State = tick, s })
	}
	const far = 1000 + 900 // MaxAhead
	for _, tt := range []struct {
		name   string
		ns     registry.NamespaceInfo
		leases []registry.LeaseInfo
		want   map[string]Level
		says   string
	}{
		{"sound", registry.NamespaceInfo{Live: 8}, busy(0, 8), nil, "8 live, 0 in quarantine, 0 free again, 2 can be had, of 10"},
		{"many", registry.NamespaceInfo{Live: 9}, busy(0, 9), map[string]Level{"leased IDs": LevelWarn}, "80 %"},
		{"none left", registry.NamespaceInfo{Live: 10}, busy(0, 10), map[string]Level{"leased IDs": LevelError}, "No ID can be had"},
		{"a range", registry.NamespaceInfo{IDs: lease.Range{First: 2, Last: 5}, Live: 2}, busy(2, 2), nil, "2 can be had, of 4 (the worker IDs 2 to 5)"},
		{"a range that is full", registry.NamespaceInfo{IDs: lease.Range{First: 2, Last: 5}, Live: 4}, busy(2, 4), map[string]Level{"leased IDs": LevelError}, "0 can be had, of 4"},
		{"a range beyond the layout", registry.NamespaceInfo{IDs: lease.Range{First: 8, Last: 20}}, nil, nil, "2 can be had, of 2"},
		{"outside of the range", registry.NamespaceInfo{IDs: lease.Range{First: 2, Last: 5}, Free: 1}, []registry.LeaseInfo{one(6, nil)},
			map[string]Level{"range of worker IDs": LevelError}, "Worker ID 6 lies outside of it"},
		{"below the range, and not of its IDs",
			registry.NamespaceInfo{IDs: lease.Range{First: 2, Last: 5}, Live: 1}, busy(0, 1),
			map[string]Level{"range of worker IDs": LevelError}, "4 can be had, of 4"},
		{"below the range", registry.NamespaceInfo{IDs: lease.Range{First: 2, Last: 5}, Free: 1}, []registry.LeaseInfo{one(1, nil)}, map[string]Level{"range of worker IDs": LevelError}, ""},
		{"rows are missing", registry.NamespaceInfo{Live: 3,
			Missing: []lease.Range{{First: 3, Last: 4}, {First: 7, Last: 7}}}, busy(0, 3),
			map[string]Level{"rows of worker IDs": LevelError}, "worker IDs 3 to 4 and 7 have no row"},
		{"what is missing cannot be had",
			registry.NamespaceInfo{Live: 3, Missing: []lease.Range{{First: 3, Last: 9}}}, busy(0, 3),
			map[string]Level{"rows of worker IDs": LevelError, "leased IDs": LevelError}, "0 can be had, of 10"},
		{"two layouts", registry.NamespaceInfo{}, []registry.LeaseInfo{one(3, func(l *registry.LeaseInfo) { l.Layout = "another" })}, map[string]Level{"layout": LevelError}, "Worker ID 3 was used under the layout another"},
		{"no control row", registry.NamespaceInfo{Layout: "-"}, []registry.LeaseInfo{one(3, nil)}, map[string]Level{"layout": LevelWarn}, "no row of its own"},
		{"unreadable", registry.NamespaceInfo{Layout: "x"}, nil, map[string]Level{"layout": LevelError}, "cannot be read"},
		{"renewed in the future", registry.NamespaceInfo{}, []registry.LeaseInfo{one(0, nil), one(3, func(l *registry.LeaseInfo) { l.Renewed = now.Add(3 * time.Second) })},
			map[string]Level{"times of leases": LevelError}, "worker ID 3 was renewed 3s from now"},
		{"acquired in the future", registry.NamespaceInfo{}, []registry.LeaseInfo{one(3, func(l *registry.LeaseInfo) { l.Acquired = now.Add(3 * time.Second) })}, map[string]Level{"times of leases": LevelError}, ""},
		{"a little", registry.NamespaceInfo{}, []registry.LeaseInfo{one(3, func(l *registry.LeaseInfo) { l.Renewed = now.Add(time.Second) })}, nil, ""},
		{"endless", registry.NamespaceInfo{}, []registry.LeaseInfo{one(3, func(l *registry.LeaseInfo) { l.Until = now.AddDate(1, 0, 0) })}, map[string]Level{"times of leases": LevelWarn}, "8760h"},
		{"last tick", registry.NamespaceInfo{}, []registry.LeaseInfo{high(far, registry.Free)}, nil, ""},
		{"far tick", registry.NamespaceInfo{}, []registry.LeaseInfo{high(far+1, registry.Free), one(0, nil)}, map[string]Level{"last ticks of leases": LevelError}, "in the row of worker ID 4, set the end"},
		{"far tick of a live lease", registry.NamespaceInfo{}, []registry.LeaseInfo{high(far+1, registry.Live)}, map[string]Level{"last ticks of leases": LevelWarn}, "MaxLead"},
		{"used up", registry.NamespaceInfo{}, []registry.LeaseInfo{high(1_000_000, registry.Free)}, map[string]Level{"last ticks of leases": LevelError}, "last tick is 1000000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &check{Config: Config{MaxAhead: 15 * time.Minute, Terms: func(text string) (uid.Terms, error) {
				if text != layout {
					return uid.Terms{}, fmt.Errorf("no layout")
				}
				return terms, nil
			}}}
			tt.ns.Namespace = "n"
			switch tt.ns.Layout {
			case "":
				tt.ns.Layout = layout
			case "-":
				tt.ns.Layout = ""
			}
			c.leasesSound(registry.Overview{Now: now, HasLeases: true, Namespaces: []registry.NamespaceInfo{tt.ns}, Leases: tt.leases})
			var all string
			for _, f := range c.findings {
				want, ok := tt.want[f.What]
				if !ok {
					want = LevelOK
				}
				checkFinding(t, f, want)
				require.True(t, strings.HasPrefix(f.Value, `namespace "n": `))
				delete(tt.want, f.What)
				all += fmt.Sprintln(f)
			}
			require.Empty(t, tt.want, "not found")
			require.Contains(t, all, tt.says)
		})
	}
}
