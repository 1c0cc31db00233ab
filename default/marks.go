package uncached

import (
	"math"
	"sync/atomic"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/tenure"
)

// markPad is how many marks fill the largest cache line there is.
const markPad = 256 / 8

// newMarks returns n marks that share their cache lines with nothing else.
func newMarks(n int) []atomic.Int64 {
	return make([]atomic.Int64, n+2*markPad)[markPad : markPad+n : markPad+n]
}

// newest returns the newest tick used under this rollback count, or -1. While UIDs are issued, a later
// one may be used before newest returns.
func (g *Generator) newest() int64 {
	newest := int64(-1)
	for i := range g.marks {
		newest = max(newest, g.marks[i].Load()>>g.tickShift)
	}
	return newest
}

// useUp uses up the newest tick, and all remembered ticks before it.
func (g *Generator) useUp() {
	for i := range g.marks {
		g.marks[i].Or(g.seqMask)
	}
}

// Adds. A compare-and-swap fails when others are quicker, and moves the mark's cache line twice: for
// the load, and for the swap. An add moves it once and never fails, but it comes where the mark is by
// then: in a tick that is used up, or in a later one. Then its position stays unused.
//
// Late adds run beyond the sequence, and must not run into the tick. So the mark has room for them
// between the two, as wide as the worker ID, and no call adds by a tick's hint any more once one was too late by it.
// So each goroutine is late at most once by each hint, the tick's own or an earlier one.

// minRoom is how many late adds there has to be room for: more than there can be goroutines between a
// look at the hint and an add.
const minRoom = 1 << 20

// noAdds is a hint beyond all ticks, for generators whose calls never add.
const noAdds = math.MaxInt64

// makeRoom widens the mark if calls may add to it: if it is the only one, and counts no rollbacks.
func (g *Generator) makeRoom() {
	g.lowMask = g.seqMask
	g.adds.Store(noAdds)
	wide := g.tickShift + g.idShift
	if g.rollbackMask == 0 && len(g.marks) == 1 && int64(1)<<wide-int64(1)<<g.seqBits >= minRoom {
		g.tickShift, g.idShift = wide, 0
		g.lowMask = 1<<wide - 1
		g.adds.Store(-1)
	}
}

// add returns a UID for a position that it takes by an add, unless that is not of the given tick, or not
// under the given grant any more. The hint has named the tick, and the grant allows it.
func (g *Generator) add(gr *tenure.Grant, tick int64) (u uid.UID, ok bool) {
	at := g.marks[0].Add(1)
	if uint64(at-tick<<g.tickShift) > uint64(g.seqMask) {
		g.adds.CompareAndSwap(2*tick, 2*tick+1)
		return 0, false
	}
	return uid.UID(at | gr.WorkerID<<(g.seqBits&63)), g.tenure.Grant() == gr
}

// beginAdds is called by a call that has moved the mark within tick.
func (g *Generator) beginAdds(tick int64) {
	if was := g.adds.Load(); was < 2*tick {
		g.adds.CompareAndSwap(was, 2*tick) // or another one has
	}
}
