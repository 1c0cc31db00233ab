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

// whole is a ring and its producer.
type whole struct {
	*Ring
	*Producer
}

// newRing returns an empty ring.
func newRing(t testing.TB, slots, sequenceBits, workerBits int) whole {
	r, p, err := New(Config{Slots: slots, SequenceBits: sequenceBits, WorkerBits: workerBits})
	require.NoError(t, err)
	return whole{r, p}
}

// runOf returns the first UID of a tick.
func runOf(r whole, tick uint64) uint64 {
	return tick<<r.valBits | workerOf(r)<<r.seqBits
}

func workerOf(r whole) uint64 {
	if r.valBits > r.seqBits {
		return worker
	}
	return 0
}

// put puts a tick, and restart restarts a ring at one, under the worker ID of runOf.
func put(r whole, tick uint64) error               { return r.Put(tick, workerOf(r)) }
func restart(r whole, tick, sequence uint64) error { return r.Restart(tick, workerOf(r), sequence) }

// uidAt returns the UID of a position.
func uidAt(r whole, pos uint64) uint64 { return runOf(r, pos>>r.seqBits) | pos&r.seqMask }

// ticksOf returns how many ticks the ring's UIDs have.
func ticksOf(r whole) uint64 { return 1 << (63 - r.valBits) }

// startAt puts the run of a tick into an empty ring and opens it there.
func startAt(t testing.TB, r whole, tick, sequence uint64) {
	require.NoError(t, restart(r, tick, sequence))
	r.Open()
}

// fill puts runs until the ring is full, and returns how many.
func fill(t testing.TB, r whole) (n int) {
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
func draw(r whole) (v, pos uint64, s State) {
	v, pos, ok := r.Take()
	if ok {
		return v, pos, Taken
	}
	v, s = r.Resolve(pos)
	return v, pos, s
}

// requireTaken draws and requires the UID of a tick and sequence.
func requireTaken(t testing.TB, r whole, tick, sequence uint64) {
	v, pos, s := draw(r)
	require.Equal(t, Taken, s)
	require.Equal(t, tick<<r.seqBits|sequence, pos)
	require.Equal(t, runOf(r, tick)|sequence, v)
}

// requireWorth requires what positions are worth that were claimed.
func requireWorth(t testing.TB, r whole, want State, positions ...uint64) {
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

func look(r whole) view {
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
		ring, producer, err := New(c)
		require.NoError(t, err, "%+v", c)
		r := whole{ring, producer}
		require.Equal(t, c.Slots, r.Runs())
		flags := slices.Repeat([]uint64{noRun}, c.Slots)
		require.Equal(t, view{flags: flags, cursor: shut, front: noRun, shut: true, room: true}, look(r))
		require.Equal(t, uint64(1)<<c.SequenceBits, r.Left(0))
	}
	for _, c := range []Config{
		{}, {Slots: -1}, {Slots: -8}, {Slots: 3}, {Slots: 6}, {Slots: 1<<16 - 1}, {Slots: 1<<16 + 1}, {Slots: 1 << 17},
		{Slots: math.MaxInt}, {Slots: math.MinInt},
	} {
		r, p, err := New(c)
		require.Nil(t, r)
		require.Nil(t, p)
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
		r, p, err := New(c)
		require.Nil(t, r)
		require.Nil(t, p)
		text := fmt.Sprintf("%d sequence bits and %d worker bits", c.SequenceBits, c.WorkerBits)
		logtest.Error(t, err, uid.ErrConfig, text, "62")
	}
}

// shapes are the runs of the original's ring of single UIDs, the shortest real ones,
// and the default layout's.
var shapes = []struct{ sequenceBits, workerBits int }{{0, 0}, {0, 22}, {1, 0}, {1, 22}, {13, 22}, {13, 0}}

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

// The first take after a move, or after some UIDs were allotted, knows the run.
func TestTakeAfterAMove(t *testing.T) {
	r := newRing(t, 4, 3, 1)
	startAt(t, r, 8, 0)
	fill(t, r)
	for _, move := range []func() error{
		func() error { return r.Skip(10, 2) },
		func() error { return restart(r, 20, 6) },
		func() error {
			r.Allot(1)
			err := put(r, 21)
			r.Allot(1)
			return err
		},
	} {
		r.Shut()
		require.NoError(t, move())
		r.Open()
		_, _, ok := r.Take()
		require.True(t, ok)
	}
}

// What cannot be done is refused with the numbers, and changes nothing.
func TestRefuses(t *testing.T) {
	r := newRing(t, 4, 3, 1)
	startAt(t, r, 8, 0)
	fill(t, r) // 8 to 11
	requireTaken(t, r, 8, 0)
	before := look(r)
	require.ErrorContains(t, r.Skip(9, 0), "open ring cannot be moved")
	require.ErrorContains(t, restart(r, 20, 0), "open ring cannot be moved")
	require.Equal(t, before, look(r))
	r.Shut()
	before = look(r)
	for _, tick := range []uint64{0, 4, 7, 12, 13, 1 << 40, 1<<59 - 1, 1 << 59, 1<<59 + 8, 1 << 63, math.MaxUint64} {
		text := fmt.Sprintf("skip to tick %d, which is not in the ring; tail 12", tick)
		require.ErrorContains(t, r.Skip(tick, 0), text)
	}
	for _, sequence := range []uint64{8, 9, 1 << 32, 1 << 60, math.MaxUint64} {
		text := fmt.Sprintf("sequence %d, the largest is 7", sequence)
		require.ErrorContains(t, r.Skip(9, sequence), text)
		require.ErrorContains(t, restart(r, 20, sequence), text)
	}
	for _, tick := range []uint64{0, 8, 11} {
		require.ErrorContains(t, restart(r, tick, 0), fmt.Sprintf("restart at tick %d, below tail 12", tick))
	}
	for _, tick := range []uint64{0, 11, 13} {
		require.ErrorContains(t, r.Put(tick, 1), fmt.Sprintf("put of tick %d at tail 12", tick))
	}
	for _, tick := range []uint64{1 << 59, 12 | 1<<60, math.MaxUint64} {
		text := fmt.Sprintf("tick %d does not fit into 59 bits", tick)
		require.ErrorContains(t, r.Put(tick, 1), text)
		require.ErrorContains(t, r.Restart(tick, 1, 0), text)
	}
	for _, worker := range []uint64{2, 1 << 63, math.MaxUint64} {
		text := fmt.Sprintf("worker ID %d does not fit into 1 bits", worker)
		require.ErrorContains(t, r.Put(12, worker), text)
		require.ErrorContains(t, r.Restart(20, worker, 0), text)
	}
	require.Equal(t, before, look(r))

	// The empty slots of a new ring are not taken for the tick that follows the last one.
	for _, shape := range shapes {
		r := newRing(t, 2, shape.sequenceBits, shape.workerBits)
		before := look(r)
		for _, tick := range []uint64{0, 1, ticksOf(r) - 1, ticksOf(r), ticksOf(r) + 1, 1 << 63, math.MaxUint64} {
			require.ErrorContains(t, r.Skip(tick, 0), "not in the ring")
		}
		require.Equal(t, before, look(r))
	}
}
