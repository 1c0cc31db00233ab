package cached

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"unsafe"

	uid "github.com/uidgen/uid"
)

// Unordered draws from a generator without a cache line that all cores write, and without
// a Lane in the caller's hands: it spreads the calling goroutines over shards, each of
// which claims from the ring in advance. Its GetUID scales with the number of cores; for a
// single goroutine it is about as fast as Generator.GetUID.
//
// It gives up order: UIDs are unique, and behind the clock by MaxLag at most, but a call
// may return a smaller UID than an earlier call, even in the same goroutine. A shard
// claims 16 UIDs at first and, each time they are used up, twice as many, up to 1,024 or a
// tick's.
//
// Which shard is a goroutine's depends on where its stack lies. Goroutines that share one
// and draw at the same time get apart: when they have met at the end of some chunks, their
// shard is split into eight, and stays split. Calls that come by a split shard take a
// little longer than others. An Unordered takes 8 KB, and 1 KB more for each split, which
// is allocated in the call that splits; there are at most 4 splits for each processor, or
// 32 if that is more.
//
// It uses package unsafe in two places: it takes the address of something on the stack as a
// number, and never turns it back into a pointer. Nothing else tells goroutines apart
// without sharing a cache line or costing more than the claim itself; a sync.Pool of
// Lanes, which needs no unsafe, is about twice as slow.
type Unordered struct {
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

// GetUID returns a UID, or an error as Generator.GetUID does. It may be called by any
// number of goroutines at once.
//
// It is just below the compiler's limit for inlining: what comes before the call of take
// runs while the core waits for the caller's previous add, and in take it would not. (A
// zero-size value needs no store, which that add would have to wait for.)
func (o *Unordered) GetUID() (uid.UID, error) {
	// Stacks are at least 2 KiB apart.
	return o.home[uintptr(unsafe.Pointer(new(struct{})))>>11*golden>>(bits.UintSize-homeBits)].take()
}

var _ uid.Drawer = (*Unordered)(nil)

// withdraw shuts the shards whose chunks lie below floor.
func (o *Unordered) withdraw(floor uint64) {
	for i := range o.home {
		o.home[i].withdraw(floor)
	}
}
