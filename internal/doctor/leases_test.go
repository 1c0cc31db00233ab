package doctor

import (
	"errors"
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
	one := func(id int64, change func(*info)) []info {
		l := info{
			Namespace: "n", WorkerID: id, State: registry.Free, Layout: layout,
			Acquired: now, Renewed: now, Until: now, High: 1000,
		}
		change(&l)
		return []info{l}
	}
	busy := func(first, n int64) (all []info) {
		for id := range n {
			state := []registry.State{registry.Live, registry.Quarantined}[id%2]
			all = append(all, one(first+id, func(l *info) { l.State = state })...)
		}
		return all
	}
	free := func(id int64) []info { return one(id, func(*info) {}) }
	high := func(tick int64, s registry.State) []info {
		return one(4, func(l *info) { l.High, l.State = tick, s })
	}
	const far = 1000 + int64(maxAhead/time.Second)
	some := lease.Range{First: 2, Last: 5}
	missing := func(ranges ...lease.Range) namespace { return namespace{Live: 3, Missing: ranges} }
	for name, tt := range map[string]struct {
		ns     namespace
		leases []info
		wrong  string // the findings that are not ok
		says   string
	}{
		"sound":        {namespace{Live: 8}, busy(0, 8), "", "8 live, 0 in quarantine, 0 free again, 2 can be"},
		"many":         {namespace{Live: 9}, busy(0, 9), "leased IDs warn", "80 %"},
		"none left":    {namespace{Live: 10}, busy(0, 10), "leased IDs error", "No ID is free"},
		"a range":      {namespace{IDs: some}, busy(2, 2), "", "2 can be leased, of 4 (the worker IDs 2 to 5)"},
		"a full range": {namespace{IDs: some}, busy(2, 4), "leased IDs error", "0 can be leased, of 4"},
		"beyond all":   {namespace{IDs: lease.Range{First: 8, Last: 20}}, nil, "", "2 can be leased, of 2"},
		"outside":      {namespace{IDs: some}, free(6), "range of worker IDs error", "Worker ID 6 is outside of it"},
		"below, live":  {namespace{IDs: some}, busy(0, 1), "range of worker IDs error", "4 can be leased, of 4"},
		"below":        {namespace{IDs: some}, free(1), "range of worker IDs error", ""},
		"rows missing": {missing(lease.Range{First: 3, Last: 4}, lease.Range{First: 7, Last: 7}), busy(0, 3),
			"rows of worker IDs error", "worker IDs 3 to 4 and 7 have no row"},
		"missing, not had": {missing(lease.Range{First: 3, Last: 9}), busy(0, 3),
			"leased IDs error, rows of worker IDs error", "0 can be leased, of 10"},
		"two layouts": {namespace{}, one(3, func(l *info) { l.Layout = "another" }), "layout error",
			"Worker ID 3 was used under the layout another"},
		"no own row": {namespace{Layout: "-"}, free(3), "layout warn", "no row of its own"},
		"unreadable": {namespace{Layout: "x"}, nil, "layout error", "cannot be read"},
		"renewed in the future": {namespace{},
			append(free(0), one(3, func(l *info) { l.Renewed = now.Add(3 * time.Second) })...),
			"times of leases error", "worker ID 3 was renewed 3s from now"},
		"acquired in the future": {namespace{}, one(3, func(l *info) { l.Acquired = now.Add(3 * time.Second) }),
			"times of leases error", ""},
		"a little": {namespace{}, one(3, func(l *info) { l.Renewed = now.Add(time.Second) }), "", ""},
		"endless": {namespace{}, one(3, func(l *info) { l.Until = now.AddDate(1, 0, 0) }), "times of leases warn",
			"8760h"},
		"last tick": {namespace{}, high(far, registry.Free), "", ""},
		"far tick": {namespace{}, append(high(far+1, registry.Free), free(0)...), "last ticks of leases error",
			"in the row of worker ID 4, set the end"},
		"far tick of a live lease": {namespace{}, high(far+1, registry.Live), "last ticks of leases warn", "MaxLead"},
		"used up": {namespace{}, high(1_000_000, registry.Free), "last ticks of leases error",
			"last tick is 1000000"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &check{Config: Config{Terms: func(text string) (uid.Terms, error) {
				if text != layout {
					return uid.Terms{}, errors.New("no layout")
				}
				return terms, nil
			}}}
			tt.ns.Namespace = "n"
			if tt.ns.Layout == "" {
				tt.ns.Layout = layout
			}
			tt.ns.Layout = strings.TrimPrefix(tt.ns.Layout, "-")
			c.leasesSound(registry.Overview{Now: now, Namespaces: []namespace{tt.ns}, Leases: tt.leases})
			var wrong []string
			for _, f := range c.findings {
				checkFinding(t, f, f.Level)
				require.True(t, strings.HasPrefix(f.Value, `namespace "n": `))
				if f.Level != LevelOK {
					wrong = append(wrong, f.What+" "+string(f.Level))
				}
			}
			require.Equal(t, tt.wrong, strings.Join(wrong, ", "))
			require.Contains(t, fmt.Sprint(c.findings), tt.says)
		})
	}
}
