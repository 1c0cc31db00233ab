// Package queue has calls wait: for UIDs, first come, first served ([Queue]), for [News], or for a tick ([Nap]).
package queue

import "container/list"

// A Queue holds the calls that wait, in the order in which they began to. Those that were served and have not
// collected yet come first, and keep their places: what they were given can be withdrawn. The zero value is empty.
// Its owner's lock guards it and its calls. Given is what a call gets.
type Queue[Given any] struct {
	line    list.List     // of *Call
	next    *list.Element // the first that was not served; nil if all were
	waiting int           // those that were not
	wanted  uint64        // how many UIDs these want
}

// A Call is one that waits.
type Call[Given any] struct {
	Want  uint64 // how many UIDs it takes at most, from one tick
	Got   uint64 // how many it was given; 0 until it is served
	Given Given
	at    *list.Element // its place, nil while it has none
	turn  chan struct{} // of one slot
}

// NewCall returns a call that has no place yet.
func NewCall[Given any](want uint64) *Call[Given] {
	return &Call[Given]{Want: want, turn: make(chan struct{}, 1)}
}

// Turn gets a token each time that the call is signalled, unless it has one that it has not seen.
func (c *Call[Given]) Turn() <-chan struct{} { return c.turn }

// Signal wakes the call.
func (c *Call[Given]) Signal() {
	select {
	case c.turn <- struct{}{}:
	default: // it is about to look
	}
}

// HasPlace reports whether the call is in a queue.
func (c *Call[Given]) HasPlace() bool { return c.at != nil }

// Waiting returns how many calls were not served, and Wanted how many UIDs they want.
func (q *Queue[Given]) Waiting() int   { return q.waiting }
func (q *Queue[Given]) Wanted() uint64 { return q.wanted }

// First returns the first call that was not served, or nil.
func (q *Queue[Given]) First() *Call[Given] { return call[Given](q.next) }

func call[Given any](e *list.Element) *Call[Given] {
	if e == nil {
		return nil
	}
	return e.Value.(*Call[Given])
}

// Join puts a call before another one that waits or, if that is nil, at the end.
func (q *Queue[Given]) Join(c, before *Call[Given]) {
	q.waiting++
	q.wanted += c.Want
	if before == nil {
		c.at = q.line.PushBack(c)
		if q.next == nil {
			q.next = c.at
		}
		return
	}
	c.at = q.line.InsertBefore(c, before.at)
	if q.next == before.at {
		q.next = c.at
	}
}

// Leave takes a call out of the queue. What it was given is the caller's.
func (q *Queue[Given]) Leave(c *Call[Given]) {
	if c.Got == 0 {
		q.waiting--
		q.wanted -= c.Want
	}
	if q.next == c.at {
		q.next = c.at.Next()
	}
	q.line.Remove(c.at)
	c.at = nil
}

// Give serves the first call.
func (q *Queue[Given]) Give(given Given, got uint64) {
	c := q.First()
	c.Given, c.Got = given, got
	q.waiting--
	q.wanted -= c.Want
	q.next = q.next.Next()
	c.Signal()
}

// Serve gives the calls, in their order, what allot has for so many UIDs at most, until that is none or nobody
// waits. It reports whether any was served.
func (q *Queue[Given]) Serve(allot func(want uint64) (given Given, got uint64)) (served bool) {
	for q.next != nil {
		given, got := allot(q.First().Want)
		if got == 0 {
			break
		}
		q.Give(given, got)
		served = true
	}
	return served
}

// Withdraw takes back what was given and not collected, and returns how much that is. Those calls wait again, before
// the others.
func (q *Queue[Given]) Withdraw() (lost uint64) {
	for e := q.line.Front(); e != q.next; e = e.Next() {
		c := call[Given](e)
		lost += c.Got
		c.Got = 0
		q.waiting++
		q.wanted += c.Want
	}
	q.next = q.line.Front()
	return lost
}
