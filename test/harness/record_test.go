package harness

import (
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
