package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/test/record"
)

// A bench is a checker of one process, and what it needs.
type bench struct {
	*checker
	t    *testing.T
	seen [record.Kinds]uint64
}

func newBench(t *testing.T, m *memory, incarnation uint32) *bench {
	granted := newGrants()
	now := m.Layout.TickAt(time.Now())
	granted.add(uid.Reservation{WorkerID: 5, First: now - 20, Last: now + 20})
	b := &bench{checker: newChecker(m, newClock(nil), record.NewDrawer(incarnation, 0), granted), t: t}
	b.ordered, b.lag, b.lead = true, 10, 10
	return b
}

// uid returns one whose tick is so many ticks after the checker's start.
func (b *bench) uid(ticks, workerID, sequence int64) uid.UID {
	u, err := soakLayout.Compose(b.memory.Layout.TickAt(b.clock.at(0))+ticks, workerID, sequence)
	require.NoError(b.t, err)
	return u
}

// found requires that nothing was found since it was called last, but n violations of a
// kind.
func (b *bench) found(want record.Kind, n uint64) {
	b.t.Helper()
	for k := range record.Kinds {
		more := b.memory.Found(k) - b.seen[k]
		b.seen[k] += more
		if k == want {
			require.Equal(b.t, n, more, "%v", k)
		} else {
			require.Zero(b.t, more, "%v", k)
		}
	}
}

func TestChecker(t *testing.T) {
	m := newTestMemory(t)
	b := newBench(t, m, 1)
	b.note(b.uid(0, 5, 0))
	b.note(b.uid(0, 5, 1))
	b.note(b.uid(1, 5, 7))
	b.found(record.Duplicate, 0)

	b.ordered = false
	b.note(b.uid(0, 5, 1))
	b.found(record.Duplicate, 1)
	b.ordered = true
	b.note(b.uid(0, 5, 9))
	b.note(b.uid(0, 5, 8))
	b.found(record.Disorder, 1)
	b.note(b.uid(2, 6, 0))
	b.found(record.ForeignID, 1)
	b.note(b.uid(100_000, 5, 0))
	b.found(record.Outside, 1)
	b.note(b.uid(9, 5, 0))
	b.found(record.Early, 0)
	b.lead = 5
	b.note(b.uid(15, 5, 0))
	b.found(record.Early, 1)
	b.lead = 100
	b.note(b.uid(60, 5, 0))
	b.found(record.Unreserved, 1)
	b.prev = -1
	b.note(b.uid(-60, 5, 0))
	b.found(record.Unreserved, 1)

	other := newBench(t, m, 2)
	other.seen = b.seen
	other.note(other.uid(0, 5, 100))
	other.found(record.SharedTick, 1)
	all := m.Violations()
	last := all[len(all)-1]
	require.Equal(t, record.NewDrawer(2, 0), last.Drawn())
	require.Equal(t, b.uid(60, 5, 0)>>(sequenceBits+storeBits+idBits), uid.UID(m.Newest(5)))
}

// TestTimely goes behind the clock for a while.
func TestTimely(t *testing.T) {
	b := newBench(t, newTestMemory(t), 1)
	b.note(b.uid(0, 5, 0))
	const s = time.Second
	b.timely(0, s/10)
	b.timely(2*s, 2*s) // a second more than MaxLag
	b.timely(2*s+grace-1, 2*s+grace)
	b.found(record.Late, 0)
	b.timely(2*s+grace, 2*s+grace)
	b.found(record.Late, 1)
	b.paused()
	b.timely(9*s, 9*s)
	b.timely(10*s, 10*s)
	b.found(record.Late, 0)
	b.timely(0, 0) // in time
	b.timely(11*s, 11*s)
	b.timely(12*s, 12*s)
	b.found(record.Late, 0)
}
