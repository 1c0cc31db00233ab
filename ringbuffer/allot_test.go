package ringbuffer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// allotted returns the UIDs that a ring allots to a call that wants n, and their positions.
func allotted(r *Ring, n uint64) (uids, positions []uint64) {
	v, pos, got := r.Allot(n)
	for i := range got {
		uids, positions = append(uids, v+i), append(positions, pos+i)
	}
	return uids, positions
}

// TestAllot: a shut ring allots what is left, in order and no further than a tick goes, and goes on
// behind that when it is opened.
func TestAllot(t *testing.T) {
	r := newRing(t, 4, 2, 3)
	_, _, got := r.Allot(1)
	require.Zero(t, got, "nothing was ever put")
	startAt(t, r, 40, 1)
	require.NoError(t, put(r, 41))
	_, _, got = r.Allot(1)
	require.Zero(t, got, "the ring is open")
	v, _, ok := r.Take()
	require.True(t, ok)
	require.Equal(t, runOf(r, 40)+1, v)

	r.Shut()
	uids, positions := allotted(r, 1)
	require.Equal(t, []uint64{runOf(r, 40) + 2}, uids)
	require.Equal(t, []uint64{40<<2 + 2}, positions)
	_, _, got = r.Allot(0)
	require.Zero(t, got)
	uids, _ = allotted(r, 3)
	require.Equal(t, []uint64{runOf(r, 40) + 3}, uids, "to the end of the tick")
	uids, positions = allotted(r, 3)
	require.Equal(t, []uint64{runOf(r, 41), runOf(r, 41) + 1, runOf(r, 41) + 2}, uids)
	require.Equal(t, []uint64{41 << 2, 41<<2 + 1, 41<<2 + 2}, positions)
	require.EqualValues(t, 1+1+1+3, r.Claimed())
	require.EqualValues(t, 1, r.Buffered())

	r.Open()
	v, pos, ok := r.Take()
	require.True(t, ok, "front has moved on with what was allotted")
	require.Equal(t, runOf(r, 41)+3, v)
	require.EqualValues(t, 41<<2+3, pos)
	_, pos, _ = r.Take() // runs over the end, and stays valid
	r.Shut()
	_, _, got = r.Allot(1)
	require.Zero(t, got, "the next tick is not published")
	require.NoError(t, put(r, 42))
	uids, _ = allotted(r, 9)
	require.Equal(t, []uint64{runOf(r, 42) + 1, runOf(r, 42) + 2, runOf(r, 42) + 3}, uids)
	v, s := r.Resolve(pos)
	require.Equal(t, Taken, s)
	require.Equal(t, runOf(r, 42), v)
	require.EqualValues(t, 1+1+1+3+1+1+3, r.Claimed())
}

// TestAllotMakesRoom: a ring that has allotted its runs has room for as many, and a gap is not
// allotted.
func TestAllotMakesRoom(t *testing.T) {
	r := newRing(t, 2, 1, 0)
	startAt(t, r, 7, 0)
	r.Shut()
	require.Equal(t, 1, fill(t, r))
	for _, tick := range []uint64{7, 8} {
		uids, _ := allotted(r, 2)
		require.Equal(t, []uint64{tick << 1, tick<<1 + 1}, uids)
	}
	require.Equal(t, 2, fill(t, r))
	require.NoError(t, restart(r, 20, 1))
	uids, _ := allotted(r, 2)
	require.Equal(t, []uint64{20<<1 + 1}, uids)
	_, _, got := r.Allot(1)
	require.Zero(t, got)
}

// TestAllotAtTheEnd: behind the last tick of 63 bits nothing is allotted.
func TestAllotAtTheEnd(t *testing.T) {
	r := newRing(t, 2, 1, 0)
	last := ticksOf(r) - 1
	startAt(t, r, last, 1)
	r.Shut()
	uids, _ := allotted(r, 5)
	require.Equal(t, []uint64{1<<63 - 1}, uids)
	_, _, got := r.Allot(1)
	require.Zero(t, got)
}
