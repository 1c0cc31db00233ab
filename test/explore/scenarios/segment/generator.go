//go:build explore

package segment

import (
	"context"
	"testing"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/explore"
)

// A segment of two numbers has two spans then.
//
//explore:edit span.go early := n / 10 => early := n / 2

func TestExplore(t *testing.T) {
	explore.Test(t, explore.Scenarios{
		// Two takers at a segment's end, and the next one is in stock.
		"draw": on(oneDrawn, (*scene).take, takers(2, "A", "B"), (*scene).counts),
		// Three takers at a segment's end.
		"three": on(oneDrawn, (*scene).take, takers(1, "A", "B", "C"), (*scene).counts),
		// Two takers, while the store turns out to have lost the numbers.
		"lost": on(oneDrawn, (*scene).take, takers(1, "A", "B"), (*scene).loss),
		// Fill beside a taker, over the same end.
		"fill": on(oneDrawn, (*scene).take, takers(1, "A"), (*scene).fill, (*scene).counts),
		// Two takers, Release, and another program.
		"release": on(oneDrawn, takers(1, "A", "B"), (*scene).release, (*scene).program, (*scene).counts),
		// Numbers are given back, taken anew, and given back again.
		"releaseTwice": on(oneDrawn, takers(2, "A"), (*scene).releaseTwice, (*scene).program, (*scene).counts),
		// Release of two segments, while two calls draw.
		"releaseAll": on(oneDrawn, (*scene).take, takers(1, "A", "B"), (*scene).release, (*scene).counts),
		// Another program has what lies between two segments.
		"releaseGap": on(oneDrawn, (*scene).other, (*scene).take, takers(1, "A"), (*scene).release, (*scene).counts),
		// Nobody knows whether the numbers were given back. They were, and another program takes one.
		"releaseInDoubt": on(oneDrawn, (*scene).deafen, takers(2, "A"), (*scene).release, (*scene).program,
			(*scene).counts),
		// Two takers, and Close.
		"close": on(oneDrawn, (*scene).take, takers(1, "A", "B"), (*scene).closer, (*scene).counts),
		// And another program has taken numbers, so that none are given back.
		"closeKept": on(oneDrawn, (*scene).other, takers(1, "A", "B"), (*scene).closer),
	})
}

func TestExploreWhole(t *testing.T) {
	explore.TestWhole(t, explore.Scenarios{
		// A generator as it is, two takers, and Close.
		"whole": on(newScene, takers(1, "A", "B"), (*scene).closer, (*scene).counts),
	})
}

// on is a scenario that begins with a scene, and adds tasks and checks.
func on(begin func(*explore.Run) *scene, parts ...func(*scene)) explore.Scenario {
	return func(r *explore.Run) {
		s := begin(r)
		for _, part := range parts {
			part(s)
		}
	}
}

// oneDrawn is a scene with a segment of two, of which one is drawn.
func oneDrawn(r *explore.Run) *scene {
	s := alone(r)
	s.take()
	s.call("setup", s.g.GetUID)
	return s
}

// takers are tasks that make so many calls.
func takers(times int, names ...string) func(*scene) {
	return func(s *scene) { s.Each(times, func(name string) { s.call(name, s.g.GetUID) }, names...) }
}

// loss is a task that tells of lost numbers.
func (s *scene) loss() {
	s.Go("loss", func() {
		s.g.record(storage.Numbers{}, ErrLost) // not to the log
		s.closed = true
	})
}

func (s *scene) fill() {
	s.Go("fill", func() {
		explore.Point()
		low := s.low
		all := make([]uid.UID, 3)
		n, _ := s.g.Fill(all)
		for _, u := range all[:n] {
			s.issued("fill", int64(u), low)
		}
	})
}

// release is a task that gives back what is left.
func (s *scene) release() {
	s.Go("release", func() { _, _ = s.g.Release(context.Background()) }) // without a reply it fails
}

func (s *scene) releaseTwice() {
	s.Go("release", func() {
		_, _ = s.g.Release(context.Background())
		s.take()
		_, _ = s.g.Release(context.Background())
	})
}

// program is a task that is another program.
func (s *scene) program() { s.Go("other", s.other) }

// deafen has the store give no replies from now on.
func (s *scene) deafen() { s.store.deaf = true }

func (s *scene) closer() {
	s.Go("closer", func() {
		if err := s.g.Close(); err != nil {
			s.Failf("Close: %v", err)
		}
		s.closed = true
	})
}
