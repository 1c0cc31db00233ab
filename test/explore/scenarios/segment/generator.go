//go:build explore

package segment

import (
	"context"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/test/explore"
)

// oneDrawn is a scene with a segment of two, of which one is drawn.
func oneDrawn(r *explore.Run) *scene {
	s := alone(r)
	s.take()
	s.call("setup", s.g.GetUID)
	return s
}

// draw: two takers at a segment's end, and the next one is in stock.
func draw(r *explore.Run) {
	s := oneDrawn(r)
	s.take()
	s.takers(2, "A", "B")
	s.counts()
}

// three: three takers at a segment's end.
func three(r *explore.Run) {
	s := oneDrawn(r)
	s.take()
	s.takers(1, "A", "B", "C")
	s.counts()
}

// lost: two takers, while the store turns out to have lost the numbers.
func lost(r *explore.Run) {
	s := oneDrawn(r)
	s.take()
	s.takers(1, "A", "B")
	r.Go("loss", func() {
		s.g.note(segmentstore.Range{}, ErrLost) // not to the log
		s.closed = true
	})
}

// fill: Fill beside a taker, over the same end.
func fill(r *explore.Run) {
	s := oneDrawn(r)
	s.take()
	s.takers(1, "A")
	r.Go("fill", func() {
		explore.Point()
		low := s.low
		all := make([]uid.UID, 3)
		n, _ := s.g.Fill(all)
		for _, u := range all[:n] {
			s.issued("fill", int64(u), low)
		}
	})
	s.counts()
}

// releases is a task that gives back what is left.
func (s *scene) releases() {
	s.Go("release", func() { _, _ = s.g.Release(context.Background()) }) // without a reply it fails
}

// release: two takers, Release, and another program.
func release(r *explore.Run) {
	s := oneDrawn(r)
	s.takers(1, "A", "B")
	s.releases()
	r.Go("other", s.other)
	s.counts()
}

// releaseTwice: numbers are given back, taken anew, and given back again.
func releaseTwice(r *explore.Run) {
	s := oneDrawn(r)
	s.takers(2, "A")
	r.Go("release", func() {
		_, _ = s.g.Release(context.Background())
		s.take()
		_, _ = s.g.Release(context.Background())
	})
	r.Go("other", s.other)
	s.counts()
}

// releaseAll: of two segments, while two calls draw.
func releaseAll(r *explore.Run) {
	s := oneDrawn(r)
	s.take()
	s.takers(1, "A", "B")
	s.releases()
	s.counts()
}

// releaseGap: another program has what lies between two segments.
func releaseGap(r *explore.Run) {
	s := oneDrawn(r)
	s.other()
	s.take()
	s.takers(1, "A")
	s.releases()
	s.counts()
}

// releaseInDoubt: nobody knows whether the numbers were given back. They were, and another program takes one.
func releaseInDoubt(r *explore.Run) {
	s := oneDrawn(r)
	s.store.deaf = true
	s.takers(2, "A")
	s.releases()
	r.Go("other", s.other)
	s.counts()
}

// closes: two takers, and Close.
func closes(r *explore.Run) {
	s := oneDrawn(r)
	s.take()
	s.takers(1, "A", "B")
	s.closer()
	s.counts()
}

// closeKept: and another program has taken numbers, so that none are given back.
func closeKept(r *explore.Run) {
	s := oneDrawn(r)
	s.other()
	s.takers(1, "A", "B")
	s.closer()
}

func (s *scene) closer() {
	s.Go("closer", func() {
		if err := s.g.Close(); err != nil {
			s.Failf("Close: %v", err)
		}
		s.closed = true
	})
}

// whole: a generator as it is, two takers, and Close.
func whole(r *explore.Run) {
	s := newScene(r)
	s.takers(1, "A", "B")
	s.closer()
	s.counts()
}
