package cached

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/cpu"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/ringbuffer"
)

// Unordered draws from a generator without a cache line that all cores write, and without
// a Lane in the caller's hands: it spreads the calling goroutines over shards, each of
// which claims from the ring in advance. Its GetUID scales with the number of cores; for a
// single goroutine it is no faster than Generator.GetUID.
//
// It gives up order: UIDs are unique, and behind the clock by MaxLag at most, but a call
// may return a smaller UID than an earlier call, even in the same goroutine. A shard
// claims 16 UIDs at first and, each time they are used up, twice as many, up to 1,024 or a
// tick's.
//
// It uses package unsafe in one place: it takes the address of a local variable as a
// number, and never turns it back into a pointer. Nothing else tells goroutines apart
// without sharing a cache line or costing more than the claim itself; a sync.Pool of
// Lanes, which needs no unsafe, is about twice as slow.
type Unordered struct {
	g      *Generator
	shift  uint // 64 less the logarithm of the number of shards
	shards []shard
}

// Unordered returns the generator's Unordered, the same one at each call.
func (g *Generator) Unordered() *Unordered {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unordered == nil {
		// Enough that goroutines which run at the same time seldom share one.
		n, shift := 32, uint(64-5)
		for n < 8*runtime.GOMAXPROCS(0) && n < 4096 {
			n, shift = 2*n, shift-1
		}
		o := &Unordered{g: g, shift: shift, shards: make([]shard, n)}
		for i := range o.shards {
			s := &o.shards[i]
			s.cursor.Store(shardShut)
			s.chunk = minLaneChunk
		}
		g.unordered = o
	}
	return g.unordered
}

// GetUID returns a UID, or an error as Generator.GetUID does. It may be called by any
// number of goroutines at once.
func (o *Unordered) GetUID() (uid.UID, error) {
	var here byte
	s := &o.shards[o.shardOf(uintptr(unsafe.Pointer(&here)))]
	first, toUID := s.first.Load(), s.toUID.Load()
	pos := s.cursor.Add(1)
	if pos-first >= shardSpan {
		return o.refill(s)
	}
	return uid.UID(pos + toUID), nil
}

// shardOf spreads stacks, which are at least 2 KiB apart, over the shards, by
// multiplication with 2^64 over the golden ratio (Knuth, TAOCP vol. 3, 6.4).
func (o *Unordered) shardOf(stack uintptr) uint64 {
	return uint64(stack>>11) * 0x9e3779b97f4a7c15 >> (o.shift & 63) & uint64(len(o.shards)-1)
}

// ParseUID splits a UID by the generator's layout.
func (o *Unordered) ParseUID(u uid.UID) (uid.Parts, error) { return o.g.ParseUID(u) }

var _ uid.Drawer = (*Unordered)(nil)

// A shard hands out the UIDs of a chunk, one after the other. It works like the ring, in
// small: it has positions of its own, a block of shardSpan for each chunk, of which a
// smaller chunk uses the end.
type shard struct {
	_ cpu.CacheLinePad

	// cursor is the last claimed position, or at least shardShut. Takers add to it. The
	// holder of mu swaps it for shardShut before it changes anything else, and then
	// stores the new chunk's start.
	cursor atomic.Uint64

	_ cpu.CacheLinePad

	// first is where the chunk's block begins; toUID turns a position of it into a UID.
	// The holder of mu writes both while the shard is shut. A taker reads them, in this
	// order, before it claims. If toUID belongs to a later chunk than first, the shard
	// was shut in between, and the claim that follows lies in no block that begins at
	// first.
	first, toUID atomic.Uint64

	// mu is held to replace the chunk, never during a wait.
	mu    sync.Mutex
	block uint64 // number of the chunk's block
	last  uint64 // last UID of the chunk
	chunk uint64 // how many UIDs to claim next time
	rest  claim  // positions claimed with the chunk that lie in the next run

	_ cpu.CacheLinePad
}

const (
	shardSpan = maxLaneChunk
	shardShut = 1 << 63
)

// refill returns a UID and gives the shard a new chunk. If another goroutine is already
// doing so, it takes a single UID from the ring.
func (o *Unordered) refill(s *shard) (uid.UID, error) {
	g := o.g
	if !s.mu.TryLock() {
		return g.GetUID()
	}
	s.shut(g)
	c := s.rest
	if c.pos == c.end {
		c = g.claim(s.chunk, maxLaneChunk)
		s.chunk = min(2*s.chunk, maxLaneChunk)
	}
	pos := c.pos
	v, state := g.ring.Resolve(pos)
	taken := state == ringbuffer.Taken
	if taken {
		n := min(c.end-pos, g.ring.Left(pos))
		s.open(v+1, v+n)
		c.pos += n
		// As with Lanes: the generator raises the floor and then looks at the shard; refill
		// opens the shard and then looks at the floor.
		if v < g.floor.Load() {
			s.shut(g)
			taken = false
			pos = noClaim
			g.counts.lost.Add(1)
		}
	} else {
		// Do not wait here. Give up the rest of the claim. It is little, since a claim
		// takes no more than the ring holds ready.
		if rest := c.end - pos - 1; pos>>63 == 0 && rest > 0 {
			g.counts.lost.Add(rest)
		}
		c.pos = c.end
	}
	s.rest = c
	s.mu.Unlock()

	if taken {
		if g.ring.Enters(pos) {
			g.topUp(g.ring.Tick(pos))
		}
		return uid.UID(v), nil
	}
	return g.takeSlow(context.Background(), pos, g.cfg.OnRejectedTake)
}

// shut takes back the rest of the chunk. mu is held.
func (s *shard) shut(g *Generator) {
	pos := s.cursor.Swap(shardShut)
	if end := (s.block+1)*shardSpan - 1; pos < end {
		g.counts.lost.Add(end - pos)
		s.chunk = minLaneChunk
	}
}

// open gives the shard the UIDs from next up to but not including end, at most shardSpan.
// mu is held and the shard is shut.
func (s *shard) open(next, end uint64) {
	s.block++
	s.last = end - 1
	begin := (s.block+1)*shardSpan - (end - next)
	s.toUID.Store(next - begin)
	s.first.Store(s.block * shardSpan)
	s.cursor.Store(begin - 1)
}

// withdraw shuts the shards whose chunks lie below floor. A chunk lies in one tick, so its
// last UID stands for all.
func (o *Unordered) withdraw(floor uint64) {
	for i := range o.shards {
		s := &o.shards[i]
		s.mu.Lock()
		if s.last < floor {
			s.shut(o.g)
		}
		s.mu.Unlock()
	}
}
