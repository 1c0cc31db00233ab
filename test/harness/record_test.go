package harness

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/uidgen/uid"
)

// own is what these tests keep beside a record.
type own struct{ n [3]atomic.Int64 }

func newTestRecord(t testing.TB) (*Record, *own) {
	g := must(NewGeometry(testLayout, time.Now().Add(-time.Minute), time.Now().Add(time.Minute)))
	g.Numbers = 1000
	r, o, err := OpenRecord[own](g, nil)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	return r, o
}

// uidAt returns a UID of a tick after the record's first one.
func uidAt(r *Record, tick, id, sequence int64) uid.UID {
	return must(testLayout.Compose(r.First+tick, id, sequence))
}

// Whatever is drawn twice is found, in whatever process, and nothing else.
func TestMark(t *testing.T) {
	r, o := newTestRecord(t)
	a, b := NewDrawer(1, 0), NewDrawer(2, 0)
	for tick := range int64(3) {
		for sequence := range int64(64) {
			r.Mark(uidAt(r, tick, 5, sequence), a)
			r.Mark(uidAt(r, tick, 6, sequence), b)
		}
	}
	require.False(t, r.AnyFound())
	require.Equal(t, r.First+2, r.Newest(5))
	require.EqualValues(t, -1, r.Newest(7))

	// It is another process's memory, too.
	other, theirs, err := OpenRecord[own](r.Geometry, r.File())
	require.NoError(t, err)
	o.n[2].Store(9)
	require.EqualValues(t, 9, theirs.n[2].Load())
	other.Mark(uidAt(r, 1, 6, 3), b)
	require.EqualValues(t, 1, r.Found(Duplicate), "a UID again, in one process")
	other.Mark(uidAt(r, 3, 6, 0), NewDrawer(3, 0))
	other.Mark(uidAt(r, 3, 6, 2), NewDrawer(3, 1))
	require.EqualValues(t, 0, r.Found(SharedTick), "two goroutines of a process")
	other.Mark(uidAt(r, 3, 6, 1), NewDrawer(4, 0))
	require.EqualValues(t, 1, r.Found(SharedTick), "a tick of two processes, though the UIDs differ")
	require.EqualValues(t, 1, r.Found(Duplicate))
	v := r.Violations()[1]
	require.Equal(t, SharedTick, v.Kind())
	require.Equal(t, NewDrawer(4, 0), v.Drawn())
	require.EqualValues(t, NewDrawer(3, 0), v.owner)
	require.EqualValues(t, NewDrawer(3, 0), v.bound)
	require.NoError(t, unix.Munmap(other.data))

	require.Zero(t, r.Found(Outside))
	r.Mark(uidAt(r, -1, 1, 0), a)
	r.Mark(uidAt(r, r.Ticks, 1, 0), a)
	r.Mark(-1, a)
	require.EqualValues(t, 3, r.Found(Outside))
}

// holes are what Holes says, as pairs.
func holes(r *Record, first, next int64) (all [][2]int64) {
	for from, to := range r.Holes(first, next) {
		all = append(all, [2]int64{from, to})
	}
	return all
}

// So is a number, and what was skipped.
func TestMarkNumber(t *testing.T) {
	r, _ := newTestRecord(t)
	a, b := NewDrawer(1, 0), NewDrawer(2, 0)
	mark := func(first, last int64, by Drawer) {
		for n := first; n <= last; n++ {
			r.MarkNumber(n, by)
		}
	}
	require.Equal(t, [][2]int64{{1, 999}}, holes(r, 1, 1000))
	mark(1, 63, a)
	mark(64, 64, b)
	mark(66, 700, a)
	mark(999, 999, b)
	require.False(t, r.AnyFound())
	require.Equal(t, [][2]int64{{0, 0}, {65, 65}, {701, 998}}, holes(r, 0, 1000))
	require.Equal(t, [][2]int64{{65, 65}, {701, 701}}, holes(r, 1, 702))
	require.Empty(t, holes(r, 66, 701))
	mark(699, 702, b)
	require.EqualValues(t, 2, r.Found(Duplicate))
	name := func(d Drawer) string { return fmt.Sprint(d.Process()) }
	require.Equal(t, "duplicate: number 700 was drawn by 2", r.Describe(r.Violations()[1], name))
	mark(0, 999, a) // more than are recorded
	require.EqualValues(t, 2+1000-1-1-296, r.Found(Duplicate))
	require.Len(t, r.Violations(), maxViolations)
	mark(1000, 1000, a)
	mark(-1, -1, a)
	require.EqualValues(t, 2, r.Found(Outside))
}

// TestCountBits counts bits far apart.
func TestCountBits(t *testing.T) {
	r, _ := newTestRecord(t)
	set, bytes, err := r.Count()
	require.NoError(t, err)
	require.Zero(t, set)
	require.Zero(t, bytes)
	for _, bit := range []int64{0, 1, 64, 1 << 20, r.Size() - 1} {
		r.words[bit/64] |= 1 << (bit % 64)
	}
	set, bytes, err = r.Count()
	require.NoError(t, err)
	require.EqualValues(t, 5, set)
	require.Less(t, bytes, int64(1<<20))
}
