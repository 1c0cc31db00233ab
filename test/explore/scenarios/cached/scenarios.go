//go:build explore

package cached

import (
	"testing"
	"testing/synctest"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/test/explore"
)

func TestExplore(t *testing.T) {
	explore.Test(t, explore.Scenarios{
		// Two takers at the end of a tick, and Close.
		"close": on(twos, (*scene).setup, takers(2, "A", "B"), (*scene).ends),
		// Two takers, while what is buffered is discarded.
		"revoked": on(twos, (*scene).setup, takers(2, "A", "B"), (*scene).discards),
		// Fill, and one that draws directly, over the ends of ticks, while the clock moves on.
		"fill": on(twos, (*scene).setup, takers(1, "A"), (*scene).fills, (*scene).passes),
		// A Lane, one that draws directly, and Close.
		"lane": on(long, (*scene).lane, takers(1, "A"), (*scene).ends),
		// A Lane, while what it holds gets stale.
		"laneStale": on(long, (*scene).lane, (*scene).passes),

		// Three takers at the end of a chunk.
		"crowd": on(long, (*scene).onShards, takers(1, "A", "B", "C")),
		// Two takers at the end of a chunk, and Close.
		"chunk": on(long, (*scene).onShards, takers(2, "A", "B"), (*scene).ends),
		// Two takers, while the chunk gets stale.
		"stale": on(long, (*scene).onShards, takers(2, "A", "B"), (*scene).passes),
		// As chunk, where what the shard has claimed reaches into the next tick.
		"rest": on(fours, (*scene).onRest, takers(2, "A"), takers(1, "B"), (*scene).ends),
		// As stale, likewise. The clock comes to the tick after the next.
		"restStale": on(fours, (*scene).onRest, takers(2, "A"), takers(1, "B"), (*scene).tick, (*scene).passes),
		// The clock comes to two ticks, one after the other.
		"restStaleTwice": on(fours, (*scene).onRest, takers(2, "A"), (*scene).passes, (*scene).passes),
		// Two takers split the shard, while the generator is closed.
		"split": on(long, (*scene).onSplit, takers(2, "A", "B"), (*scene).ends),
		// While what is in the parts gets stale.
		"splitStale": on(long, (*scene).onSplit, takers(2, "A", "B"), (*scene).passes),
	})
}

func TestExploreWhole(t *testing.T) {
	explore.TestWhole(t, explore.Scenarios{
		// A generator with its goroutine, two takers, Close, and a revocation.
		"whole":   on(twos, (*scene).begun, takers(1, "A", "B"), (*scene).closer),
		"revoked": on(twos, (*scene).begun, takers(1, "A", "B"), (*scene).revoker, (*scene).closer),
	})
}

// on is a scenario that begins with a generator of a layout, and adds tasks and checks.
func on(l bits.Layout, parts ...func(*scene)) explore.Scenario {
	return func(r *explore.Run) {
		s := newScene(r, l)
		for _, part := range parts {
			part(s)
		}
	}
}

// takers are tasks that make so many calls each.
func takers(times int, names ...string) func(*scene) {
	return func(s *scene) { s.Each(times, func(name string) { s.call(name, s.draw) }, names...) }
}

// setup draws a UID before the tasks begin.
func (s *scene) setup() { s.call("setup", s.draw) }

// tick has the clock come to the next tick.
func (s *scene) tick() { s.now = s.now.Add(s.g.unit) }

// passes is a task in whose time the clock comes to the next tick and the generator's goroutine looks at it.
func (s *scene) passes() {
	s.Go("clock", func() {
		s.tick()
		s.g.lock().tend(false)
		s.g.mu.Unlock()
		s.low = uid.UID(s.g.staleBelow.Peek())
	})
}

func (s *scene) discards() {
	s.Go("revoker", func() {
		s.g.discard()
		s.low = uid.UID(s.g.discardedBelow << s.g.valBits)
	})
}

func (s *scene) fills() {
	s.Go("fill", func() {
		explore.Point()
		low := s.low
		all := make([]uid.UID, 4)
		n, err := s.g.Fill(all)
		if err != nil {
			s.Failf("fill: %v", err)
		}
		for _, u := range all[:n] {
			s.has("fill", u, low, false)
		}
	})
}

// lane is a task that makes two calls of a Lane.
func (s *scene) lane() {
	draw := s.g.Lane().GetUID
	s.Each(2, func(name string) { s.call(name, draw) }, "lane")
}

// onShards has takers draw from the first shard, which holds a chunk of two, of which one is drawn.
func (s *scene) onShards() {
	s.draw = s.g.Unordered().home[0].take
	s.Quiet(&s.g.Unordered().home[1])
	s.setup()
}

// onRest has the shard hold the last UID of a tick, and the first two of the next one.
func (s *scene) onRest() {
	s.onShards()
	s.g.Unordered().home[0].chunk = 4
	s.setup()
	s.setup()
}

// onSplit has the shard be split at the end of its chunk.
func (s *scene) onSplit() {
	s.onShards()
	s.g.Unordered().home[0].meetings = splitAfter
}

// begun lets the generator's goroutine begin.
func (s *scene) begun() {
	synctest.Wait()
	s.setup()
}

func (s *scene) revoker() {
	s.Go("revoker", func() {
		tail := s.g.ring.Tail()
		s.worker.Terms.Revoke()
		s.low = uid.UID(tail << s.g.valBits)
	})
}

func (s *scene) closer() {
	s.Go("closer", func() {
		if err := s.g.Close(); err != nil {
			s.Failf("Close: %v", err)
		}
		s.closed = true
	})
	s.Check(func() error { return s.told(s.worker.Released[0]) })
}
