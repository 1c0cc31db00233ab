package cached

import (
	"container/list"
	"slices"

	"github.com/uidgen/uid/ringbuffer"
)

// A queue holds the calls that wait, in the order in which they began to. Whoever publishes ticks
// allots positions to them before it opens the ring, so that no call that comes later passes one
// that waits: while the ring is open, every call of the queue has been served. Generator.mu guards
// it.
//
// The positions are allotted when their tick has been published, not when a call begins to wait. So
// a call that gives up takes nothing with it, and nothing has to be taken back when the clock skips
// a tick or the reservation is withdrawn, but what calls were given and have not collected yet.
type queue struct {
	// ahead are the calls whose positions lie ahead of the tail: their own claims ran over the end
	// of an open ring. The positions ascend, and lie before all that may be allotted.
	ahead []*waiter
	// line are the others. Those before next have been served, and have yet to collect; next is nil
	// if all have been.
	line list.List // of *waiter
	next *list.Element
	// waiting is how many calls have not been served, and wanted how many UIDs those in line want.
	waiting int
	wanted  uint64
}

// A waiter is a call that waits.
type waiter struct {
	pos  uint64        // its claim, if place is nil; else the first position that it was given
	want uint64        // how many UIDs it takes at most, from one tick
	got  uint64        // how many it was given; 0 until it is served
	v    uint64        // the first of them
	at   *list.Element // its place in line, nil while it is in ahead
	// served has one slot. It gets a token each time that the call is served.
	served chan struct{}
}

// join puts a call into the queue: behind all others, or by its position if that is a claim ahead
// of the tail.
func (q *queue) join(pos, want uint64, ahead bool) *waiter {
	w := &waiter{pos: pos, want: want, served: make(chan struct{}, 1)}
	q.waiting++
	if ahead {
		i, _ := slices.BinarySearchFunc(q.ahead, pos, func(w *waiter, pos uint64) int {
			if w.pos < pos {
				return -1
			}
			return 1
		})
		q.ahead = slices.Insert(q.ahead, i, w)
		return w
	}
	q.wanted += want
	w.at = q.line.PushBack(w)
	if q.next == nil {
		q.next = w.at
	}
	return w
}

// leave takes a call out of the queue. What it was given is the caller's.
func (q *queue) leave(w *waiter) {
	if w.got == 0 {
		q.waiting--
	}
	if w.at == nil {
		q.ahead = slices.DeleteFunc(q.ahead, func(x *waiter) bool { return x == w })
		return
	}
	if w.got == 0 {
		q.wanted -= w.want
	}
	if q.next == w.at {
		q.next = w.at.Next()
	}
	q.line.Remove(w.at)
}

// give serves a call.
func (q *queue) give(w *waiter, v, pos, got uint64) {
	w.v, w.pos, w.got = v, pos, got
	q.waiting--
	select {
	case w.served <- struct{}{}:
	default: // it has yet to see the last one, or is about to look
	}
}

// serve gives the calls what is published for them, in their order, and returns how many
// positions were worth nothing. Either the ring is shut, or nobody is left to be served.
func (q *queue) serve(ring *ringbuffer.Ring) (lost uint64) {
	missed := q.next // those whose ticks were passed over come first in line
	for len(q.ahead) > 0 {
		w := q.ahead[0]
		v, state := ring.Resolve(w.pos)
		if state == ringbuffer.Ahead {
			break
		}
		q.ahead = slices.Delete(q.ahead, 0, 1)
		if state == ringbuffer.Taken {
			w.at = q.line.PushFront(w)
			q.give(w, v, w.pos, 1)
			continue
		}
		lost++
		q.wanted += w.want
		if missed == nil {
			w.at = q.line.PushBack(w)
		} else {
			w.at = q.line.InsertBefore(w, missed)
		}
		if q.next == missed {
			q.next = w.at
		}
	}
	for q.next != nil {
		w := waiting(q.next)
		v, pos, got := ring.Allot(w.want)
		if got == 0 {
			break
		}
		q.wanted -= w.want
		q.give(w, v, pos, got)
		q.next = q.next.Next()
	}
	return lost
}

// withdraw takes back what was given and not collected, and returns how much that is. Those calls
// wait again, before the others in line.
func (q *queue) withdraw() (lost uint64) {
	for e := q.line.Front(); e != q.next; e = e.Next() {
		w := waiting(e)
		lost += w.got
		w.got = 0
		q.waiting++
		q.wanted += w.want
	}
	q.next = q.line.Front()
	return lost
}

func waiting(e *list.Element) *waiter { return e.Value.(*waiter) }
