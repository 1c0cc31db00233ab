package cached

import (
	"context"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/ringbuffer"
)

// takeSlow settles a claim that Take has just made and could not. A nil handler means that the
// call does not wait.
func (g *Generator) takeSlow(ctx context.Context, pos uint64, handler uid.TakeHandler) (uid.UID, error) {
	// With ticks of few UIDs most claims come here, and lie in the block in front. (Should the
	// first one of a block find that another call has put it there already, nobody tops the ring up
	// for this block, and the next block's does.)
	if v, ok := g.ring.OfFront(pos); ok {
		return uid.UID(v), nil
	}
	return g.takeSettled(ctx, pos, handler)
}

// takeSettled is takeSlow beyond the block in front, and for claims of long ago: front may still name a
// block that was withdrawn since. It stands apart to keep takeSlow's frame small, too.
func (g *Generator) takeSettled(ctx context.Context, pos uint64, handler uid.TakeHandler) (uid.UID, error) {
	v, state := g.ring.Resolve(pos)
	if state != ringbuffer.Taken {
		v, _, _, err := g.settle(ctx, pos, 1, handler)
		return uid.UID(v), err
	}
	if g.ring.Enters(pos) {
		g.topUp(g.ring.Tick(pos))
	}
	return uid.UID(v), nil
}

// settle returns the UID of pos, which makes one, or the first of up to want UIDs that it
// gets instead, from one tick; and their first position and number. If it fails, the
// position is given up.
func (g *Generator) settle(ctx context.Context, pos, want uint64, handler uid.TakeHandler) (v, settled, got uint64, err error) {
	if v, state := g.ring.Resolve(pos); state == ringbuffer.Taken {
		if g.ring.Enters(pos) {
			g.topUp(g.ring.Tick(pos))
		}
		return v, pos, 1, nil
	}
	c := call{pos: pos, want: want, waits: handler != nil, allowed: handler != nil && g.patient}
	for {
		v, got, why := g.attempt(&c)
		switch {
		case why == nil:
			return v, c.pos, got, nil
		case why.rejection != nil:
			g.counts.rejectedTakes.Add(1)
			err = g.judge(handler, why.rejection)
			c.allowed = true
		case why.news != nil:
			err = g.wait(ctx, c.place, why.news)
		default:
			err = why.err
		}
		if err != nil {
			return g.giveUp(&c, err)
		}
	}
}

// A call is one that needs the lock. Its goroutine owns it; what place points at is
// guarded by Generator.mu.
type call struct {
	pos     uint64 // its claim
	ahead   bool   // which is valid, but of a tick that is yet to be published
	want    uint64 // how many UIDs it takes, instead of that one, at most
	waits   bool
	allowed bool    // its handler has let it wait for the clock, or would
	place   *waiter // in the queue, or nil
}

// attempt draws, and says why it could not. Then a call that waits has a place in the
// queue, unless its handler has yet to be asked. It never waits.
func (g *Generator) attempt(c *call) (v, got uint64, why *refusal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	grant := g.tenure.Grant()
	if c.place == nil {
		if v, ok := g.draw(c); ok {
			return v, 1, nil
		}
	} else {
		if c.place.got == 0 {
			g.refill(g.now())
		}
		if c.place.got > 0 {
			v, got = g.collect(c)
			return v, got, nil
		}
	}
	why = g.whyNot(grant, c)
	if why.news != nil && c.place == nil {
		c.place = g.queue.join(c.pos, c.want, c.ahead)
		g.state.parked = false
		if why.untold {
			g.counts.rejectedTakes.Add(1)
		}
		if g.queue.waiting == 1 {
			g.kick() // run does not watch the clock for it yet
		}
	}
	return 0, 0, why
}

// collect takes what the call was given, and its place. g.mu is held.
func (g *Generator) collect(c *call) (v, got uint64) {
	w := c.place
	g.queue.leave(w)
	c.place, c.pos = nil, w.pos
	return w.v, w.got
}

// giveUp ends a call with an error, unless it was served while its context ended. Its place
// is free then. What is lost is a position that the call claimed itself, past the end of
// what was ready.
func (g *Generator) giveUp(c *call, why error) (v, settled, got uint64, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	lost := c.ahead
	if w := c.place; w != nil {
		if w.got > 0 {
			v, got = g.collect(c)
			return v, c.pos, got, nil
		}
		lost = w.at == nil
		g.queue.leave(w)
	}
	if lost {
		g.counts.lost.Add(1)
	}
	return 0, 0, 0, why
}

// draw settles a call's claim with g.mu held: it refills the ring if need be, and claims
// anew if the claim is void. If it fails, the ring is shut.
func (g *Generator) draw(c *call) (v uint64, ok bool) {
	c.ahead = false
	if g.closed() {
		return 0, false
	}
	refilled := false
	for {
		v, state := g.ring.Resolve(c.pos)
		switch {
		case state == ringbuffer.Taken:
			return v, true
		case state == ringbuffer.Missed:
			g.counts.lost.Add(1)
			c.pos = noClaim
		case state == ringbuffer.NotOpen && !g.ring.IsShut() && g.ring.Position()>>63 == 0:
			// Claim with the lock held, so that nobody can shut the ring again before its
			// opener has drawn from it. (If positions take all 63 bits, those after the last
			// tick have the upper bit set, and another claim would be of no use.) Others may
			// have emptied the ring again meanwhile, and made room for more.
			c.pos = g.ring.Claim(1)
			refilled = false
		case !refilled:
			g.refill(g.now())
			refilled = true
		default:
			// Nothing may be published. Until that changes, takers should not claim what
			// they cannot get.
			g.ring.Shut()
			c.ahead = state == ringbuffer.Ahead
			return 0, false
		}
	}
}

// noClaim is a position that is worth nothing: a claim on a ring that was shut.
const noClaim = 1 << 63

// topUp refills the ring if tick, from which the caller is the first to draw, is among
// the last ones buffered. If another goroutine is already doing so, it returns at once.
func (g *Generator) topUp(tick uint64) {
	if g.ring.Tail() < tick+g.padBelow && g.mu.TryLock() {
		g.topUpSlow()
	}
}

// topUpSlow is the rest of topUp, which is small enough to be inlined without it. g.mu is held.
func (g *Generator) topUpSlow() {
	defer g.mu.Unlock()
	g.refill(g.now())
}
