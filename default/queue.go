package uncached

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/nap"
	"github.com/uidgen/uid/internal/tenure"
)

// A queue holds the calls that wait for UIDs, in the order in which they began to. While there are
// any, no call takes before they have been served: whoever looks at the clock next takes for them
// first. One of them, the first, watches the clock.
type queue struct {
	// waiting is how many there are. Calls read it before they take; it is written under mu.
	waiting atomic.Int64
	mu      sync.Mutex // held while positions are taken for them, never during a wait
	line    list.List  // of *waiter
}

// A waiter is a call that waits. queue.mu guards it.
type waiter struct {
	want int64         // how many UIDs it takes at most, from one tick
	at   *list.Element // its place in line, nil once it is served or has left
	// What it was given, in which tick, under which grant; got is 0 until then.
	u     uid.UID
	got   int64
	tick  int64
	grant *tenure.Grant
	// turn has one slot. It gets a token when the call is served, or becomes the first.
	turn chan struct{}
}

func (w *waiter) signal() {
	select {
	case w.turn <- struct{}{}:
	default: // it has yet to look
	}
}

// takeInTurn takes up to n positions of a tick, like take, but for those that wait first; w is the
// call's own place, or nil.
func (g *Generator) takeInTurn(w *waiter, n int64, gr *tenure.Grant, tick, turn int64) (u uid.UID, got int64, out outcome) {
	q := &g.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	served := false
	for e := q.line.Front(); e != nil; e = q.line.Front() {
		first := e.Value.(*waiter)
		if u, got, out = g.take(gr, tick, turn, first.want); out != issued {
			if served {
				first.signal() // it watches the clock from now on
			}
			break
		}
		first.u, first.got, first.tick, first.grant = u, got, tick, gr
		q.drop(first)
		first.signal()
		served = true
	}
	switch {
	case w != nil && w.got > 0:
		return g.collect(w)
	case w == nil && q.line.Len() == 0:
		return g.take(gr, tick, turn, n)
	}
	return 0, 0, out // not issued, for somebody is left in line
}

// collect returns what a call was given, unless that is not reserved any more: then it is first
// in line again, and the positions stay unused. q.mu is held.
func (g *Generator) collect(w *waiter) (uid.UID, int64, outcome) {
	gr := g.tenure.Grant()
	if gr != w.grant && (gr.WorkerID != w.grant.WorkerID || w.tick < gr.First || w.tick > gr.Until) {
		w.got = 0
		w.at = g.queue.line.PushFront(w)
		g.queue.waiting.Add(1)
		return 0, 0, outdated
	}
	return w.u, w.got, issued
}

// join puts a call at the end of the line.
func (q *queue) join(want int64) *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &waiter{want: want, turn: make(chan struct{}, 1)}
	w.at = q.line.PushBack(w)
	q.waiting.Add(1)
	return w
}

// drop takes a call out of the line. q.mu is held.
func (q *queue) drop(w *waiter) {
	q.line.Remove(w.at)
	w.at = nil
	q.waiting.Add(-1)
}

// isFirst reports whether a call is the one that watches the clock.
func (q *queue) isFirst(w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return w.at != nil && w.at == q.line.Front()
}

// giveUp ends a call with an error, unless it was served meanwhile. Its place is free then.
func (g *Generator) giveUp(w *waiter, why error) (uid.UID, int64, error) {
	if w == nil {
		return 0, 0, why
	}
	q := &g.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.got > 0 {
		if u, got, out := g.collect(w); out == issued {
			return u, got, nil
		}
	}
	if w.at != nil {
		q.drop(w)
		if e := q.line.Front(); e != nil {
			e.Value.(*waiter).signal() // it may be the first now
		}
	}
	return 0, 0, why
}

// await waits until the call is served or has become the first, or the generator is closed.
func (g *Generator) await(ctx context.Context, w *waiter) error {
	select {
	case <-w.turn:
	case <-g.quit:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// sleep returns after d or somewhat earlier, when the call is served, when the generator is closed,
// or with ctx's error. w is nil for a call that has no place in the queue.
func (g *Generator) sleep(ctx context.Context, d time.Duration, w *waiter) error {
	if w != nil && d < maxSleep {
		// Timers may oversleep, and with short ticks much of the next one would be gone.
		if nap.Sleep(d) {
			return ctx.Err()
		}
		if d > nap.Longest {
			d -= nap.Longest
		}
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	var turn chan struct{}
	if w != nil {
		turn = w.turn
	}
	select {
	case <-timer.C:
	case <-turn:
	case <-g.quit:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
