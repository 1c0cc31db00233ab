package backfill

// sweepFrom is the number of remembered ticks below which no forgotten one is looked for.
const sweepFrom = 1024

// levels says how many UIDs of each tick were issued. The zero levels are not usable: see
// newLevels. The generator's lock guards them.
type levels struct {
	capacity int64           // of a tick
	used     map[int64]int64 // by tick; none is 0
	// next leads from a full tick to a later one; all ticks between are full, too.
	next map[int64]int64
	// sweepAt is how many ticks are remembered before those that can be forgotten are.
	sweepAt int
}

func newLevels(capacity int64) levels {
	return levels{capacity: capacity, used: map[int64]int64{}, next: map[int64]int64{}, sweepAt: sweepFrom}
}

// take takes n UIDs of a tick that has so many left, and returns the number of the first, counted from 0.
func (l *levels) take(tick, n int64) int64 {
	first := l.used[tick]
	l.used[tick] = first + n
	if first+n == l.capacity {
		l.next[tick] = tick + 1
	}
	return first
}

// room returns how many UIDs of a tick are left.
func (l *levels) room(tick int64) int64 { return l.capacity - l.used[tick] }

// open returns the first tick from the given one on that is not full. It shortens the way for the
// next call, so that a long run of full ticks is walked once.
func (l *levels) open(tick int64) int64 {
	found := tick
	for after, full := l.next[found]; full; after, full = l.next[found] {
		found = after
	}
	for tick != found {
		after := l.next[tick]
		l.next[tick] = found
		tick = after
	}
	return found
}

// forget drops the ticks before the oldest one that may still be asked for, once there are many: so
// a call costs a constant time on average, and at most twice as many ticks are kept as needed.
func (l *levels) forget(oldest int64) {
	if len(l.used) < l.sweepAt {
		return
	}
	for tick := range l.used {
		if tick < oldest {
			delete(l.used, tick)
			delete(l.next, tick)
		}
	}
	l.sweepAt = max(sweepFrom, 2*len(l.used))
}
