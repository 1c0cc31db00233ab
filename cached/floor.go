package cached

import (
	"math"
	"time"
)

// allStale, as the floor, lets Lanes keep nothing.
const allStale = math.MaxUint64

// floorAt returns the floor for takers that are in tick at. UIDs too far behind the clock
// are stale, and so are discarded ones, which may be ahead of it.
func (g *Generator) floorAt(now time.Time, at uint64) uint64 {
	return max(g.state.void, min(uint64(max(g.tickAt(now), 0)), at)) << g.valBits
}

// setFloor makes everything below floor stale. g.mu is held.
func (g *Generator) setFloor(floor uint64) {
	if before := g.floor.Load(); floor != before {
		g.floor.Store(floor)
		if floor > before {
			g.lanes.withdraw(floor)
			if g.unordered != nil {
				g.unordered.withdraw(floor)
			}
		}
	}
}
