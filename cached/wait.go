package cached

import (
	"context"
	"fmt"
	"time"

	uid "github.com/uidgen/uid"
)

// rejection is for the handler of a call that only the clock can help, if next is the first tick to be published.
// g.mu is held.
func (g *Generator) rejection(next int64, now time.Time) *uid.Rejection {
	turn := g.turn(next)
	pause := g.untilLead(turn, now)
	return &uid.Rejection{Wait: pause, Err: &leadError{turn, g.leadLimit(now), g.cfg.MaxLead, g.queue.Waiting(), pause}}
}

// A leadError is an ErrRejectedTake. Most handlers let the call wait, and nobody reads it: it is formatted
// when somebody does.
type leadError struct {
	turn, limit int64
	maxLead     time.Duration
	waiting     int
	pause       time.Duration
}

func (e *leadError) Error() string {
	return fmt.Sprintf("%v: tick %d is next, MaxLead %v allows %d; %d calls wait; wait %v",
		uid.ErrRejectedTake, e.turn, e.maxLead, e.limit, e.waiting, e.pause)
}

func (e *leadError) Unwrap() error { return uid.ErrRejectedTake }

// turn returns the tick from which a call would be served that joined the queue now, if next
// is the first to be published. g.mu is held and the ring is shut.
func (g *Generator) turn(next int64) int64 {
	begin := max(g.ring.Position(), uint64(next)<<g.seqBits)
	return min(int64(g.ring.Tick(begin+g.queue.Wanted())), g.layout.MaxTick())
}

// join puts a call into the queue, as line.join does, and sees to it that run watches the clock for it. g.mu is held.
func (g *Generator) join(pos, want uint64, ahead bool) *waiter {
	w := g.queue.join(pos, want, ahead)
	g.state.parked = false
	if g.queue.Waiting() == 1 {
		g.kick()
	}
	return w
}

// wait waits until the call is served, or there is news of the reservation, while run
// watches the clock.
func wait(ctx context.Context, w *waiter, news <-chan struct{}) error {
	select {
	case <-w.Turn():
		return nil
	case <-news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
