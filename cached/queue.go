package cached

import (
	"cmp"
	"slices"

	"github.com/uidgen/uid/internal/queue"
	"github.com/uidgen/uid/ringbuffer"
)

// A line holds the calls that wait. Whoever publishes ticks allots positions to them before it opens
// the ring, so that no call that comes later passes one that waits: while the ring is open, every
// call has been served. Generator.mu guards it.
//
// The positions are allotted when their tick has been published, not when a call begins to wait. So
// a call that gives up takes nothing with it, and nothing has to be taken back when the clock skips
// a tick or the reservation is withdrawn, but what calls were given and have not collected yet.
type line struct {
	queue.Queue[given]
	// ahead are the calls whose positions lie ahead of the tail: their own claims ran over the end
	// of an open ring. The positions ascend, and lie before all that may be allotted.
	ahead []*waiter
}

type waiter = queue.Call[given]

// given is the UIDs of positions that follow each other.
type given struct {
	pos uint64 // the first one; before a call is served, its claim, if that lies ahead
	v   uint64 // its UID
}

// Waiting is how many calls have not been served.
func (l *line) Waiting() int { return l.Queue.Waiting() + len(l.ahead) }

// join puts a call into the queue: behind all others, or by its position if that is a claim ahead
// of the tail.
func (l *line) join(pos, want uint64, ahead bool) *waiter {
	w := queue.NewCall[given](want)
	w.Given.pos = pos
	if !ahead {
		l.Join(w, nil)
		return w
	}
	byPos := func(w *waiter, pos uint64) int { return cmp.Compare(w.Given.pos, pos) }
	i, _ := slices.BinarySearchFunc(l.ahead, pos, byPos)
	l.ahead = slices.Insert(l.ahead, i, w)
	return w
}

// leave takes a call out of the queue. What it was given is the caller's.
func (l *line) leave(w *waiter) {
	if w.HasPlace() {
		l.Leave(w)
		return
	}
	l.ahead = slices.DeleteFunc(l.ahead, func(x *waiter) bool { return x == w })
}

// serve gives the calls what is published for them, in their order, and returns how many
// positions were worth nothing. Either the ring is shut, or nobody is left to be served.
func (l *line) serve(ring *ringbuffer.Ring) (lost uint64) {
	first := l.First() // those whose ticks were passed over come before it
	for len(l.ahead) > 0 {
		w := l.ahead[0]
		v, state := ring.Resolve(w.Given.pos)
		if state == ringbuffer.Ahead {
			break
		}
		l.ahead = slices.Delete(l.ahead, 0, 1)
		if state == ringbuffer.Taken {
			l.Join(w, l.First())
			l.Give(given{w.Given.pos, v}, 1)
			continue
		}
		lost++
		l.Join(w, first)
	}
	l.Serve(func(want uint64) (given, uint64) {
		v, pos, got := ring.Allot(want)
		return given{pos, v}, got
	})
	return lost
}
