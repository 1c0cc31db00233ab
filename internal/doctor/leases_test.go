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
	terms := uid.Terms{
		Layout: layout, Epoch: now.Add(-1000 * time.Second), Unit: time.Second, MaxTick: 1_000_000, MaxWorkerID: 9,
	}
	type namespace = registry.NamespaceInfo
	type info = registry.LeaseInfo
	one := func(id int64, change func(*info)) info {
		l := info{
			Namespace: "n", WorkerID: id, State: registry.Free, Layout: layout,
			Acquired: now, Renewed: now, Until: now, High: 1000,
		}
		if change != nil {
			change(&l)
		}
		return l
	}
	busy := func(first, n int64) (all []info) {
		for id := range n {
			all = append(all, one(first+id, func(l *info) {
				if l.State = registry.Live; id%2 == 1 {
					l.State = registry.Quarantined
				}
			}))
		}
		return all
	}
	high := func(tick int64, s registry.State) info {
		return one(4, func(l *info) { l.High, l.State = tick, s })
	}
	const far = 1000 + int64(maxAhead/time.Second)
	const whatRange, whatTimes, whatTicks = "range of worker IDs", "times of leases", "last ticks of leases"
	some := lease.Range{First: 2, Last: 5}
	bad := func(what string) map[string]Level { return map[string]Level{what: LevelError} }
	odd := func(what string) map[string]Level { return map[string]Level{what: LevelWarn} }
	for _, tt := range []struct {
		name   string
		ns     namespace
		leases []info
		want   map[string]Level
		says   string
	}{
		{"sound", namespace{Live: 8}, busy(0, 8), nil, "8 live, 0 in quarantine, 0 free again, 2 can be had, of 10"},
		{"many", namespace{Live: 9}, busy(0, 9), odd("leased IDs"), "80 %"},
		{"none left", namespace{Live: 10}, busy(0, 10), bad("leased IDs"), "No ID can be had"},
		{"a range", namespace{IDs: some, Live: 2}, busy(2, 2), nil, "2 can be had, of 4 (the worker IDs 2 to 5)"},
		{"a range that is full", namespace{IDs: some, Live: 4}, busy(2, 4), bad("leased IDs"), "0 can be had, of 4"},
		{"a range beyond the layout", namespace{IDs: lease.Range{First: 8, Last: 20}}, nil, nil, "2 can be had, of 2"},
		{"outside of the range", namespace{IDs: some, Free: 1}, []info{one(6, nil)},
			bad(whatRange), "Worker ID 6 lies outside of it"},
		{"below the range, and not of its IDs", namespace{IDs: some, Live: 1}, busy(0, 1),
			bad(whatRange), "4 can be had, of 4"},
		{"below the range", namespace{IDs: some, Free: 1}, []info{one(1, nil)}, bad(whatRange), ""},
		{"rows are missing", namespace{Live: 3,
			Missing: []lease.Range{{First: 3, Last: 4}, {First: 7, Last: 7}}}, busy(0, 3),
			bad("rows of worker IDs"), "worker IDs 3 to 4 and 7 have no row"},
		{"what is missing cannot be had", namespace{Live: 3, Missing: []lease.Range{{First: 3, Last: 9}}}, busy(0, 3),
			map[string]Level{"rows of worker IDs": LevelError, "leased IDs": LevelError}, "0 can be had, of 10"},
		{"two layouts", namespace{}, []info{one(3, func(l *info) { l.Layout = "another" })},
			bad("layout"), "Worker ID 3 was used under the layout another"},
		{"no control row", namespace{Layout: "-"}, []info{one(3, nil)}, odd("layout"), "no row of its own"},
		{"unreadable", namespace{Layout: "x"}, nil, bad("layout"), "cannot be read"},
		{"renewed in the future", namespace{},
			[]info{one(0, nil), one(3, func(l *info) { l.Renewed = now.Add(3 * time.Second) })},
			bad(whatTimes), "worker ID 3 was renewed 3s from now"},
		{"acquired in the future", namespace{}, []info{one(3, func(l *info) { l.Acquired = now.Add(3 * time.Second) })},
			bad(whatTimes), ""},
		{"a little", namespace{}, []info{one(3, func(l *info) { l.Renewed = now.Add(time.Second) })}, nil, ""},
		{"endless", namespace{}, []info{one(3, func(l *info) { l.Until = now.AddDate(1, 0, 0) })},
			odd(whatTimes), "8760h"},
		{"last tick", namespace{}, []info{high(far, registry.Free)}, nil, ""},
		{"far tick", namespace{}, []info{high(far+1, registry.Free), one(0, nil)},
			bad(whatTicks), "in the row of worker ID 4, set the end"},
		{"far tick of a live lease", namespace{}, []info{high(far+1, registry.Live)}, odd(whatTicks), "MaxLead"},
		{"used up", namespace{}, []info{high(1_000_000, registry.Free)}, bad(whatTicks), "last tick is 1000000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &check{Config: Config{Terms: func(text string) (uid.Terms, error) {
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
			all := registry.Overview{Now: now, HasLeases: true, Namespaces: []namespace{tt.ns}, Leases: tt.leases}
			c.leasesSound(all)
			var said string
			for _, f := range c.findings {
				want, ok := tt.want[f.What]
				if !ok {
					want = LevelOK
				}
				checkFinding(t, f, want)
				require.True(t, strings.HasPrefix(f.Value, `namespace "n": `))
				delete(tt.want, f.What)
				said += fmt.Sprintln(f)
			}
			require.Empty(t, tt.want, "not found")
			require.Contains(t, said, tt.says)
		})
	}
}
