package ringbuffer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// everyWidth calls f with a new ring for each pair of widths that there is.
func everyWidth(t *testing.T, slots int, f func(r whole)) {
	for s := 0; s <= 62; s++ {
		for w := 0; w <= 62-s; w++ {
			r := newRing(t, slots, s, w)
			f(r)
			if t.Failed() {
				t.Logf("with %d sequence bits and %d worker bits", s, w)
				return
			}
		}
	}
}

// The two words that stand for "nothing" are beyond every run and every position, for
// all widths.
func TestNothingMatches(t *testing.T) {
	everyWidth(t, 1, func(r whole) {
		end := ticksOf(r) << r.seqBits // the first position behind the last tick's
		last := runOf(r, ticksOf(r)-1) | r.seqMask
		fast := func(run, pos uint64) bool {
			return pos^run>>r.valBits<<r.seqBits <= r.seqMask // as Take judges
		}
		// A run is a UID, and none is an empty slot's flag, whose tick is the one that
		// follows the last.
		if last>>63 != 0 || last >= noRun || uint64(noRun)>>r.valBits != ticksOf(r) || end > shut {
			require.Fail(t, "a UID is beyond its range")
		}
		for _, void := range []uint64{shut, shut + 1, shut + r.seqMask, shut + 1<<61, 1<<64 - 1} {
			// Claims on a shut ring match neither a run nor noRun.
			for _, run := range []uint64{0, runOf(r, 0), runOf(r, ticksOf(r)-1), last &^ r.seqMask, noRun} {
				if fast(run, void) {
					require.Fail(t, "a void claim is taken", "run %#x, claim %#x", run, void)
				}
			}
			if v, s := r.Resolve(void); s != NotOpen || v != 0 {
				require.Fail(t, "a void claim is worth something", "claim %#x: %v", void, s)
			}
		}
		// No position of the layout is taken for one of no run.
		for _, pos := range []uint64{0, r.seqMask, end / 2, end - 1 - r.seqMask, end - 1} {
			if fast(noRun, pos) {
				require.Fail(t, "no run is taken for a run", "claim %#x", pos)
			}
		}
	})
}

// The last tick is issued in full, and behind it there is nothing, whatever lies in
// the slots.
func TestLastTick(t *testing.T) {
	everyWidth(t, 2, func(r whole) {
		lastTick := ticksOf(r) - 1
		end := ticksOf(r) << r.seqBits
		require.NoError(t, restart(r, lastTick, r.seqMask/2))
		r.Open()
		require.Equal(t, ticksOf(r), r.Tail())
		require.Equal(t, r.seqMask-r.seqMask/2+1, r.Buffered())
		require.Equal(t, r.Buffered(), r.Ready())
		for _, tick := range []uint64{lastTick, lastTick + 1, lastTick + 2, 0} {
			before := r.Tail()
			err := r.Put(tick, 0)
			require.True(t, err != nil && err != ErrFull && r.Tail() == before, "put of tick %d: %v", tick, err)
		}
		v, _, s := draw(r)
		require.True(t, s == Taken && v == runOf(r, lastTick)|r.seqMask/2, "%#x is %v", v, s)
		// In three claims to the last position, which lies in the tick if it is not the
		// one that was just taken.
		left := end - r.Position()
		for left > 0 {
			n := (left + 1) / 2
			pos := r.Claim(n) + n - 1
			left -= n
			v, s := r.Resolve(pos)
			require.True(t, s == Taken && v == uidAt(r, pos) && int64(v) >= 0, "%#x at %#x is %v", v, pos, s)
		}
		require.True(t, r.Position() == end && r.Buffered() == 0 && r.Ready() == 0, "%d of %d", r.Position(), end)
		for i := range uint64(3) {
			v, pos, ok := r.Take()
			require.True(t, pos == end+i && !ok, "take %#x behind the end at %#x", v, pos)
			v, s := r.Resolve(pos)
			// Where there are no worker bits, 63 bits of position are used up.
			require.True(t, v == 0 && (s == Ahead || s == NotOpen && end>>63 != 0), "%#x at %#x is %v", v, pos, s)
			require.True(t, r.Buffered() == 0 && r.Ready() == 0, "%d buffered behind the end", r.Buffered())
		}
		r.Shut()
		require.Error(t, r.Skip(ticksOf(r), 0), "skip behind the end")
		require.Equal(t, end+3, r.Position())
	})
}

// Neither does an unresolved claim on every position there is lead anywhere.
func TestClaimEverything(t *testing.T) {
	for _, widths := range [][2]int{{62, 0}, {0, 62}, {1, 61}, {61, 1}, {30, 31}, {0, 60}, {2, 58}} {
		r := newRing(t, 4, widths[0], widths[1])
		for range min(ticksOf(r), 4) {
			require.NoError(t, put(r, r.Tail()))
		}
		r.Open()
		for range ticksOf(r) {
			r.Claim(r.seqMask + 1)
			if r.Tail() < ticksOf(r) {
				require.NoError(t, put(r, r.Tail()))
			}
		}
		v, pos, ok := r.Take()
		require.Equal(t, ticksOf(r)<<r.seqBits, pos)
		require.False(t, ok, "%#x", v)
	}
}

// Positions, ticks and UIDs pass every power of two that a counter of another width
// would wrap at.
func TestAcrossPowersOfTwo(t *testing.T) {
	for _, shape := range shapes {
		for power := 8; power < 63-shape.sequenceBits-shape.workerBits; power++ {
			r := newRing(t, 2, shape.sequenceBits, shape.workerBits)
			first := uint64(1)<<power - 2
			startAt(t, r, first, 0)
			for tick := first; tick < first+5; tick++ {
				fill(t, r)
				requireTaken(t, r, tick, 0)
				for left := r.seqMask; left > 0; left-- {
					if pos := r.Claim(1); left == 1 {
						require.Equal(t, tick<<r.seqBits|r.seqMask, pos)
						requireWorth(t, r, Taken, pos)
					}
				}
			}
		}
	}
}
