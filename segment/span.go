package segment

import (
	"sync/atomic"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/ringbuffer"
)

// A span maps positions of the ring to numbers: position first+i, for i below n, is number
// base+i. It never changes, so that a claim is worth the same number whenever its claimant looks.
// Spans are linked in the order of their positions, which is that of their numbers, too.
type span struct {
	first, n, base uint64
	// late says that it is the later part of what was taken at once: the call that enters it asks for
	// more.
	late bool
	next atomic.Pointer[span]
}

// A segment is a tick of the ring, with a sequence long enough for the most numbers that can be taken
// at once. Positions beyond its numbers are worth nothing.
type segment struct {
	storage.Numbers
	tick       uint64
	head, tail *span
}

const (
	// sequenceBits leaves each tick positions for MaxStep numbers, and as many again, so that
	// claims beyond a segment's numbers do not reach the next tick's.
	sequenceBits = 32
	tickBits     = 63 - sequenceBits
)

// ringConfig is the ring's: it holds the tick in use.
var ringConfig = ringbuffer.Config{Slots: 1, SequenceBits: sequenceBits}

// newSegment maps the positions of a tick to numbers.
func newSegment(r storage.Numbers, tick uint64) *segment {
	first, n, base := tick<<sequenceBits, uint64(r.Len()), uint64(r.First)
	early := n / 10
	late := &span{first: first + early, n: n - early, base: base + early, late: true}
	c := &segment{Numbers: r, tick: tick, head: late, tail: late}
	if early > 0 {
		c.head = &span{first: first, n: early, base: base}
		c.head.next.Store(late)
	}
	return c
}

// number returns the number of a position, which need not be one of the segment's: at the end it
// is the one after the last.
func (c *segment) number(pos uint64) int64 {
	return c.First + int64(min(pos-c.tick<<sequenceBits, uint64(c.Len())))
}

// find returns the span of a position, from s on, or nil when the position is worth nothing.
func (s *span) find(pos uint64) *span {
	for ; s != nil && s.first <= pos; s = s.next.Load() {
		if pos-s.first < s.n {
			return s
		}
	}
	return nil
}
