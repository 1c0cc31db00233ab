package cached

import (
	"context"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/tenure"
	"github.com/uidgen/uid/ringbuffer"
)

// takeSlow settles a claim that Take has just made and could not. A nil handler means that the
// call does not wait.
func (g *Generator) takeSlow(ctx context.Context, pos uint64, handler func(uid.Rejection) error) (uid.UID, error) {
	if v, ok := g.published(pos); ok {
		return uid.UID(v), nil
	}
	v, _, _, err := g.draw(ctx, pos, 1, handler)
	return uid.UID(v), err
}

// published returns the UID of a claim if its tick has been published.
func (g *Generator) published(pos uint64) (v uint64, ok bool) {
	v, state := g.ring.Resolve(pos)
	if state != ringbuffer.Taken {
		return 0, false
	}
	if g.ring.Enters(pos) {
		g.topUp(g.ring.Tick(pos))
	}
	return v, true
}

// draw returns the UID of pos, a claim, or the first of up to want UIDs that it gets instead, from
// one tick; and their first position and number. It refills the ring if it may, asks the handler
// where only the clock can help, and waits. If it fails, the position is given up.
func (g *Generator) draw(
	ctx context.Context, pos, want uint64, handler func(uid.Rejection) error,
) (v, at, got uint64, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	allowed := handler != nil && g.patient // the handler has let the call wait for the clock, or would
	ahead := false                         // its claim is valid, but of a tick that is yet to be published
	var place *waiter                      // in the queue, once it waits
	for {
		grant := g.tenure.Grant()
		if place == nil {
			var state ringbuffer.State
			if v, pos, state = g.settle(pos); state == ringbuffer.Taken {
				return v, pos, 1, nil
			}
			ahead = state == ringbuffer.Ahead
		} else if place.Got == 0 {
			g.refill(g.now())
		}
		if place != nil && place.Got > 0 {
			g.queue.leave(place)
			return place.Given.v, place.Given.pos, place.Got, nil
		}

		now := g.now()
		next := g.nextTick(now, grant)
		var news <-chan struct{}
		switch {
		case g.tenure.Grant() != grant:
			continue
		case grant.Ended != nil:
			err = grant.Ended
		case next > g.layout.MaxTick():
			err = tenure.Exhausted(g.layout)
		case next > grant.Until:
			if news, err = g.tenure.Await(grant, next, g.wish(now), handler != nil); news == nil && err == nil {
				continue // another grant is in force by now
			}
		case allowed:
			news = g.tenure.News()
			if place == nil && g.patient {
				g.counts.rejectedTakes.Add(1)
			}
		default:
			g.counts.rejectedTakes.Add(1)
			rejection := g.rejection(next, now)
			if g.unlocked(func() { err = g.handlers.Judge(handler, rejection) }); err == nil {
				allowed = true
				continue // the clock may have moved on meanwhile
			}
		}
		if err == nil {
			if place == nil {
				place = g.join(pos, want, ahead)
			}
			g.unlocked(func() { err = wait(ctx, place, news) })
		}
		switch {
		case err == nil || place != nil && place.Got > 0: // it was served, be it while its context ended
			continue
		case place == nil && ahead, place != nil && !place.HasPlace():
			g.counts.lost.Add(1) // a position that it claimed itself, past the end of what was ready
		}
		if place != nil {
			g.queue.leave(place)
		}
		return 0, 0, 0, err
	}
}

// unlocked calls f with g.mu released.
func (g *Generator) unlocked(f func()) {
	g.mu.Unlock()
	defer g.mu.Lock()
	f()
}

// settle settles a claim with g.mu held: it refills the ring if need be, and claims anew if the
// claim is void. It returns the claim that counts then. If that is not Taken, the ring is shut.
func (g *Generator) settle(pos uint64) (v, at uint64, state ringbuffer.State) {
	if g.closed() {
		return 0, pos, ringbuffer.NotOpen
	}
	refilled := false
	for {
		v, state = g.ring.Resolve(pos)
		switch {
		case state == ringbuffer.Taken:
			return v, pos, state
		case state == ringbuffer.Missed:
			g.counts.lost.Add(1)
			pos = noClaim
		case state == ringbuffer.NotOpen && !g.ring.IsShut() && g.ring.Position()>>63 == 0:
			// Claim with the lock held, so that nobody can shut the ring again before its
			// opener has drawn from it. (If positions take all 63 bits, those after the last
			// tick have the upper bit set, and another claim would be of no use.) Others may
			// have emptied the ring again meanwhile, and made room for more.
			pos = g.ring.Claim(1)
			refilled = false
		case !refilled:
			g.refill(g.now())
			refilled = true
		default:
			// Nothing may be published. Until that changes, takers should not claim what
			// they cannot get.
			g.ring.Shut()
			return 0, pos, state
		}
	}
}

// noClaim is a position that is worth nothing: a claim on a ring that was shut.
const noClaim = 1 << 63

// topUp refills the ring if tick, from which the caller is the first to draw, is among
// the last ones buffered. If another goroutine is already doing so, it returns at once. (UidGenerator
// signals a thread pool instead. A goroutine that is signalled cannot keep up: at full speed eight ticks last
// less than a millisecond, while a goroutine on a busy processor may wait ten, a time slice of Go's
// scheduler, for its turn.)
func (g *Generator) topUp(tick uint64) {
	if g.ring.Tail() >= tick+g.padBelow || !g.mu.TryLock() {
		return
	}
	defer g.mu.Unlock()
	g.refill(g.now())
}
