package main

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestScheduleRepeats(t *testing.T) {
	const length = 4 * time.Minute
	a := newSchedule(7, 0, length, soakSlots)
	require.Equal(t, a, newSchedule(7, 0, length, soakSlots))
	require.Equal(t, a.String(), newSchedule(7, 0, length, soakSlots).String())
	require.NotEqual(t, a, newSchedule(8, 0, length, soakSlots))
	require.NotEqual(t, a, newSchedule(7, 1, length, soakSlots))
}

// TestScheduleEnough holds the faults of a run of the length that is the default against
// what such a run is to show.
func TestScheduleEnough(t *testing.T) {
	n := newSchedule(1, 0, 4*time.Minute, soakSlots).planned()
	require.GreaterOrEqual(t, len(soakSlots), 8)
	require.GreaterOrEqual(t, n[kill], 200)
	require.GreaterOrEqual(t, n[pause], 50)
	require.GreaterOrEqual(t, n[serverKill], 10)
	for f, n := range n {
		require.Positive(t, n, "%v", fault(f))
	}
}

// TestScheduleOfHands keeps the operator within what leases allow, and one thing at a time
// on a store.
func TestScheduleOfHands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := time.Duration(rapid.Int64Range(0, int64(6*time.Minute)).Draw(t, "length"))
		s := newSchedule(rapid.Uint64().Draw(t, "seed"), 0, length, soakSlots)
		busy := map[string][]span{}
		for _, e := range s {
			switch {
			case e.Fault == serverKill:
				busy[mariadb] = append(busy[mariadb], span{e.At, e.At + e.For})
				continue
			case e.Fault == failover:
				busy[pair] = append(busy[pair], span{e.At - failoverSpan, e.At})
				continue
			case e.Fault < rename:
				continue
			}
			require.Equal(t, e.Table.store, e.queue())
			busy[e.queue()] = append(busy[e.queue()], span{e.At, e.At + e.For})
			switch e.Fault {
			case truncate, restore:
				require.False(t, e.Table.durable, "%v", e)
			case vanish:
				require.Positive(t, e.For)
			case edit:
				require.True(t, e.Table.durable || e.Edit != releaseLease, "%v", e)
			}
		}
		for store, spans := range busy {
			slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
			for i, s := range spans[min(1, len(spans)):] {
				require.GreaterOrEqual(t, s.from, spans[i].to, "%s", store)
			}
		}
	})
}

func TestSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := time.Duration(rapid.Int64Range(0, int64(6*time.Minute)).Draw(t, "length"))
		s := newSchedule(rapid.Uint64().Draw(t, "seed"), 0, length, soakSlots)
		if length > quietStart+quietEnd {
			require.NotEmpty(t, s)
		}
		last := time.Duration(0)
		free := make([]time.Duration, len(soakSlots))
		for _, e := range s {
			require.GreaterOrEqual(t, e.At, last)
			last = e.At
			switch {
			case e.Fault <= restart:
				require.GreaterOrEqual(t, e.At, free[e.Slot], "a process has one fault at a time")
				free[e.Slot] = e.At + e.For
				if e.Fault == pause {
					require.GreaterOrEqual(t, e.For, leaseTTL)
				}
			case e.Fault == setClock:
				stray := soakSlots[e.Slot].Stray
				require.True(t, -stray <= e.By && e.By <= stray)
			}
		}
	})
}
