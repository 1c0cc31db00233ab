package ringbuffer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// newBlocks returns a ring of two blocks of four ticks of two UIDs, and two worker bits.
func newBlocks(t *testing.T) *Ring {
	r, err := New(Config{Slots: 2, BlockBits: 2, SequenceBits: 1, WorkerBits: 2})
	require.NoError(t, err)
	return r
}

// takeOfBlock takes from a ring of blocks as a generator does.
func takeOfBlock(r *Ring) (v, pos uint64, ok bool) {
	if v, pos, ok = r.Take(); !ok {
		v, ok = r.OfFront(pos)
	}
	return v, pos, ok
}

// requireOfBlock draws the UID of a position under the worker ID 3, and requires that it is known to lie
// in the block in front, or that Resolve has to be asked.
func requireOfBlock(t *testing.T, r *Ring, tick, sequence uint64, known bool) {
	v, pos, ok := takeOfBlock(r)
	require.Equal(t, tick<<1|sequence, pos)
	require.Equal(t, known, ok, "position %d", pos)
	if !ok {
		var s State
		v, s = r.Resolve(pos)
		require.Equal(t, Taken, s)
	}
	require.Equal(t, tick<<3|3<<1|sequence, v)
}

// requireTicks draws the UIDs of the ticks from first up to but not including end, which Resolve has to be asked for.
func requireTicks(t *testing.T, r *Ring, first, end uint64) {
	for tick := first; tick < end; tick++ {
		requireOfBlock(t, r, tick, 0, false)
		requireOfBlock(t, r, tick, 1, false)
	}
}

func putThrough(t *testing.T, r *Ring, tick, last, next uint64) {
	got, err := r.PutThrough(tick, last, 3)
	require.NoError(t, err)
	require.Equal(t, next, got)
	require.Equal(t, next, r.Tail())
}

func TestBlocksOfWrongSizes(t *testing.T) {
	for _, c := range []Config{
		{Slots: 1, BlockBits: -1}, {Slots: 1, BlockBits: 17}, {Slots: 2, BlockBits: 16}, {Slots: 1 << 16, BlockBits: 1},
		{Slots: 1 << 16, BlockBits: 16},
		{Slots: 1, BlockBits: 1, SequenceBits: 30}, {Slots: 1, BlockBits: 1, SequenceBits: 10, WorkerBits: 20},
	} {
		_, err := New(c)
		require.ErrorIs(t, err, uid.ErrConfig, "%+v", c)
	}
	for _, c := range []Config{
		{Slots: 1, BlockBits: 16}, {Slots: 1 << 15, BlockBits: 1},
		{Slots: 4, BlockBits: 3, SequenceBits: 5, WorkerBits: 24},
	} {
		r, err := New(c)
		require.NoError(t, err, "%+v", c)
		require.Equal(t, c.Slots<<c.BlockBits, r.Runs())
	}
}

// TestOfBlock: of a block that is published as a whole Resolve is asked once.
func TestOfBlock(t *testing.T) {
	// The block behind is the neighbour in pairs of one of them, and not of the other.
	for _, first := range []uint64{4, 8} {
		r := newBlocks(t)
		require.NoError(t, r.Restart(first, 3, 0))
		putThrough(t, r, first+1, 100, first+4)
		putThrough(t, r, first+4, 100, first+8)
		_, err := r.PutThrough(first+8, 100, 3)
		require.ErrorIs(t, err, ErrFull)
		r.Open()
		for tick := first; tick < first+8; tick++ {
			requireOfBlock(t, r, tick, 0, tick%4 != 0)
			requireOfBlock(t, r, tick, 1, true)
		}
	}
}

// TestOfBlockInPart: what is not published yet of a block is not known.
func TestOfBlockInPart(t *testing.T) {
	r := newBlocks(t)
	require.NoError(t, r.Restart(4, 3, 0))
	putThrough(t, r, 5, 6, 7)
	r.Open()
	requireTicks(t, r, 4, 7)
	_, pos, ok := takeOfBlock(r)
	require.False(t, ok)
	_, s := r.Resolve(pos)
	require.Equal(t, Ahead, s)
	putThrough(t, r, 7, 100, 8)
	v, s := r.Resolve(pos)
	require.Equal(t, Taken, s)
	require.EqualValues(t, 7<<3|3<<1, v)
	requireOfBlock(t, r, 7, 1, true)
}

// TestBlockThatBeginsLate: its ticks are known to Resolve alone, to the end.
func TestBlockThatBeginsLate(t *testing.T) {
	r := newBlocks(t)
	require.NoError(t, r.Restart(5, 3, 1))
	putThrough(t, r, 6, 100, 8)
	r.Open()
	requireOfBlock(t, r, 5, 1, false)
	requireTicks(t, r, 6, 8)
}

// TestGapInABlock: ticks that were passed over are worth nothing, whether the ring goes on in their
// block or in another one.
func TestGapInABlock(t *testing.T) {
	for _, next := range []uint64{6, 8, 12, 13, 400} {
		r := newBlocks(t)
		require.NoError(t, r.Restart(4, 3, 0))
		r.Open()
		first := r.Claim(2)
		ahead := r.Claim(2) // of tick 5
		_, s := r.Resolve(ahead)
		require.Equal(t, Ahead, s)
		r.Shut()
		require.NoError(t, r.Restart(next, 3, 0))
		r.Open()
		for _, pos := range []uint64{first, ahead, ahead + 1} {
			v, s := r.Resolve(pos)
			require.Equal(t, Missed, s, "position %d after a restart at %d: %d", pos, next, v)
		}
		requireOfBlock(t, r, next, 0, false)
	}
}

// TestBehindTheLastBlock: claims behind the layout's last tick are of no block.
func TestBehindTheLastBlock(t *testing.T) {
	r, err := New(Config{Slots: 2, BlockBits: 1, SequenceBits: 1, WorkerBits: 28})
	require.NoError(t, err)
	require.NoError(t, r.Restart(1<<34-1, 0, 1))
	r.Open()
	for _, want := range []State{Taken, Ahead, Ahead, Ahead, Ahead} {
		for _, take := range []func(*Ring) (v, pos uint64, ok bool){takeOfBlock, (*Ring).Take} {
			_, pos, ok := take(r)
			require.False(t, ok)
			_, s := r.Resolve(pos)
			require.Equal(t, want, s, "position %d", pos)
			if want == Taken {
				break
			}
		}
	}
}
