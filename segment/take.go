package segment

import (
	"context"
	"errors"
	"fmt"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
)

// takeSlow settles a claim that does not lie in the front span.
func (g *Generator) takeSlow(ctx context.Context, front *span, pos uint64,
	handler func(uid.Rejection) error) (uid.UID, error) {
	if s := g.enter(front, pos); s != nil {
		return uid.UID(s.base + pos - s.first), nil
	}
	return g.draw(ctx, handler)
}

// enter returns the span of a claimed position, or nil when the position is worth nothing: it lies
// beyond a segment's numbers, or the ring was shut. The first one that enters a span moves the
// front there.
func (g *Generator) enter(front *span, pos uint64) *span {
	s := front.find(pos)
	if s != nil && s != front && g.front.CompareAndSwap(front, s) && s.late {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.planLocked()
	}
	return s
}

// draw claims a number under the lock, where no goroutine shuts the ring meanwhile, and waits for one as
// the handler says. A nil handler means that the call does not wait.
func (g *Generator) draw(ctx context.Context, handler func(uid.Rejection) error) (_ uid.UID, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &g.state
	allowed := false // the handler has allowed the wait that comes next
	for attempt := 0; ; {
		for g.advanceLocked() {
			pos := g.ring.Claim(1)
			if at := s.current.head.find(pos); at != nil {
				return uid.UID(at.base + pos - at.first), nil
			}
		}
		if s.ended != nil {
			return 0, s.ended
		}
		s.starved = s.starved || s.early
		g.planLocked()
		switch enough := g.enoughLocked(); {
		case errors.Is(s.failed, uid.ErrExhausted):
			err = s.failed
		case enough != nil && !s.busy:
			err = enough
		case s.failed != nil:
			err = fmt.Errorf("%w of tag %q: %w", uid.ErrNoReservation, g.source.Tag, s.failed)
			e := g.warnLocked(g.cfg.Now())
			g.unlocked(func() { g.log(e) })
		case !allowed:
			rejection := &uid.Rejection{Attempt: attempt,
				Err: fmt.Errorf("%w: %d numbers of tag %q have been asked for",
					uid.ErrRejectedTake, s.step, g.source.Tag)}
			if attempt == 0 {
				g.counts.rejectedTakes.Add(1)
			}
			attempt++
			g.unlocked(func() { err = g.handlers.Judge(handler, rejection) })
			allowed = true
		default:
			news := s.news.Listen()
			g.unlocked(func() { err = g.wait(ctx, news) })
			allowed = false
		}
		if err != nil {
			return 0, err
		}
	}
}

// unlocked calls f with g.mu released.
func (g *Generator) unlocked(f func()) {
	g.mu.Unlock()
	defer g.mu.Lock()
	f()
}

// wait returns when there is news, or when ctx ends, with its error.
func (g *Generator) wait(ctx context.Context, news <-chan struct{}) error {
	g.counts.waiting.Add(1)
	defer g.counts.waiting.Add(-1)
	select {
	case <-news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// advanceLocked opens the ring where there are numbers, and reports whether there are any. Others may
// claim them all before the caller does.
func (g *Generator) advanceLocked() bool {
	s := &g.state
	if s.ended != nil || s.paused {
		return false
	}
	if g.leftLocked() > 0 {
		g.producer.Open()
		return true
	}
	g.producer.Shut()
	if s.stock.Len() == 0 {
		return false
	}
	tick := g.ring.Tail()
	if tick>>tickBits != 0 {
		s.ended = fmt.Errorf("segment: %w: this generator of tag %q has used %d segments, close it and make another "+
			"one", uid.ErrExhausted, g.source.Tag, tick)
		return false
	}
	g.leaveLocked()
	s.current, s.stock = newSegment(s.stock, tick), storage.Numbers{}
	// Takers find the spans before they can claim positions in them.
	s.last.next.Store(s.current.head)
	s.last = s.current.tail
	must(g.producer.Restart(tick, 0, 0))
	g.front.Store(s.current.head)
	g.producer.Open()
	s.pace.mark(g.cfg.Now(), s.done)
	g.planLocked()
	return true
}

// leaveLocked ends the current segment, with whatever is left of it: not all, since advance is called
// to claim one at once. The ring is shut.
func (g *Generator) leaveLocked() {
	s := &g.state
	if s.current == nil {
		return
	}
	s.done, s.newest = g.issuedLocked(), s.current.Last-g.leftLocked()
	s.current = nil
}

// must panics on an error that only a bug in this package can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
