package cached

import (
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// TestShardHandsOutAll: a shard that one goroutine draws from hands out what GetUID would,
// across chunks, ticks and refills of the ring.
func TestShardHandsOutAll(t *testing.T) {
	for name, layout := range map[string]bits.Layout{
		"long ticks":  bits.Default(),
		"short ticks": shortTicks,
		"tiny ticks":  tinyTicks,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, o := shardsOf(t, Config{Layout: layout})
				twin, _ := shardsOf(t, Config{Layout: layout})
				for i := range 20_000 {
					want, err := twin.GetUID()
					require.NoError(t, err)
					if v := o.home[0].draw(t); v != uint64(want) {
						t.Fatalf("draw %d: %d, and not %d", i, v, want)
					}
				}
				require.Zero(t, g.counts.lost.Load())
			})
		})
	}
}

// TestShardWaits: a claim beyond what is published is the caller's alone, which waits for
// it. The shard does not keep it.
func TestShardWaits(t *testing.T) {
	inShard(t, Config{Layout: shortTicks, MaxLead: 2 * time.Millisecond}, func(t *testing.T, _ *Generator, s *shard) {
		began := time.Now()
		var before uint64
		for range 2000 {
			v := s.draw(t)
			require.Greater(t, v, before)
			before = v
		}
		require.Positive(t, time.Since(began), "nobody had to wait")
	})
}

// TestLastOfAChunk: the UIDs of a chunk are those from its first to its last, and the claim
// after that one gets another.
func TestLastOfAChunk(t *testing.T) {
	inShard(t, Config{}, func(t *testing.T, _ *Generator, s *shard) {
		s.mu.Lock()
		s.openLocked(100, 103)
		s.mu.Unlock()
		for v := uint64(100); v < 103; v++ {
			require.Equal(t, v, s.draw(t))
		}
		require.Greater(t, s.draw(t), uint64(103))
		require.Zero(t, s.meetings, "one claim was too late, and that is always so")
	})
}

// TestEmptyChunk: a chunk whose only UID goes to who has claimed it is not opened.
func TestEmptyChunk(t *testing.T) {
	inShard(t, Config{}, func(t *testing.T, _ *Generator, s *shard) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.openLocked(100, 100)
		require.Zero(t, s.last.Load())
		require.EqualValues(t, uint64(shardShut), s.cursor.Load())
	})
}

// TestChunksGrow: a shard claims 16 UIDs at first, and 1,024 in the end.
func TestChunksGrow(t *testing.T) {
	inShard(t, Config{}, func(t *testing.T, _ *Generator, s *shard) {
		for _, n := range []uint64{16, 32, 64, 128, 256, 512, 1024, 1024} {
			first := s.draw(t)
			require.Equal(t, first+n-1, s.last.Load())
			for !s.empty() {
				s.draw(t)
			}
		}
	})
}

// TestDrawDuringRefill: who comes while another goroutine replaces the chunk gets a UID of
// the ring, and leaves the shard alone.
func TestDrawDuringRefill(t *testing.T) {
	inShard(t, Config{}, func(t *testing.T, g *Generator, s *shard) {
		s.mu.Lock()
		at := g.producer.Position()
		v := s.draw(t)
		last, chunk, position := s.last.Load(), s.chunk, g.producer.Position()
		s.mu.Unlock()
		require.Zero(t, last)
		require.EqualValues(t, minLaneChunk, chunk)
		require.Equal(t, at+1, position)
		require.Equal(t, v+1, s.draw(t))
	})
}

// withRest draws from the shard until its claim reaches into the next tick, and returns the
// first UID there and how many there are.
func (s *shard) withRest(t testing.TB, g *Generator) (first, n uint64) {
	for s.pos == s.end {
		s.draw(t)
	}
	first, _ = g.ring.Resolve(s.pos)
	require.Zero(t, first&(1<<g.seqBits-1))
	return first, s.end - s.pos
}

// moveTo moves the ring on to a tick, as a refill does when the clock has come there, and
// raises the floor, as the generator's goroutine does then.
func (g *Generator) moveTo(t testing.TB, tick uint64) {
	l := g.lock()
	defer g.mu.Unlock()
	l.producer.Shut()
	require.NoError(t, l.producer.Skip(tick, 0))
	l.withdrawBelow(tick << l.valBits)
	l.open()
}

// TestRestBeforeSplit: what is left of a claim in the next tick comes before a split, which
// would lose it.
func TestRestBeforeSplit(t *testing.T) {
	inShard(t, Config{Layout: shortTicks}, func(t *testing.T, g *Generator, s *shard) {
		first, n := s.withRest(t, g)
		for !s.empty() {
			s.draw(t)
		}
		s.meetings = splitAfter + 1
		for v := range n {
			require.Equal(t, first+v, s.draw(t))
			require.Nil(t, s.parts.Load())
		}
		s.meetings = splitAfter + 1
		s.draw(t)
		require.NotNil(t, s.parts.Load())
		require.Zero(t, g.counts.lost.Load())
	})
}

// TestSplitOnce: who comes to refill a shard that was split meanwhile leaves it shut, and
// its parts as they are. They may hold chunks.
func TestSplitOnce(t *testing.T) {
	inShard(t, Config{}, func(t *testing.T, _ *Generator, s *shard) {
		s.mustSplit(t)
		parts, splits := s.parts.Load(), s.o.splits.Load()
		for _, s.meetings = range []uint64{0, splitAfter} {
			_, err := s.refill()
			require.NoError(t, err)
			require.Same(t, parts, s.parts.Load())
			require.Equal(t, splits, s.o.splits.Load())
			require.Zero(t, s.last.Load())
		}
	})
}

// TestRestIsStale: what is left of a claim in the next tick is not handed out when the floor
// has passed it, to nobody: the shard is not even opened for a moment.
func TestRestIsStale(t *testing.T) {
	inShard(t, Config{Layout: shortTicks}, func(t *testing.T, g *Generator, s *shard) {
		first, n := s.withRest(t, g)
		held := s.last.Load() - s.cursor.Load()
		floor := first>>g.valBits + 1
		g.moveTo(t, floor)
		require.Zero(t, s.last.Load())
		require.Equal(t, held, g.counts.lost.Load())

		// Somebody who read last before comes late. That shows whether the cursor is opened.
		late := s.cursor.Add(1)
		require.GreaterOrEqual(t, s.draw(t), floor<<g.valBits)
		require.Equal(t, late, s.cursor.Load(), "others could draw what is stale")
		require.Zero(t, s.last.Load())
		require.Zero(t, s.meetings)
		require.Equal(t, held+n, g.counts.lost.Load())
		require.EqualValues(t, minLaneChunk, s.chunk)
		require.Equal(t, s.pos, s.end)
		require.GreaterOrEqual(t, s.draw(t), floor<<g.valBits)
		require.GreaterOrEqual(t, s.last.Load(), floor<<g.valBits)
		require.Equal(t, held+n, g.counts.lost.Load())
	})
}

// TestRestAtTheFloor: what begins there is handed out.
func TestRestAtTheFloor(t *testing.T) {
	inShard(t, Config{Layout: shortTicks}, func(t *testing.T, g *Generator, s *shard) {
		first, n := s.withRest(t, g)
		g.lock().withdrawBelow(first)
		g.mu.Unlock()
		require.Zero(t, s.last.Load())
		for v := range n {
			require.Equal(t, first+v, s.draw(t))
		}
	})
}

// TestRestIsGone: what is left of a claim is given up, and counts as lost, once, when the
// ring has passed it over.
func TestRestIsGone(t *testing.T) {
	inShard(t, Config{Layout: shortTicks}, func(t *testing.T, g *Generator, s *shard) {
		_, n := s.withRest(t, g)
		time.Sleep(time.Hour)
		synctest.Wait()
		before, err := g.GetUID() // the ring starts anew
		require.NoError(t, err)
		s.requireRestGone(t, g, before, n)
	})
}

func (s *shard) requireRestGone(t *testing.T, g *Generator, before uid.UID, n uint64) {
	lost := g.counts.lost.Load()
	require.Equal(t, uint64(before)+1, s.draw(t))
	require.Equal(t, lost+n, g.counts.lost.Load())
	require.Equal(t, s.pos, s.end)
	require.Equal(t, uint64(before)+2, s.draw(t))
	require.Equal(t, lost+n, g.counts.lost.Load())
}

// tinyTicks are ticks of fewer UIDs than a chunk.
var tinyTicks = bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 19, SequenceBits: 3, Unit: time.Millisecond})

// TestHomesOfStacks: goroutines with stacks of their own do not all come to the same shard.
// They would if the compiler gave what has no size a single address.
func TestHomesOfStacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, o := shards(t)
		together(t, func() (uid.UID, error) { return o.GetUID() })
		require.GreaterOrEqual(t, used(o.home[:]), 8)
	})
}

// TestPartsOfStacks: nor do those that share a shard come to the same part of it.
func TestPartsOfStacks(t *testing.T) {
	inShard(t, Config{}, func(t *testing.T, _ *Generator, s *shard) {
		s.mustSplit(t)
		together(t, s.take)
		require.GreaterOrEqual(t, used(s.parts.Load()[:]), 3)
	})
}

// together draws in 64 goroutines, one after the other, all of which have a stack then.
// (A stack that grew or shrank would leave its place to the next goroutine's.)
func together(t *testing.T, draw func() (uid.UID, error)) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	end := make(chan bool)
	defer close(end)
	drawn := make(chan error)
	for range 64 {
		go func() {
			growStack()
			_, err := draw()
			drawn <- err
			<-end
		}()
		require.NoError(t, <-drawn)
	}
}

// used returns how many of the shards hold a chunk.
func used(shards []shard) (n int) {
	for i := range shards {
		if shards[i].last.Load() != 0 {
			n++
		}
	}
	return n
}
