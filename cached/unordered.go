package cached

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"unsafe"

	uid "github.com/uidgen/uid"
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
