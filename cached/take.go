package cached

import (
	"context"
	"fmt"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/ringbuffer"
)

// takeSlow brings a claim that Take could not settle to an end. A nil handler means
// that the call does not wait.
func (g *Generator) takeSlow(ctx context.Context, pos uint64, handler TakeHandler) (uid.UID, error) {
	v, _, err := g.settle(ctx, pos, handler)
	return uid.UID(v), err
}

// settle returns the UID of pos, or of a position that it claims in its place, and
// which position that is. If it fails, the position is given up.
func (g *Generator) settle(ctx context.Context, pos uint64, handler TakeHandler) (v, settled uint64, err error) {
	if v, state := g.ring.Resolve(pos); state == ringbuffer.Taken {
		if g.ring.Enters(pos) {
			g.topUp(g.ring.Tick(pos))
		}
		return v, pos, nil
	}
	asked := false // whether the handler has allowed the wait that comes next
	for attempt := 0; ; {
		g.mu.Lock()
		v, ahead, ok := g.draw(&pos)
		if ok {
			g.mu.Unlock()
			return v, pos, nil
		}
		rejection, news, reason := g.refusal(handler != nil)
		if reason == nil && rejection == nil && news == nil {
			g.mu.Unlock()
			continue // it could go on by now
		}
		if reason == nil && (asked || rejection == nil) {
			err := g.wait(ctx, news, ahead) // unlocks
			if err == nil {
				asked = false
				continue
			}
			reason = err
		} else {
			g.mu.Unlock()
		}
		if reason == nil {
			rejection.Attempt = attempt
			if attempt == 0 {
				g.counts.rejectedTakes.Add(1)
			}
			attempt++
			if handler == nil {
				reason = rejection.Err
			} else {
				reason = rejection.Err
				g.contain("OnRejectedTake", func() { reason = handler(*rejection) })
				asked = true
			}
		}
		if reason != nil {
			if ahead {
				g.counts.lost.Add(1)
			}
			return 0, 0, reason
		}
	}
}

// draw settles a claim with g.mu held: it refills the ring if need be, and claims
// anew if the claim is void. If it fails, ahead says whether pos is a valid claim on
// a tick that is yet to be published; the ring is then shut.
func (g *Generator) draw(pos *uint64) (v uint64, ahead, ok bool) {
	if g.closed() {
		return 0, false, false
	}
	refilled := false
	for {
		v, state := g.ring.Resolve(*pos)
		switch {
		case state == ringbuffer.Taken:
			return v, false, true
		case state == ringbuffer.Missed:
			g.counts.lost.Add(1)
			*pos = noClaim
		case state == ringbuffer.NotOpen && !g.ring.IsShut() && g.ring.Position()>>63 == 0:
			// The claim is made with the lock held, so that a ring that was just opened
			// cannot be shut again before its opener has drawn from it. (Where a position
			// takes all of 63 bits, those behind the last tick have the upper bit set, and
			// claiming one more would bring nothing.) Others may have emptied the ring
			// again meanwhile, and made room for more.
			*pos = g.ring.Claim(1)
			refilled = false
		case !refilled:
			now := g.now()
			g.refill(now)
			g.reopen(now)
			refilled = true
		default:
			// Nothing may be published. As long as that is so, takers are not to claim
			// what they cannot get.
			g.ring.Shut()
			return 0, state == ringbuffer.Ahead, false
		}
	}
}

// noClaim is a position that is worth nothing: a claim on a ring that was shut.
const noClaim = 1 << 63

// topUp refills the ring if tick, whose run the caller is the first to draw from, is
// among the last ones buffered. If somebody else is at it already, so much the better.
func (g *Generator) topUp(tick uint64) {
	if g.ring.Tail() >= tick+g.padBelow || !g.mu.TryLock() {
		return
	}
	now := g.now()
	g.refill(now)
	g.reopen(now)
	g.mu.Unlock()
}

// refusal says why draw failed: with a rejection that the call's handler is to judge, or
// with the error that the call is to return. The channel is what the call may wait for.
// With none of them, it may try again at once. g.mu is held.
func (g *Generator) refusal(wait bool) (*Rejection, <-chan struct{}, error) {
	grant := g.tenure.Grant()
	if grant.Ended != nil {
		return nil, nil, grant.Ended
	}
	now := g.now()
	next := max(int64(g.ring.Tail()), g.layout.TickAt(now), grant.First)
	if next > g.layout.MaxTick() {
		return nil, nil, fmt.Errorf("%w: the last tick of the layout %s was %s",
			uid.ErrExhausted, g.layout, g.layout.Expires().Format(time.RFC3339))
	}
	if next > grant.Until {
		news, err := g.tenure.Await(grant, next, g.wish(now), wait)
		return nil, news, err
	}
	limit := g.leadLimit(now)
	if next <= limit {
		return nil, nil, nil
	}
	pause := max(g.layout.TimeOf(next-g.lead).Sub(g.steady(now)), 0)
	return &Rejection{
		Wait: pause,
		Err: fmt.Errorf("%w: tick %d is next, MaxLead %v allows %d; wait %v",
			uid.ErrRejectedTake, next, g.cfg.MaxLead, limit, pause),
	}, g.tenure.News(), nil
}

// wait waits for news, and for run to look at the clock. g.mu is held at the call and
// released by it.
func (g *Generator) wait(ctx context.Context, news <-chan struct{}, ahead bool) error {
	s := &g.state
	s.waiting++
	if ahead {
		s.held++
	}
	s.parked = false
	g.mu.Unlock()
	g.kick()

	var err error
	select {
	case <-news:
	case <-ctx.Done():
		err = ctx.Err()
	}
	g.mu.Lock()
	s.waiting--
	if ahead {
		s.held--
	}
	g.mu.Unlock()
	return err
}

// contain calls a handler of the user's and survives its panic.
func (g *Generator) contain(name string, call func()) {
	defer func() {
		if r := recover(); r != nil {
			if g.counts.handlerPanics.Add(1) == 1 {
				g.cfg.Logger.Error("uid: a handler panicked; further panics are only counted", "handler", name, "panic", r)
			}
		}
	}()
	call()
}
