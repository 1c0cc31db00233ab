//go:build explore

package cached

import (
	"github.com/uidgen/uid/test/explore"
)

// onShards is a scene on which the first shard holds a chunk of two, of which one is drawn.
func onShards(s *scene) *shard {
	home := &s.g.Unordered().home[0]
	s.Quiet(&s.g.Unordered().home[1])
	s.call("setup", home.take)
	return home
}

// crowd: three takers at the end of a chunk.
func crowd(r *explore.Run) {
	s := newScene(r, long)
	s.takers(1, onShards(s).take, "A", "B", "C")
}

// chunk: two takers at the end of a chunk, and Close.
func chunk(r *explore.Run) {
	s := newScene(r, long)
	s.takers(2, onShards(s).take, "A", "B")
	s.ends()
}

// stale: two takers, while the chunk gets stale.
func stale(r *explore.Run) {
	s := newScene(r, long)
	home := onShards(s)
	s.takers(2, home.take, "A", "B")
	s.passes()
}

// onRest has the shard hold the last UID of a tick, and the first two of the next one.
func onRest(s *scene) *shard {
	home := onShards(s)
	home.chunk = 4
	s.call("setup", home.take)
	s.call("setup", home.take)
	return home
}

// rest: as chunk, where what the shard has claimed reaches into the next tick.
func rest(r *explore.Run) {
	s := newScene(r, fours)
	home := onRest(s)
	s.takers(2, home.take, "A")
	s.takers(1, home.take, "B")
	s.ends()
}

// restStale: as stale, likewise. The clock comes to the tick after the next.
func restStale(r *explore.Run) {
	s := newScene(r, fours)
	home := onRest(s)
	s.takers(2, home.take, "A")
	s.takers(1, home.take, "B")
	s.now = s.now.Add(s.g.unit)
	s.passes()
}

// restStaleTwice: the clock comes to two ticks, one after the other.
func restStaleTwice(r *explore.Run) {
	s := newScene(r, fours)
	s.takers(2, onRest(s).take, "A")
	s.passes()
	s.passes()
}

// onSplit has the shard be split at the end of its chunk.
func onSplit(s *scene) *shard {
	home := onShards(s)
	home.meetings = splitAfter
	return home
}

// split: two takers split the shard, while the generator is closed.
func split(r *explore.Run) {
	s := newScene(r, long)
	s.takers(2, onSplit(s).take, "A", "B")
	s.ends()
}

// splitStale: while what is in the parts gets stale.
func splitStale(r *explore.Run) {
	s := newScene(r, long)
	s.takers(2, onSplit(s).take, "A", "B")
	s.passes()
}
