package uncached

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/queue"
	"github.com/uidgen/uid/internal/tenure"
)

// A line holds the calls that wait. While there are any, no call takes before they have been served:
// whoever looks at the clock next takes for them first. One of them, the first, watches the clock.
type line struct {
	// waiting is how many there are. Calls read it before they take; unlock writes it.
	waiting atomic.Int64
	mu      sync.Mutex // held while positions are taken for them, never during a wait
	queue.Queue[given]
}

func (l *line) unlock() {
	l.waiting.Store(int64(l.Waiting()))
	l.mu.Unlock()
}

// A waiter is a call that waits. It is signalled when it is served, or becomes the first.
type waiter = queue.Call[given]

// given is what a call was given, in which tick, under which grant.
type given struct {
	u     uid.UID
	tick  int64
	grant *tenure.Grant
}

// takeInTurn takes up to n positions of a tick, like take, but for those that wait first; w is the
// call's own place, or nil.
func (g *Generator) takeInTurn(
	w *waiter, n int64, gr *tenure.Grant, tick, turn int64,
) (u uid.UID, got int64, out outcome) {
	l := &g.queue
	l.mu.Lock()
	defer l.unlock()
	if len(g.marks) > 1 && l.Waiting() > 0 {
		// Each tick has a mark of its own, so a reading from before a call joined could give it a smaller UID than
		// its goroutine has had.
		tick = g.clock.tick()
	}
	served := l.Serve(func(want uint64) (given, uint64) {
		u, got, out = g.take(gr, tick, turn, int64(want))
		return given{u, tick, gr}, uint64(got)
	})
	if first := l.First(); first != nil && served {
		first.Signal() // it watches the clock from now on
	}
	switch {
	case w != nil && w.Got > 0:
		return g.collect(w)
	case w == nil && l.Waiting() == 0:
		return g.take(gr, tick, turn, n)
	}
	return 0, 0, out // not issued, for somebody is left in line
}

// collect returns what a call was given, unless that is not reserved any more: then it waits again, and so do
// all who have not collected, before the others. The positions stay unused. queue.mu is held.
func (g *Generator) collect(w *waiter) (uid.UID, int64, outcome) {
	gr, was := g.tenure.Grant(), w.Given.grant
	if gr != was && (gr.WorkerID != was.WorkerID || w.Given.tick < gr.First || w.Given.tick > gr.Until) {
		g.queue.Withdraw()
		return 0, 0, outdated
	}
	u, got := w.Given.u, int64(w.Got)
	g.queue.Leave(w)
	return u, got, issued
}

// join puts a call at the end of the line.
func (l *line) join(want int64) *waiter {
	l.mu.Lock()
	defer l.unlock()
	w := queue.NewCall[given](uint64(want))
	l.Join(w, nil)
	return w
}

// isFirst reports whether a call is the one that watches the clock.
func (l *line) isFirst(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return w == l.First()
}

// giveUp ends a call with an error, unless it was served meanwhile. Its place is free then.
func (g *Generator) giveUp(w *waiter, why error) (uid.UID, int64, error) {
	if w == nil {
		return 0, 0, why
	}
	l := &g.queue
	l.mu.Lock()
	defer l.unlock()
	if w.Got > 0 {
		if u, got, out := g.collect(w); out == issued {
			return u, got, nil
		}
	}
	l.Leave(w)
	if first := l.First(); first != nil {
		first.Signal() // it may be the first now
	}
	return 0, 0, why
}

// await waits until the call is served or has become the first, or the generator is closed.
func (g *Generator) await(ctx context.Context, w *waiter) error {
	select {
	case <-w.Turn():
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
		if queue.Nap(d) {
			return ctx.Err()
		}
		if d > queue.LongestNap {
			d -= queue.LongestNap
		}
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	var turn <-chan struct{}
	if w != nil {
		turn = w.Turn()
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
