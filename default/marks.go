package uncached

import (
	"sync/atomic"
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
