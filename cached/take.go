package cached

import (
	"context"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/ringbuffer"
)

// takeSlow settles a claim that Take could not. A nil handler means that the call does
// not wait.
func (g *Generator) takeSlow(ctx context.Context, pos uint64, handler uid.TakeHandler) (uid.UID, error) {
	v, _, err := g.settle(ctx, pos, handler)
	return uid.UID(v), err
}

// settle returns the UID of pos, or of a position that it claims instead, and that
// position. If it fails, the position is given up.
func (g *Generator) settle(ctx context.Context, pos uint64, handler uid.TakeHandler) (v, settled uint64, err error) {
	if v, state := g.ring.Resolve(pos); state == ringbuffer.Taken {
		if g.ring.Enters(pos) {
			g.topUp(g.ring.Tick(pos))
		}
		return v, pos, nil
	}
	allowed := false // the handler has allowed the wait that comes next
	for attempt := 0; ; {
		v, ahead, why := g.attempt(&pos, handler != nil, allowed)
		switch {
		case why == nil:
			return v, pos, nil
		case why.rejection != nil:
			if attempt == 0 {
				g.counts.rejectedTakes.Add(1)
			}
			why.rejection.Attempt = attempt
			attempt++
			err = g.judge(handler, why.rejection)
			allowed = true
		case why.news != nil:
			allowed = false
			err = g.wait(ctx, why.news, ahead)
		default:
			err = why.err
		}
		if err != nil {
			if ahead {
				g.counts.lost.Add(1)
			}
			return 0, 0, err
		}
	}
}

// attempt draws, and says why it could not. It never waits. Ahead is as of draw.
func (g *Generator) attempt(pos *uint64, wait, allowed bool) (v uint64, ahead bool, why *refusal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	grant := g.tenure.Grant()
	v, ahead, ok := g.draw(pos)
	if !ok {
		why = g.whyNot(grant, wait, allowed)
	}
	return v, ahead, why
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
			// Claim with the lock held, so that nobody can shut the ring again before its
			// opener has drawn from it. (If positions take all 63 bits, those after the last
			// tick have the upper bit set, and another claim would be of no use.) Others may
			// have emptied the ring again meanwhile, and made room for more.
			*pos = g.ring.Claim(1)
			refilled = false
		case !refilled:
			g.refill(g.now())
			refilled = true
		default:
			// Nothing may be published. Until that changes, takers should not claim what
			// they cannot get.
			g.ring.Shut()
			return 0, state == ringbuffer.Ahead, false
		}
	}
}

// noClaim is a position that is worth nothing: a claim on a ring that was shut.
const noClaim = 1 << 63

// topUp refills the ring if tick, from which the caller is the first to draw, is among
// the last ones buffered. If another goroutine is already doing so, it returns at once.
func (g *Generator) topUp(tick uint64) {
	if g.ring.Tail() >= tick+g.padBelow || !g.mu.TryLock() {
		return
	}
	defer g.mu.Unlock()
	g.refill(g.now())
}
