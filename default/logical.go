package uncached

import (
	"time"
)

// logicalTick is what Logical knows beyond the mark: the tick that it has reached by real
// time, and when that tick began, by the monotonic clock. Generator.mu guards it.
type logicalTick struct {
	tick  int64
	began time.Duration
}

// keepToTick stays in the newest tick until its sequence is used up, and then goes on to
// the next, but no sooner than one unit after it began this one. A tick counts as begun at
// the latest when keepToTick first finds it used up.
func keepToTick(g *Generator, b setback) (int64, time.Duration, error) {
	at := g.marks[0].Load()
	newest := at >> g.tickShift
	if newest < b.first {
		return b.first, 0, nil
	}
	if at&g.lowMask < g.seqMask {
		return newest, 0, nil
	}
	elapsed := time.Since(g.born)
	g.mu.Lock()
	defer g.mu.Unlock()
	l := &g.logical
	if l.tick == newest+1 {
		return l.tick, 0, nil // another call has opened it just now
	}
	if l.tick != newest {
		*l = logicalTick{tick: newest, began: elapsed}
	}
	if pause := l.began + g.unit - elapsed; pause > 0 {
		return 0, pause, g.usedUpError(newest, pause)
	}
	l.tick++
	l.began += g.unit
	if elapsed-l.began >= g.unit {
		l.began = elapsed // idle time is not saved up
	}
	return l.tick, 0, nil
}
