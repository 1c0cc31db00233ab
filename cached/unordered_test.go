package cached

import (
	mathbits "math/bits"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
)

func shards(t *testing.T) (*Generator, *Unordered) { return shardsOf(t, Config{}) }

// shardsOf is for tests in a bubble: the generator's own goroutine has looked at the ring
// when it returns, and as long as the test draws no time passes, so that it looks no more. It
// would refill the ring, which may pass over what a taker is about to settle.
func shardsOf(t *testing.T, cfg Config) (*Generator, *Unordered) {
	if cfg.MaxLead == 0 {
		cfg.MaxLead = Unbounded
	}
	cfg.Now = fake.NewClock(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)).Now // a bubble's time is before the epoch
	g := MustNew(&fake.Worker{ID: 7}, cfg)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	synctest.Wait()
	return g, g.Unordered()
}

// inShard runs a test in a bubble, on a shard of a new generator.
func inShard(t *testing.T, cfg Config, test func(t *testing.T, g *Generator, s *shard)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g, o := shardsOf(t, cfg)
		test(t, g, &o.home[3])
	})
}

// shortTicks are so short that claims of shards soon reach into the next one.
var shortTicks = bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 16, SequenceBits: 6, Unit: time.Millisecond})

// draw takes a UID of the shard.
func (s *shard) draw(t testing.TB) uint64 {
	id, err := s.take()
	require.NoError(t, err)
	return uint64(id)
}

// mustSplit splits the shard, which must be empty.
func (s *shard) mustSplit(t testing.TB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	require.True(t, s.splitLocked(), "no more splits")
}

// late makes the shard's next claim, once it has handed out its chunk, not the only late
// one: another goroutine's call comes while a third one replaces the chunk.
func (s *shard) late(other func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	other()
}

// empty reports whether the next claim is late.
func (s *shard) empty() bool { return s.cursor.Load() >= s.last.Load() }

// TestSharersGetApart: of goroutines some of which have to share a shard, two that do are
// given different ones once they have met at the ends of a few chunks. No UID comes twice.
func TestSharersGetApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer debug.SetGCPercent(debug.SetGCPercent(-1)) // shrinks no stacks
		_, o := shards(t)
		type drawn struct {
			id   uid.UID
			hash uintptr
		}
		seen := map[uid.UID]bool{}
		calls := 0
		sharer := func() (draw func() uintptr) {
			ask, got := make(chan bool), make(chan drawn)
			t.Cleanup(func() { close(ask) })
			go func() {
				growStack()
				for range ask {
					id, _ := o.GetUID()
					got <- drawn{id, uintptr(unsafe.Pointer(new(struct{}))) >> 11 * golden}
				}
			}()
			return func() uintptr {
				ask <- true
				d := <-got
				if seen[d.id] || d.id == 0 {
					t.Fatalf("%d was issued before", d.id)
				}
				seen[d.id] = true
				calls++
				return d.hash
			}
		}

		var a, b func() uintptr
		var atHome [len(o.home)]func() uintptr
		for b == nil {
			draw := sharer()
			home := draw() >> (mathbits.UintSize - homeBits)
			a, b = draw, atHome[home]
			atHome[home] = draw
		}
		s := &o.home[a()>>(mathbits.UintSize-homeBits)]
		require.Same(t, s, &o.home[b()>>(mathbits.UintSize-homeBits)])

		calls = 0
		shared := s
		for shared != nil {
			for !shared.empty() {
				a()
			}
			shared.late(func() { b() })
			shared = s.part(a())
			if shared != s.part(b()) {
				shared = nil
			}
			require.Less(t, calls, 22*splitAfter*(maxLaneChunk+3), "they still share")
		}
		require.NotNil(t, s.parts.Load())
		for range 3 * maxLaneChunk {
			require.NotSame(t, s.part(a()), s.part(b()))
		}
	})
}

// TestAnyStacksGetApart: so are those whose hashes differ in a single bit, whichever it is.
func TestAnyStacksGetApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for bit := range mathbits.UintSize {
			_, o := shards(t)
			one, other := uintptr(0), uintptr(1)<<bit
			s, splits := &o.home[0], 0
			for ; s.part(one) == s.part(other); splits++ {
				s.part(one).mustSplit(t)
			}
			// Bits that lead to a home come last, for stacks that share one have them in common.
			place := (2*mathbits.UintSize - 1 - homeBits - bit) % mathbits.UintSize
			require.Equal(t, place/partBits+1, splits, "bit %d", bit)
		}
	})
}

// TestNoSplitAlone: goroutines that take turns do not meet.
func TestNoSplitAlone(t *testing.T) {
	inShard(t, Config{}, func(t *testing.T, _ *Generator, s *shard) {
		for range 100 * maxLaneChunk {
			s.draw(t)
		}
		require.Zero(t, s.meetings)
		require.Nil(t, s.parts.Load())
	})
}

// TestFewMeetings: meetings now and then do not split a shard.
func TestFewMeetings(t *testing.T) {
	inShard(t, Config{}, func(t *testing.T, _ *Generator, s *shard) {
		for chunks := range 100 {
			for more := true; more; more = !s.empty() {
				s.draw(t)
			}
			if chunks%2 == 0 {
				s.late(func() { _, _ = s.take() })
			}
		}
		require.Nil(t, s.parts.Load())
	})
}

// TestMeetingDuringRefill: claims that come while a chunk is replaced count as well.
func TestMeetingDuringRefill(t *testing.T) {
	inShard(t, Config{}, func(t *testing.T, g *Generator, s *shard) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.openLocked(100, 200)
		require.Zero(t, s.meetings)
		s.shutLocked(g)
		s.cursor.Add(1)
		s.openLocked(200, 300)
		require.EqualValues(t, 1, s.meetings)
		s.cursor.Add(100)
		s.shutLocked(g)
		require.Zero(t, s.meetings)
	})
}

// TestSplitsAreBounded: when there may be no more, the shard goes on as it is.
func TestSplitsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, o := shards(t)
		require.EqualValues(t, max(32, 4*runtime.GOMAXPROCS(0)), o.splits.Load())
		require.Same(t, o, g.Unordered())
		o.splits.Store(1)
		for i := range 3 {
			s := &o.home[i]
			s.meetings = splitAfter
			s.draw(t)
			require.Equal(t, i == 0, s.parts.Load() != nil)
			if i > 0 {
				require.Zero(t, s.meetings, "it would try again at each chunk's end")
			}
		}
		require.Zero(t, o.splits.Load())
	})
}

// TestPartsAreWithdrawn: the floor reaches the parts of parts.
func TestPartsAreWithdrawn(t *testing.T) {
	inShard(t, Config{}, func(t *testing.T, g *Generator, s *shard) {
		for range 2 {
			s.mustSplit(t)
			s = &s.parts.Load()[6]
		}
		for range 3*minLaneChunk + 5 {
			s.draw(t)
		}
		last, held := s.last.Load(), s.last.Load()-s.cursor.Load()
		require.NotZero(t, held)
		s.o.withdraw(last)
		require.Equal(t, last, s.last.Load(), "at the floor")
		before := g.counts.lost.Load()
		s.o.withdraw(last + 1)
		require.Zero(t, s.last.Load())
		require.EqualValues(t, uint64(shardShut), s.cursor.Load())
		require.Equal(t, held, g.counts.lost.Load()-before)
		require.EqualValues(t, minLaneChunk, s.chunk, "a shard that is used so seldom should hold less")
		require.Greater(t, s.draw(t), last)
	})
}

var sunk atomic.Int64

// growStack makes the goroutine's stack as large as it will ever have to be, for then it
// stays where it is.
//
//go:noinline
func growStack() byte {
	var room [16 << 10]byte
	return room[sunk.Load()&1]
}
