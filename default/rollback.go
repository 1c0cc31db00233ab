package uncached

import (
	"time"
)

// turnBack begins the next turn (count of steps back) in the clock's tick, if that turn
// was not yet used for this tick or later ones.
func turnBack(g *Generator, b setback) (int64, time.Duration, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	mark := &g.marks[0]
	if mark.Load()&g.turnMask != b.turn {
		return b.tick, 0, nil // another call has done it; the next take checks
	}
	next := (b.turn + g.seqMask + 1) & g.turnMask
	used := &g.used[next/(g.seqMask+1)]
	if b.tick < b.first || b.tick <= *used {
		return 0, 0, g.setbackError(b, g.farthest(b, max(b.first, *used+1)))
	}
	g.rewind(b.tick, next)
	return b.tick, 0, nil
}

// rewind begins another turn with a tick from which on nothing was issued in that turn. The tick before may have been
// used in it: its mark says that it is used up. g.mu is held.
func (g *Generator) rewind(tick, turn int64) {
	mark := &g.marks[0]
	for {
		at := mark.Load()
		if mark.CompareAndSwap(at, (tick-1)<<g.tickShift|turn|g.seqMask) {
			g.used[at&g.turnMask/(g.seqMask+1)] = at >> g.tickShift
			return
		}
	}
}
