package ringbuffer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// requireAllots requires that a ring allots these positions to a call that wants n, and their UIDs.
func requireAllots(t *testing.T, r *Ring, n uint64, want ...uint64) {
	t.Helper()
	v, first, got := r.Allot(n)
	require.Len(t, want, int(got))
	for i, pos := range want {
		require.Equal(t, pos, first+uint64(i))
		require.Equal(t, uidAt(r, pos), v+uint64(i))
	}
}

// TestAllot: a shut ring allots what is left, in order and no further than a tick goes, and goes on
// behind that when it is opened.
func TestAllot(t *testing.T) {
	r := newRing(t, 4, 2, 3)
	requireAllots(t, r, 1) // nothing was ever put
	startAt(t, r, 40, 1)
	require.NoError(t, put(r, 41))
	requireAllots(t, r, 1) // the ring is open
	v, _, ok := r.Take()
	require.True(t, ok)
	require.Equal(t, runOf(r, 40)+1, v)

	r.Shut()
	requireAllots(t, r, 1, 40<<2+2)
	requireAllots(t, r, 0)
	requireAllots(t, r, 3, 40<<2+3) // to the end of the tick
	requireAllots(t, r, 3, 41<<2, 41<<2+1, 41<<2+2)
	require.EqualValues(t, 1+1+1+3, r.Claimed())
	require.EqualValues(t, 1, r.Buffered())

	r.Open()
	v, pos, ok := r.Take()
	require.True(t, ok, "front has moved on with what was allotted")
	require.Equal(t, runOf(r, 41)+3, v)
	require.EqualValues(t, 41<<2+3, pos)
	_, pos, _ = r.Take() // runs over the end, and stays valid
	r.Shut()
	requireAllots(t, r, 1) // the next tick is not published
	require.NoError(t, put(r, 42))
	requireAllots(t, r, 9, 42<<2+1, 42<<2+2, 42<<2+3)
	require.EqualValues(t, 42<<2, pos)
	requireWorth(t, r, Taken, pos)
	require.EqualValues(t, 1+1+1+3+1+1+3, r.Claimed())
}

// TestAllotMakesRoom: a ring that has allotted its runs has room for as many, and a gap is not
// allotted.
func TestAllotMakesRoom(t *testing.T) {
	r := newRing(t, 2, 1, 0)
	startAt(t, r, 7, 0)
	r.Shut()
	require.Equal(t, 1, fill(t, r))
	requireAllots(t, r, 2, 7<<1, 7<<1+1)
	requireAllots(t, r, 2, 8<<1, 8<<1+1)
	require.Equal(t, 2, fill(t, r))
	require.NoError(t, restart(r, 20, 1))
	requireAllots(t, r, 2, 20<<1+1)
	requireAllots(t, r, 1)
}

// TestAllotAtTheEnd: behind the last tick of 63 bits nothing is allotted.
func TestAllotAtTheEnd(t *testing.T) {
	r := newRing(t, 2, 1, 0)
	startAt(t, r, ticksOf(r)-1, 1)
	r.Shut()
	requireAllots(t, r, 5, 1<<63-1)
	requireAllots(t, r, 1)
}
