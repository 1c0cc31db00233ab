package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
)

// soakPlaces are those of a soak, without servers.
var soakPlaces = map[string]*place{
	mariadb: {byHand: true, commits: []string{cluster.Commit}, d: engines.One(&cluster.MySQL{}, "", nil, nil, nil)},
	pair: {byHand: true, commits: []string{cluster.Commit}, pair: &cluster.Pair{},
		d: engines.One(nil, "", nil, nil, nil)},
	embedded: {byHand: true, d: &engines.Deployment{}},
}

// The seed, the round and the length make a schedule. One of the length that is the default has the faults that such
// a run is to show.
func TestSchedule(t *testing.T) {
	const length = 4 * time.Minute
	a := newSchedule(7, 0, length, soakSlots, soakPlaces)
	require.Equal(t, a, newSchedule(7, 0, length, soakSlots, soakPlaces))
	require.NotEqual(t, a, newSchedule(8, 0, length, soakSlots, soakPlaces))
	require.NotEqual(t, a, newSchedule(7, 1, length, soakSlots, soakPlaces))
	n := a.planned()
	require.GreaterOrEqual(t, n[kill], 200)
	require.GreaterOrEqual(t, n[pause], 50)
	require.GreaterOrEqual(t, n[serverKill], 10)
	require.GreaterOrEqual(t, n[failover], 4)
}

// Every kind of fault happens in a round of any length, and the operator keeps within what leases allow.
func TestScheduleOfAnyLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shortest := quietStart + quietEnd + time.Millisecond
		length := time.Duration(rapid.Int64Range(int64(shortest), int64(6*time.Minute)).Draw(t, "length"))
		s := newSchedule(rapid.Uint64().Draw(t, "seed"), 0, length, soakSlots, soakPlaces)
		for f, n := range s.planned() {
			require.True(t, n > 0 || fault(f) == isolate || fault(f) == setBack, "%v", fault(f))
		}
		last := time.Duration(0)
		for _, e := range s {
			require.GreaterOrEqual(t, e.At, last)
			last = e.At
			switch e.Fault {
			case pause, serverPause, refuse, mute:
				require.GreaterOrEqual(t, e.For, leaseTTL)
			case setClock:
				require.LessOrEqual(t, e.By.Abs(), soakSlots[e.Slot].Stray)
			case truncate, restore:
				require.Equal(t, lease.ByHistory, e.Space.Losses, "%v", e)
			case vanish, rename:
				require.Positive(t, e.For)
				require.Equal(t, e.Space.Place, e.queue())
			case edit:
				require.True(t, e.Space.Losses == lease.Never || e.Edit != releaseLease, "%v", e)
			}
		}
	})
}
