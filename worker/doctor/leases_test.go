package doctor

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker/registry"
)

func TestJudgeNamespace(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	const layout = "the layout"
	terms := uid.Terms{Layout: layout, Epoch: now.Add(-1000 * time.Second), Unit: time.Second, MaxTick: 1_000_000, MaxWorkerID: 9}
	lease := func(id int64, change func(*registry.LeaseInfo)) registry.LeaseInfo {
		l := registry.LeaseInfo{Namespace: "n", WorkerID: id, State: registry.Free, Layout: layout, Acquired: now, Renewed: now, Until: now, High: 1000, Reach: 100 * time.Second}
		if change != nil {
			change(&l)
		}
		return l
	}
	high := func(tick int64, s registry.State) registry.LeaseInfo {
		return lease(4, func(l *registry.LeaseInfo) { l.High, l.State = tick, s })
	}
	const far = 1000 + 100 + 900 // the reach, and MaxAhead
	for _, tt := range []struct {
		name   string
		ns     registry.NamespaceInfo
		leases []registry.LeaseInfo
		want   map[string]Level
		says   string
	}{
		{"sound", registry.NamespaceInfo{Live: 8}, []registry.LeaseInfo{lease(0, nil)}, nil, "8 live, 0 in quarantine, 0 free again, 2 can be had, of 10"},
		{"many", registry.NamespaceInfo{Live: 8, Quarantined: 1}, []registry.LeaseInfo{lease(0, nil)}, map[string]Level{"leased IDs": LevelWarn}, "80 %"},
		{"none left", registry.NamespaceInfo{Live: 8, Quarantined: 2}, []registry.LeaseInfo{lease(0, nil)}, map[string]Level{"leased IDs": LevelError}, "No ID can be had"},
		{"two layouts", registry.NamespaceInfo{}, []registry.LeaseInfo{lease(3, func(l *registry.LeaseInfo) { l.Layout = "another" })}, map[string]Level{"layout": LevelError}, "Worker ID 3 was used under the layout another"},
		{"no control row", registry.NamespaceInfo{Layout: "-"}, []registry.LeaseInfo{lease(3, nil)}, map[string]Level{"layout": LevelWarn}, "WORKER_ID -1"},
		{"unreadable", registry.NamespaceInfo{Layout: "x"}, nil, map[string]Level{"layout": LevelError}, "cannot be read"},
		{"renewed in the future", registry.NamespaceInfo{}, []registry.LeaseInfo{lease(0, nil), lease(3, func(l *registry.LeaseInfo) { l.Renewed = now.Add(3 * time.Second) })},
			map[string]Level{"times of leases": LevelError}, "worker ID 3 was renewed 3s from now"},
		{"acquired in the future", registry.NamespaceInfo{}, []registry.LeaseInfo{lease(3, func(l *registry.LeaseInfo) { l.Acquired = now.Add(3 * time.Second) })}, map[string]Level{"times of leases": LevelError}, ""},
		{"a little", registry.NamespaceInfo{}, []registry.LeaseInfo{lease(3, func(l *registry.LeaseInfo) { l.Renewed = now.Add(time.Second) })}, nil, ""},
		{"endless", registry.NamespaceInfo{}, []registry.LeaseInfo{lease(3, func(l *registry.LeaseInfo) { l.Until = now.AddDate(1, 0, 0) })}, map[string]Level{"times of leases": LevelWarn}, "8760h"},
		{"last tick", registry.NamespaceInfo{}, []registry.LeaseInfo{high(far, registry.Free)}, nil, ""},
		{"reach of the namespace", registry.NamespaceInfo{Reach: 101 * time.Second}, []registry.LeaseInfo{high(far+1, registry.Free)}, nil, ""},
		{"far tick", registry.NamespaceInfo{}, []registry.LeaseInfo{high(far+1, registry.Free), lease(0, nil)}, map[string]Level{"last ticks of leases": LevelError}, "set LEASE_UNTIL of WORKER_ID 4 in LEASES"},
		{"far tick of a live lease", registry.NamespaceInfo{}, []registry.LeaseInfo{high(far+1, registry.Live)}, map[string]Level{"last ticks of leases": LevelWarn}, "MaxLead"},
		{"used up", registry.NamespaceInfo{Reach: math.MaxInt64}, []registry.LeaseInfo{high(1_000_000, registry.Free)}, map[string]Level{"last ticks of leases": LevelError}, "last tick is 1000000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &check{Config: Config{MaxAhead: 15 * time.Minute, Terms: func(text string) (uid.Terms, error) {
				if text != layout {
					return uid.Terms{}, fmt.Errorf("no layout")
				}
				return terms, nil
			}}, leases: "LEASES"}
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
