package cached

import (
	"context"
	"fmt"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/tenure"
)

// A refusal says why draw failed: it has a rejection for the call's handler, or news to
// wait for, or the error for the call to return. With none of these, another grant is in
// force by now, and the call tries again.
type refusal struct {
	rejection *uid.Rejection
	news      <-chan struct{}
	untold    bool // it waits for the clock, and its handler was not asked
	err       error
}

// whyNot says why draw failed, under the grant that was in force before draw. g.mu has been
// held since draw.
func (g *Generator) whyNot(grant *tenure.Grant, c *call) *refusal {
	if g.tenure.Grant() != grant {
		return &refusal{}
	}
	if grant.Ended != nil {
		return &refusal{err: grant.Ended}
	}
	now := g.now()
	next := g.nextTick(now, grant)
	if next > g.layout.MaxTick() {
		return &refusal{err: fmt.Errorf("%w: the last tick of the layout %s was %s",
			uid.ErrExhausted, g.layout, g.layout.Expires().Format(time.RFC3339))}
	}
	if next > grant.Until {
		news, err := g.tenure.Await(grant, next, g.wish(now), c.waits)
		return &refusal{news: news, err: err}
	}
	if c.allowed {
		return &refusal{news: g.tenure.News(), untold: g.patient}
	}
	turn := g.turn(next)
	pause := g.untilLead(turn, now)
	return &refusal{rejection: &uid.Rejection{
		Wait: pause,
		Err:  &leadError{turn, g.leadLimit(now), g.cfg.MaxLead, g.queue.waiting, pause},
	}}
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
	return min(int64(g.ring.Tick(begin+g.queue.wanted)), g.layout.MaxTick())
}

// wait waits until the call is served, or there is news of the reservation, while run
// watches the clock.
func (g *Generator) wait(ctx context.Context, w *waiter, news <-chan struct{}) error {
	select {
	case <-w.served:
		return nil
	case <-news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
