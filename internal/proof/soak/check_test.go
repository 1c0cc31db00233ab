package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// A bench is a checker of one process, and what it needs.
type bench struct {
	*checker
	t *testing.T
}

func newBench(t *testing.T, m *memory, incarnation uint32) *bench {
	c, err := newClock("")
	require.NoError(t, err)
	granted := newGrants()
	now := m.layout.TickAt(time.Now())
	granted.add(uid.Reservation{WorkerID: 5, First: now - 20, Last: now + 20})
	b := &bench{newChecker(m, c, newDrawer(incarnation, 0), granted), t}
	b.ordered, b.lag, b.lead = true, 10, 10
	return b
}

// uid returns one whose tick is so many ticks after the checker's start.
func (b *bench) uid(ticks, workerID, sequence int64) uid.UID {
	u, err := soakLayout.Compose(b.memory.layout.TickAt(b.clock.at(0))+ticks, workerID, sequence)
	require.NoError(b.t, err)
	return u
}

// found requires violations of one kind only, and forgets them.
func (b *bench) found(want kind, n uint64) {
	b.t.Helper()
	for k := range kinds {
		if k == want {
			require.Equal(b.t, n, b.memory.head.kinds[k].Swap(0), "%v", k)
		} else {
			require.Zero(b.t, b.memory.found(k), "%v", k)
		}
	}
}

func TestChecker(t *testing.T) {
	m := newTestMemory(t)
	b := newBench(t, m, 1)
	b.note(b.uid(0, 5, 0))
	b.note(b.uid(0, 5, 1))
	b.note(b.uid(1, 5, 7))
	b.found(duplicate, 0)

	b.ordered = false
	b.note(b.uid(0, 5, 1))
	b.found(duplicate, 1)
	b.ordered = true
	b.note(b.uid(0, 5, 9))
	b.note(b.uid(0, 5, 8))
	b.found(disorder, 1)
	b.note(b.uid(2, 6, 0))
	b.found(foreignID, 1)
	b.note(b.uid(100_000, 5, 0))
	b.found(outside, 1)
	b.note(b.uid(9, 5, 0))
	b.found(early, 0)
	b.lead = 5
	b.note(b.uid(15, 5, 0))
	b.found(early, 1)
	b.lead = 100
	b.note(b.uid(60, 5, 0))
	b.found(unreserved, 1)
	b.prev = -1
	b.note(b.uid(-60, 5, 0))
	b.found(unreserved, 1)

	other := newBench(t, m, 2)
	other.note(other.uid(0, 5, 100))
	other.found(sharedTick, 1)
	all := m.violations()
	last := all[len(all)-1]
	require.EqualValues(t, newDrawer(2, 0), last.drawn)
	require.EqualValues(t, newDrawer(1, 0), last.owner)
	require.EqualValues(t, newDrawer(1, 0), last.bound)
	require.Equal(t, b.uid(60, 5, 0)>>(sequenceBits+storeBits+idBits), uid.UID(m.last[5].Load()-1))
}

// TestTimely goes behind the clock for a while.
func TestTimely(t *testing.T) {
	b := newBench(t, newTestMemory(t), 1)
	b.note(b.uid(0, 5, 0))
	const s = time.Second
	b.timely(0, s/10)
	b.timely(2*s, 2*s) // a second more than MaxLag
	b.timely(2*s+grace-1, 2*s+grace)
	b.found(late, 0)
	b.timely(2*s+grace, 2*s+grace)
	b.found(late, 1)
	b.paused()
	b.timely(9*s, 9*s)
	b.timely(10*s, 10*s)
	b.found(late, 0)
	b.timely(0, 0) // in time
	b.timely(11*s, 11*s)
	b.timely(12*s, 12*s)
	b.found(late, 0)
}

func TestDescribe(t *testing.T) {
	m := newTestMemory(t)
	by := func(d drawer) string {
		return map[drawer]string{0: "nobody", newDrawer(1, 0): "A", newDrawer(2, 3): "B"}[d]
	}
	b := newBench(t, m, 1)
	u := b.uid(0, 5, 3)
	b.note(u)
	for k := range kinds {
		m.report(k, newDrawer(2, 3), u, 77)
	}
	m.report(outside, newDrawer(2, 3), -1, 77)
	for _, v := range m.violations() {
		text := m.describe(v, by)
		require.Contains(t, text, "B")
		if kind(v.kind) == duplicate {
			require.Contains(t, text, "drawn again by B; the first to draw of this tick and worker ID was A")
		}
	}
	for range 2 * maxViolations {
		m.report(duplicate, newDrawer(2, 3), u, 0)
	}
	require.Len(t, m.violations(), maxViolations)
	require.EqualValues(t, 2*maxViolations+1, m.found(duplicate))
}
