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
	err       error
}

// whyNot says why draw failed, under the grant that was in force before draw. wait says
// whether the call waits at all, allowed that its handler has let it wait for the clock.
// g.mu has been held since draw.
func (g *Generator) whyNot(grant *tenure.Grant, wait, allowed bool) *refusal {
	if g.tenure.Grant() != grant {
		return &refusal{}
	}
	if grant.Ended != nil {
		return &refusal{err: grant.Ended}
	}
	now := g.now()
	next := max(int64(g.ring.Tail()), g.layout.TickAt(now), grant.First)
	if next > g.layout.MaxTick() {
		return &refusal{err: fmt.Errorf("%w: the last tick of the layout %s was %s",
			uid.ErrExhausted, g.layout, g.layout.Expires().Format(time.RFC3339))}
	}
	if next > grant.Until {
		news, err := g.tenure.Await(grant, next, g.wish(now), wait)
		return &refusal{news: news, err: err}
	}
	limit := g.leadLimit(now)
	if allowed {
		return &refusal{news: g.tenure.News()}
	}
	pause := max(g.layout.TimeOf(next-g.lead).Sub(g.steady(now)), 0)
	return &refusal{rejection: &uid.Rejection{
		Wait: pause,
		Err: fmt.Errorf("%w: tick %d is next, MaxLead %v allows %d; wait %v",
			uid.ErrRejectedTake, next, g.cfg.MaxLead, limit, pause),
	}}
}

// wait waits for news while run watches the clock. ahead says that the call holds a
// position ahead of the tail.
func (g *Generator) wait(ctx context.Context, news <-chan struct{}, ahead bool) error {
	g.addWaiting(1, ahead)
	defer g.addWaiting(-1, ahead)
	g.kick()
	select {
	case <-news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *Generator) addWaiting(n int, ahead bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state.waiting += n
	if ahead {
		g.state.held += n
	}
	if n > 0 {
		g.state.parked = false
	}
}
