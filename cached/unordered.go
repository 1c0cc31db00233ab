package cached

import (
	"context"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/ringbuffer"
)

// Unordered spreads the calling goroutines over shards, each of which claims in advance, as a [Lane] does. It scales
// with the number of cores; for a single goroutine it is about as fast as [Generator.GetUID].
//
// Its UIDs are unique and keep to MaxLag, but may be smaller than earlier ones, even in the same goroutine.
//
// It takes 8 KB, and calls allocate 1 KB more for each split of a shard at which goroutines met: at most 4 for each
// processor, or 32 if that is more.
type Unordered struct {
	// Which shard is a goroutine's depends on where its stack lies: GetUID takes the address of something
	// on the stack as a number, by package unsafe, and never turns it back into a pointer. Nothing else
	// tells goroutines apart without sharing a cache line or costing more than the claim itself; a
	// sync.Pool of Lanes, which needs no unsafe, is about twice as slow. Goroutines that share a shard and
	// draw at the same time get apart: when they have met at the end of some chunks, it is split into eight,
	// and stays split.

	// home comes first, where the allocator aligns it. It is part of the structure, and of
	// a constant size, so that finding a shard takes no load and no check of bounds.
	home [1 << homeBits]shard

	g      *Generator
	splits atomic.Int32 // how many there may still be, or less than 0
}

const (
	homeBits = 6
	partBits = 3 // a split makes 8 shards of one

	// golden is 2^64, or 2^32, over the golden ratio (Knuth, TAOCP vol. 3, 6.4). It is odd,
	// so that products with different numbers differ.
	golden = 0x9e3779b97f4a7c15 >> (64 - bits.UintSize)
)

// Unordered returns the generator's Unordered, the same one at each call.
func (g *Generator) Unordered() *Unordered {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unordered == nil {
		o := &Unordered{g: g}
		for i := range o.home {
			o.home[i].init(o)
		}
		// Two stacks are apart after 22 splits at the latest: see shard.next.
		o.splits.Store(int32(max(32, 4*runtime.GOMAXPROCS(0))))
		g.unordered = o
	}
	return g.unordered
}

// GetUID returns a UID, or an error of [Generator.GetUID]. Any number of goroutines may call it at once.
func (o *Unordered) GetUID() (uid.UID, error) {
	// This is just below the compiler's limit for inlining: what comes before the call of take runs while
	// the core waits for the caller's previous add, and in take it would not. (A zero-size value needs no
	// store, which that add would have to wait for.) Stacks are at least 2 KiB apart.
	return o.home[uintptr(unsafe.Pointer(new(struct{})))>>11*golden>>(bits.UintSize-homeBits)].take()
}

var _ uid.Drawer = (*Unordered)(nil)

// withdraw shuts the shards whose chunks lie below bound.
func (o *Unordered) withdraw(bound uint64) {
	for i := range o.home {
		o.home[i].withdraw(bound)
	}
}

// A shard hands out the UIDs of a chunk, one after the other. The zero value holds none.
//
// A taker reads last, claims by adding one to cursor, and has got the UID that the add
// returns if that is at most last. That is exact although there are two words: the UIDs of
// a shard's chunks grow, since its positions in the ring do; and last changes only while
// the cursor is shut. So what a taker has read is the last UID of the chunk from which its
// add claims, or of an earlier one, or 0. A claim from an open cursor is no smaller than
// its chunk's first UID; if it is at most that last one, it lies in the chunk. A claim from
// a shut cursor is larger than any UID. Claims that are refused are given up.
type shard struct {
	// cursor is the last UID that was claimed, or at least shardShut. Takers add to it. The
	// holder of mu swaps it for shardShut before it changes anything else, and then, with
	// last set, for the UID before the new chunk's first.
	cursor atomic.Uint64
	_      [56]byte // what follows is written once a chunk

	// last is the last UID of the chunk, or 0 while the shard is shut. The holder of mu
	// writes it, after the cursor was shut and before it is opened.
	last atomic.Uint64

	// parts is what the shard was split into, or nil. The holder of mu stores it once, while
	// the shard is shut, as which it stays then.
	parts atomic.Pointer[[1 << partBits]shard]

	o *Unordered

	// mu is held to replace the chunk, never during a wait. It guards what follows.
	mu       sync.Mutex
	pos, end uint64 // positions claimed with the chunk that lie in the next run
	chunk    uint64 // how many UIDs to claim next time
	meetings uint64 // grows with each chunk at whose end goroutines met, and falls with each other one
}

const (
	// shardShut is larger than any UID.
	shardShut = 1 << 63

	// splitAfter is at how many chunks' ends, one after the other, goroutines meet before
	// their shard is split.
	splitAfter = 4
)

func (s *shard) init(o *Unordered) {
	s.o = o
	s.chunk = minLaneChunk
	s.cursor.Store(shardShut)
}

// take claims the next UID of the chunk. A single call of next, in this place, makes its
// frame as small as it is.
func (s *shard) take() (uid.UID, error) {
	if last := s.last.Load(); last != 0 {
		if v := s.cursor.Add(1); v <= last {
			return uid.UID(v), nil
		}
	}
	return s.next()
}

// next returns a UID where there is no chunk any more: from the part of a split shard that
// is the caller's, or from a new chunk.
func (s *shard) next() (uid.UID, error) {
	if s.parts.Load() == nil {
		return s.refill()
	}
	return s.part(uintptr(unsafe.Pointer(new(struct{}))) >> 11 * golden).take()
}

// part returns the shard that a hash leads to from a home that was split.
//
// It goes by the bits of the hash after those that led to the home, three for each split,
// and by the first ones again in the end: 22 times three are all of 64. Stacks have
// different addresses, so their hashes differ in some bit, and no two of them share a shard
// any more when it was split so often.
func (s *shard) part(hash uintptr) *shard {
	rest := bits.RotateLeft(uint(hash), homeBits)
	for parts := s.parts.Load(); parts != nil; parts = s.parts.Load() {
		rest = bits.RotateLeft(rest, partBits)
		s = &parts[rest%(1<<partBits)]
	}
	return s
}

// refill returns a UID and gives the shard a new chunk. If another goroutine is already
// doing so, it takes a single UID from the ring.
func (s *shard) refill() (uid.UID, error) {
	g := s.o.g
	if !s.mu.TryLock() {
		return g.GetUID()
	}
	s.shutLocked(g)
	if s.pos == s.end && (s.parts.Load() != nil || s.meetings >= splitAfter && s.splitLocked()) {
		s.mu.Unlock()
		return s.next()
	}
	c := claim{pos: s.pos, end: s.end}
	if c.pos == c.end {
		c = g.claim(s.chunk)
		s.chunk = min(2*s.chunk, maxLaneChunk)
	}
	pos := c.pos
	v, state := g.ring.Resolve(pos)
	taken := state == ringbuffer.Taken
	if taken {
		n := min(c.end-pos, g.ring.Left(pos))
		c.pos += n
		// staleBelow is raised before it is enforced, by withdraw, which takes mu. So if the
		// chunk is opened here although it is stale, withdraw has yet to come and shuts it.
		// Looking after the shard is open would be too late: others draw from it already.
		if v >= g.staleBelow.Load() {
			s.openLocked(v+1, v+n)
		} else {
			taken = false
			pos = noClaim
			g.counts.lost.Add(n)
			s.chunk = minLaneChunk
		}
	} else {
		// Do not wait here. Give up the rest of the claim. It is little, since a claim
		// takes no more than the ring holds ready.
		if rest := c.end - pos - 1; pos>>63 == 0 && rest > 0 {
			g.counts.lost.Add(rest)
		}
		c.pos = c.end
	}
	s.pos, s.end = c.pos, c.end
	s.mu.Unlock()

	if taken {
		if g.ring.Enters(pos) {
			g.topUp(g.ring.Tick(pos))
		}
		return uid.UID(v), nil
	}
	if v, ok := g.published(pos); ok {
		return uid.UID(v), nil
	}
	b, err := g.draw(context.Background(), pos, 1, g.cfg.OnRejectedTake)
	return uid.UID(b.first), err
}

// shutLocked takes back the rest of the chunk.
func (s *shard) shutLocked(g *Generator) {
	last := s.last.Load()
	if last == 0 {
		return
	}
	pos := s.cursor.Swap(shardShut)
	s.last.Store(0)
	switch {
	case pos < last:
		g.counts.lost.Add(last - pos)
		s.chunk = minLaneChunk
	case pos > last+1:
		s.meet() // more than one claim was too late
	case s.meetings > 0:
		s.meetings--
	}
}

// openLocked gives the shard the UIDs from next up to but not including end, if there are any. The
// shard is shut.
func (s *shard) openLocked(next, end uint64) {
	if next == end {
		return
	}
	s.last.Store(end - 1)
	if s.cursor.Swap(next-1) != shardShut {
		s.meet() // a claim was too late, and came while the chunk was replaced
	}
}

// meet notes that two goroutines wanted the chunk's next UID at the same time. Those that
// take turns, as on a single processor, do not meet.
func (s *shard) meet() { s.meetings = min(s.meetings+1, splitAfter) }

// splitLocked replaces an empty shard by its parts, if there may be more splits. The shard is
// shut.
func (s *shard) splitLocked() bool {
	if s.o.splits.Add(-1) < 0 {
		s.o.splits.Add(1)
		s.meetings = 0
		return false
	}
	parts := new([1 << partBits]shard)
	for i := range parts {
		parts[i].init(s.o)
	}
	s.parts.Store(parts)
	return true
}

// withdraw shuts the shard and its parts if their chunks lie below bound, which the
// generator has raised before. A chunk lies in one tick, so its last UID stands for all. It
// takes mu of shards that are shut as well, for a chunk may be about to be opened there.
func (s *shard) withdraw(bound uint64) {
	s.mu.Lock()
	if s.last.Load() < bound {
		s.shutLocked(s.o.g)
	}
	parts := s.parts.Load()
	s.mu.Unlock()
	if parts != nil {
		for i := range parts {
			parts[i].withdraw(bound)
		}
	}
}
