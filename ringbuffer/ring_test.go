package ringbuffer

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
)

// worker is the worker ID of the runs that tests put, where the layout has room for it.
const worker = 1

// newRing returns an empty ring.
func newRing(t testing.TB, slots, sequenceBits, workerBits int) *Ring {
	r, err := New(Config{Slots: slots, SequenceBits: sequenceBits, WorkerBits: workerBits})
	require.NoError(t, err)
	return r
}

// runOf returns the first UID of a tick.
func runOf(r *Ring, tick uint64) uint64 {
	return tick<<r.valBits | workerOf(r)<<r.seqBits
}

func workerOf(r *Ring) uint64 {
	if r.valBits > r.seqBits {
		return worker
	}
	return 0
}

// put puts a tick, and restart restarts a ring at one, under the worker ID of runOf.
func put(r *Ring, tick uint64) error               { return r.Put(tick, workerOf(r)) }
func restart(r *Ring, tick, sequence uint64) error { return r.Restart(tick, workerOf(r), sequence) }

// uidAt returns the UID of a position.
func uidAt(r *Ring, pos uint64) uint64 { return runOf(r, pos>>r.seqBits) | pos&r.seqMask }

// ticksOf returns how many ticks the ring's UIDs have.
func ticksOf(r *Ring) uint64 { return 1 << (63 - r.valBits) }

// startAt puts the run of a tick into an empty ring and opens it there.
func startAt(t testing.TB, r *Ring, tick, sequence uint64) {
	require.NoError(t, restart(r, tick, sequence))
	r.Open()
}

// fill puts runs until the ring is full, and returns how many.
func fill(t testing.TB, r *Ring) (n int) {
	for {
		err := put(r, r.Tail())
		if err == ErrFull {
			return n
		}
		require.NoError(t, err)
		n++
		require.LessOrEqual(t, n, r.Runs())
	}
}

// draw takes a UID as a caller without patience does.
func draw(r *Ring) (v, pos uint64, s State) {
	v, pos, ok := r.Take()
	if ok {
		return v, pos, Taken
	}
	v, s = r.Resolve(pos)
	return v, pos, s
}

// requireTaken draws and requires the UID of a tick and sequence.
func requireTaken(t testing.TB, r *Ring, tick, sequence uint64) {
	v, pos, s := draw(r)
	require.Equal(t, Taken, s)
	require.Equal(t, tick<<r.seqBits|sequence, pos)
	require.Equal(t, runOf(r, tick)|sequence, v)
}

// requireNone draws and requires that there is nothing, for this reason. It returns the position.
func requireNone(t testing.TB, r *Ring, why State) uint64 {
	t.Helper()
	v, pos, s := draw(r)
	require.Equal(t, why, s)
	require.Zero(t, v)
	return pos
}

// requireWorth requires what positions are worth that were claimed.
func requireWorth(t testing.TB, r *Ring, want State, positions ...uint64) {
	t.Helper()
	for _, pos := range positions {
		v, s := r.Resolve(pos)
		require.Equal(t, want, s, "position %d", pos)
		if s == Taken {
			require.Equal(t, uidAt(r, pos), v)
		} else {
			require.Zero(t, v)
		}
	}
}

// view is everything that can be seen of a ring without claiming.
type view struct {
	flags                                                   []uint64
	cursor, front, tail, position, claimed, buffered, ready uint64
	shut, room                                              bool
}

func look(r *Ring) view {
	v := view{
		cursor: r.cursor.Load(), front: r.front.Load(), tail: r.Tail(),
		position: r.Position(), claimed: r.Claimed(), buffered: r.Buffered(), ready: r.Ready(),
		shut: r.IsShut(), room: r.hasRoom(),
	}
	for i := range r.slots {
		v.flags = append(v.flags, r.slots[i].flag.Load())
	}
	return v
}

func TestNew(t *testing.T) {
	for _, c := range []Config{
		{Slots: 1}, {Slots: 2}, {Slots: 8, SequenceBits: 13, WorkerBits: 22}, {Slots: 1 << 16},
		{Slots: 1, SequenceBits: 62}, {Slots: 1, WorkerBits: 62}, {Slots: 1, SequenceBits: 31, WorkerBits: 31},
	} {
		r, err := New(c)
		require.NoError(t, err, "%+v", c)
		require.Equal(t, c.Slots, r.Runs())
		flags := slices.Repeat([]uint64{noRun}, c.Slots)
		require.Equal(t, view{flags: flags, cursor: shut, front: noRun, shut: true, room: true}, look(r))
		require.Equal(t, uint64(1)<<c.SequenceBits, r.Left(0))
	}
	for _, c := range []Config{
		{}, {Slots: -1}, {Slots: -8}, {Slots: 3}, {Slots: 6}, {Slots: 1<<16 - 1}, {Slots: 1<<16 + 1}, {Slots: 1 << 17},
		{Slots: math.MaxInt}, {Slots: math.MinInt},
	} {
		r, err := New(c)
		require.Nil(t, r)
		logtest.Error(t, err, uid.ErrConfig, fmt.Sprint(c.Slots, " slots"), "1 to 65536")
	}
	for _, c := range []Config{
		{SequenceBits: -1}, {WorkerBits: -1}, {SequenceBits: 63}, {WorkerBits: 63}, {SequenceBits: 64},
		{WorkerBits: 64},
		{SequenceBits: 62, WorkerBits: 1}, {SequenceBits: 1, WorkerBits: 62}, {SequenceBits: 32, WorkerBits: 31},
		{SequenceBits: -1, WorkerBits: 63}, {SequenceBits: 63, WorkerBits: -1},
		{SequenceBits: math.MaxInt, WorkerBits: math.MaxInt}, {SequenceBits: math.MaxInt, WorkerBits: 1},
		{SequenceBits: 1, WorkerBits: math.MaxInt}, {SequenceBits: math.MinInt, WorkerBits: math.MinInt},
	} {
		c.Slots = 8
		r, err := New(c)
		require.Nil(t, r)
		text := fmt.Sprintf("%d sequence bits and %d worker bits", c.SequenceBits, c.WorkerBits)
		logtest.Error(t, err, uid.ErrConfig, text, "62")
	}
}

// shapes are the runs of the original's ring of single UIDs, the shortest real ones,
// and the default layout's.
var shapes = []struct{ sequenceBits, workerBits int }{{0, 0}, {0, 22}, {1, 0}, {1, 22}, {13, 22}, {13, 0}}

func TestTakeInOrder(t *testing.T) {
	for _, shape := range shapes {
		for _, slots := range []int{1, 2, 8} {
			t.Run(fmt.Sprintf("%d,%d/%d", shape.sequenceBits, shape.workerBits, slots), func(t *testing.T) {
				r := newRing(t, slots, shape.sequenceBits, shape.workerBits)
				const first = 1000
				startAt(t, r, first, 0)
				length := r.seqMask + 1
				for want := uint64(first << shape.sequenceBits); want < (first+20)*length; want++ {
					if r.Buffered() == 0 {
						require.Equal(t, slots, fill(t, r))
					}
					v, pos, s := draw(r)
					if s != Taken || pos != want || v != uidAt(r, want) {
						require.FailNow(t, "wrong take", "%#x at %d is %v, want %#x at %d", v, pos, s, uidAt(r, want),
							want)
					}
				}
			})
		}
	}
}

// Only the first take of each run leaves the fast path, and only it is told that it
// enters the run.
func TestTakeFast(t *testing.T) {
	r := newRing(t, 4, 4, 3)
	startAt(t, r, 5, 3)
	fill(t, r)
	for pos := uint64(5<<4 | 3); pos < 9<<4; pos++ {
		v, got, ok := r.Take()
		require.Equal(t, pos, got)
		require.Equal(t, pos&15 == 0, r.Enters(pos))
		require.Equal(t, 16-pos&15, r.Left(pos))
		require.Equal(t, pos>>4, r.Tick(pos))
		require.Equal(t, pos&15 != 0, ok, "nobody knows a run yet of which it is the first")
		if ok {
			require.Equal(t, uidAt(r, pos), v)
		} else {
			requireWorth(t, r, Taken, pos)
		}
	}
}

// A run may be put under another worker ID than the one before it.
func TestTakeWorkerChanges(t *testing.T) {
	r := newRing(t, 4, 1, 8)
	require.NoError(t, r.Restart(7, 255, 0))
	require.NoError(t, r.Put(8, 3))
	require.NoError(t, r.Put(9, 0))
	r.Open()
	for _, want := range []uint64{7<<9 | 255<<1, 7<<9 | 255<<1 | 1, 8<<9 | 3<<1, 8<<9 | 3<<1 | 1, 9 << 9, 9<<9 | 1} {
		v, _, s := draw(r)
		require.Equal(t, Taken, s)
		require.Equal(t, want, v)
	}
}

func TestTakeShut(t *testing.T) {
	for _, shape := range shapes {
		r := newRing(t, 2, shape.sequenceBits, shape.workerBits)
		for range 3 {
			requireNone(t, r, NotOpen)
		}
		startAt(t, r, 0, 0)
		requireTaken(t, r, 0, 0)
		r.Shut()
		before := look(r)
		for range 3 {
			requireNone(t, r, NotOpen)
		}
		requireWorth(t, r, NotOpen, r.Claim(r.Left(0)))
		after := look(r)
		after.cursor = before.cursor
		require.Equal(t, before, after, "claims on a shut ring move nothing")
	}
}

// A ring that nothing was put into has nothing to be opened for.
func TestOpenUnused(t *testing.T) {
	r := newRing(t, 2, 1, 1)
	r.Open()
	require.True(t, r.IsShut())
	requireNone(t, r, NotOpen)
	require.NoError(t, put(r, 0))
	r.Open()
	require.False(t, r.IsShut())
	requireTaken(t, r, 0, 0)
}

// A claim beyond the tail is the claimant's for good.
func TestAhead(t *testing.T) {
	for _, shape := range shapes {
		r := newRing(t, 2, shape.sequenceBits, shape.workerBits)
		startAt(t, r, 40, r.seqMask)
		requireTaken(t, r, 40, r.seqMask)
		require.Zero(t, r.Buffered())
		require.Zero(t, r.Ready())
		var tickets []uint64
		for range 3 {
			tickets = append(tickets, requireNone(t, r, Ahead))
		}
		require.Zero(t, r.Buffered())
		require.Zero(t, r.Ready())
		requireWorth(t, r, Ahead, tickets...) // asking again changes nothing
		for _, pos := range tickets {
			if r.Tick(pos) == r.Tail() {
				require.NoError(t, put(r, r.Tail()))
			}
			requireWorth(t, r, Taken, pos)
		}
		_, pos, _ := draw(r)
		require.Equal(t, tickets[2]+1, pos, "behind the tickets")
	}
}

// A ticket is good as long as its run is in the ring, and void when it has been
// lapped or passed over.
func TestMissed(t *testing.T) {
	r := newRing(t, 2, 1, 2)
	startAt(t, r, 10, 1)
	paused := r.Claim(1)
	fill(t, r)
	requireTaken(t, r, 11, 0)
	fill(t, r)
	requireWorth(t, r, Missed, paused) // tick 12 lies in its slot

	requireTaken(t, r, 11, 1)
	ticket := r.Claim(2) // 12
	next := r.Claim(2)   // 13, beyond the tail
	requireWorth(t, r, Ahead, next)
	r.Shut()
	require.NoError(t, restart(r, 15, 0)) // 12 was in slot 0, and slot 1 gets 15
	r.Open()
	requireWorth(t, r, Taken, ticket, ticket+1) // their run is still there
	requireWorth(t, r, Missed, next, next+1)    // 13 will never be published
	requireTaken(t, r, 15, 0)
}

func TestClaimMany(t *testing.T) {
	r := newRing(t, 4, 2, 5)
	startAt(t, r, 100, 1)
	require.NoError(t, put(r, 101))
	check := func(n, first uint64, want ...State) {
		t.Helper()
		require.Equal(t, first, r.Claim(n))
		require.Equal(t, first+n, r.Position())
		for i, state := range want {
			requireWorth(t, r, state, first+uint64(i))
		}
	}
	check(1, 401, Taken)
	check(2, 402, Taken, Taken)               // to the end of a run
	check(3, 404, Taken, Taken, Taken)        // within one
	check(4, 407, Taken, Ahead, Ahead, Ahead) // over its end and the tail
	check(4, 411, Ahead, Ahead, Ahead, Ahead) // over a boundary beyond the tail
	require.NoError(t, put(r, 102))
	check(1, 415, Ahead)
	requireWorth(t, r, Taken, 408, 409, 410, 411)
	require.EqualValues(t, 15, r.Claimed())
}

func TestPut(t *testing.T) {
	for _, shape := range shapes {
		for _, slots := range []int{1, 2, 8} {
			r := newRing(t, slots, shape.sequenceBits, shape.workerBits)
			for i := range slots {
				require.True(t, r.hasRoom())
				require.NoError(t, put(r, uint64(i)))
				require.EqualValues(t, i+1, r.Tail())
				require.EqualValues(t, uint64(i+1)<<shape.sequenceBits, r.Buffered())
				require.Zero(t, r.Ready(), "shut")
			}
			requireFull := func() {
				require.False(t, r.hasRoom())
				before := look(r)
				require.ErrorIs(t, put(r, r.Tail()), ErrFull)
				require.Equal(t, before, look(r))
			}
			requireFull()
			r.Open()
			requireFull()
			require.Equal(t, r.Buffered(), r.Ready())
			// The slot of the first run is free when its last position is claimed, and not
			// before.
			for range r.seqMask {
				r.Claim(1)
				if r.Claimed()%1000 == 1 {
					requireFull()
				}
			}
			requireFull()
			r.Claim(1)
			require.True(t, r.hasRoom())
			require.NoError(t, put(r, r.Tail()))
			requireFull()
			r.Shut()
			requireFull()
		}
	}
}

func TestPutRefuses(t *testing.T) {
	r := newRing(t, 4, 3, 2)
	startAt(t, r, 6, 2)
	before := look(r)
	for _, c := range []struct {
		tick, worker uint64
		text         string
	}{
		{6, 1, "put of tick 6 at tail 7"},
		{8, 1, "put of tick 8 at tail 7"},
		{0, 1, "put of tick 0 at tail 7"},
		{7, 4, "worker ID 4 does not fit into 2 bits"},
		{7, math.MaxUint64, "worker ID 18446744073709551615 does not fit into 2 bits"},
		{1 << 58, 1, "tick 288230376151711744 does not fit into 58 bits"},
		{7 | 1<<59, 1, "does not fit into 58 bits"},
		{math.MaxUint64, 1, "tick 18446744073709551615 does not fit into 58 bits"},
	} {
		require.ErrorContains(t, r.Put(c.tick, c.worker), c.text)
		require.NotErrorIs(t, r.Put(c.tick, c.worker), ErrFull)
		require.Equal(t, before, look(r))
	}
}

func TestShutAndOpen(t *testing.T) {
	r := newRing(t, 2, 2, 0)
	startAt(t, r, 3, 0)
	require.NoError(t, put(r, 4))
	requireTaken(t, r, 3, 0)
	r.Open() // open already
	requireTaken(t, r, 3, 1)
	require.EqualValues(t, 2, r.Claimed())
	for i := range uint64(3) {
		r.Shut()
		require.True(t, r.IsShut())
		require.Zero(t, r.Ready())
		require.EqualValues(t, 3<<2+2+i, r.Position())
		require.EqualValues(t, 6-i, r.Buffered())
		require.EqualValues(t, 2+i, r.Claimed())
		void := r.Claim(2)
		r.Shut() // shut already
		requireNone(t, r, NotOpen)
		require.EqualValues(t, 2+i, r.Claimed())
		require.EqualValues(t, 3<<2+2+i, r.Position())
		r.Open()
		require.False(t, r.IsShut())
		requireWorth(t, r, NotOpen, void) // still
		require.EqualValues(t, 6-i, r.Ready())
		if i < 2 {
			requireTaken(t, r, 3, 2+i)
		} else {
			requireTaken(t, r, 4, 0)
		}
	}
	// Claims beyond the tail are kept over a shut, too.
	r.Claim(4)
	r.Shut()
	require.EqualValues(t, 5<<2|1, r.Position())
	require.Zero(t, r.Buffered())
	r.Open()
	require.NoError(t, put(r, 5))
	requireWorth(t, r, Taken, 5<<2)
	requireTaken(t, r, 5, 1)
}

func TestSkip(t *testing.T) {
	r := newRing(t, 4, 3, 1)
	startAt(t, r, 8, 0)
	fill(t, r) // 8 to 11
	requireTaken(t, r, 8, 0)
	require.ErrorContains(t, r.Skip(9, 0), "open ring cannot be moved")
	r.Shut()
	before := look(r)
	for _, tick := range []uint64{0, 4, 7, 12, 13, 1 << 40, 1<<59 - 1, 1 << 59, 1<<59 + 8, 1 << 63, math.MaxUint64} {
		require.ErrorContains(t, r.Skip(tick, 0), fmt.Sprintf("skip to tick %d, which is not in the ring; tail 12",
			tick))
		require.Equal(t, before, look(r))
	}
	for _, sequence := range []uint64{8, 9, 1 << 32, 1 << 60, math.MaxUint64} {
		require.ErrorContains(t, r.Skip(9, sequence), fmt.Sprintf("sequence %d, the largest is 7", sequence))
		require.Equal(t, before, look(r))
	}
	// Nothing is gone back to.
	require.NoError(t, r.Skip(8, 0))
	require.Equal(t, before, look(r))
	require.NoError(t, r.Skip(8, 1))
	require.Equal(t, before, look(r), "where it stands")
	// Onwards within the run, to a later one, and to the last.
	require.NoError(t, r.Skip(8, 5))
	require.EqualValues(t, 8<<3|5, r.Position())
	require.NoError(t, r.Skip(10, 7))
	require.EqualValues(t, 10<<3|7, r.Position())
	require.EqualValues(t, 1+8, r.Buffered())
	require.EqualValues(t, 1, r.Claimed(), "what was passed over was not claimed")
	require.NoError(t, r.Skip(9, 7))
	require.EqualValues(t, 10<<3|7, r.Position())
	require.NoError(t, r.Skip(11, 2))
	r.Open()
	v, pos, ok := r.Take()
	require.True(t, ok, "the first take knows the run")
	require.EqualValues(t, 11<<3|2, pos)
	require.Equal(t, uidAt(r, pos), v)
	requireTaken(t, r, 11, 3)
	require.Equal(t, 3, fill(t, r), "8, 9 and 10 made room")
}

// Skip must not take the empty slots of a new ring for the tick that follows the last
// one.
func TestSkipEmpty(t *testing.T) {
	for _, shape := range shapes {
		r := newRing(t, 2, shape.sequenceBits, shape.workerBits)
		before := look(r)
		for _, tick := range []uint64{0, 1, ticksOf(r) - 1, ticksOf(r), ticksOf(r) + 1, 1 << 63, math.MaxUint64} {
			require.ErrorContains(t, r.Skip(tick, 0), "not in the ring")
			require.Equal(t, before, look(r))
		}
	}
}

func TestRestart(t *testing.T) {
	r := newRing(t, 4, 3, 1)
	startAt(t, r, 8, 0)
	require.NoError(t, put(r, 9))
	requireTaken(t, r, 8, 0)
	before := look(r)
	require.ErrorContains(t, restart(r, 20, 0), "open ring cannot be moved")
	require.Equal(t, before, look(r))
	r.Shut()
	before = look(r)
	for _, tick := range []uint64{0, 8, 9} {
		require.ErrorContains(t, restart(r, tick, 0), fmt.Sprintf("restart at tick %d, below tail 10", tick))
	}
	for _, sequence := range []uint64{8, 1 << 63} {
		require.ErrorContains(t, restart(r, 20, sequence), fmt.Sprintf("sequence %d, the largest is 7", sequence))
	}
	for _, tick := range []uint64{1 << 59, 20 | 1<<59, math.MaxUint64} {
		require.ErrorContains(t, r.Restart(tick, 1, 0), fmt.Sprintf("tick %d does not fit into 59 bits", tick))
	}
	for _, worker := range []uint64{2, 1 << 63, math.MaxUint64} {
		require.ErrorContains(t, r.Restart(20, worker, 0), fmt.Sprintf("worker ID %d does not fit into 1 bits", worker))
	}
	require.Equal(t, before, look(r))

	// At the tail itself, behind a gap, and behind one of more than a lap.
	for _, tick := range []uint64{10, 13, 1000} {
		require.NoError(t, restart(r, tick, 6))
		require.Equal(t, tick+1, r.Tail())
		require.Equal(t, tick<<3|6, r.Position())
		require.EqualValues(t, 2, r.Buffered())
	}
	require.ErrorContains(t, r.Skip(999, 0), "skip to tick 999, which is not in the ring; tail 1001")
	require.EqualValues(t, 1, r.Claimed())
	require.Equal(t, 3, fill(t, r))
	r.Open()
	v, pos, ok := r.Take()
	require.True(t, ok, "the first take knows the run")
	require.Equal(t, uidAt(r, 1000<<3|6), v)
	require.EqualValues(t, 1000<<3|6, pos)
	requireTaken(t, r, 1000, 7)
	requireTaken(t, r, 1001, 0)
}

// Restart does not go back behind claims that ran ahead of the tail.
func TestRestartBehindTickets(t *testing.T) {
	r := newRing(t, 2, 1, 0)
	startAt(t, r, 4, 0)
	first := r.Claim(2)
	for range 3 {
		r.Claim(2) // 5, 6, 7
	}
	r.Shut()
	require.NoError(t, restart(r, 6, 0))
	require.EqualValues(t, 8<<1, r.Position())
	require.Zero(t, r.Buffered())
	require.NoError(t, put(r, 7))
	r.Open()
	requireWorth(t, r, Missed, first, 5<<1)
	requireWorth(t, r, Taken, 6<<1, 7<<1)
	requireWorth(t, r, Ahead, 8<<1)
	require.EqualValues(t, 8<<1, requireNone(t, r, Ahead))
}
