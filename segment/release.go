package segment

import (
	"context"
	"errors"
	"fmt"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
)

// Release gives unused numbers back to the store, as far as no others were taken since, and returns how many. Calls
// wait meanwhile. It returns the store's error, and then the generator does not issue numbers that the store may have
// back. It returns [uid.ErrClosed] after Close.
func (g *Generator) Release(ctx context.Context) (n int64, err error) {
	if err := g.pause(ctx); err != nil {
		return 0, err
	}
	defer g.resume()
	if err := g.whyEnded(); err != nil {
		return 0, err
	}
	return g.giveBack(ctx)
}

// Close ends the generator and gives unused numbers back, as Release does, within three times Config.Timeout. Waiting
// and later calls that draw return [uid.ErrClosed]. If the store fails, Close returns its error and the numbers are
// skipped. A second Close returns nil.
func (g *Generator) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*g.cfg.Timeout)
	defer cancel()
	return g.CloseContext(ctx)
}

// CloseContext is Close that waits for the store until ctx ends, and then returns ctx's error. The generator is closed
// all the same.
func (g *Generator) CloseContext(ctx context.Context) error {
	lost, first := g.end()
	if lost || !first {
		return nil
	}
	if err := g.pause(ctx); err != nil {
		return fmt.Errorf("segment: closing tag %q: %w", g.source.Tag, err)
	}
	defer g.resume()
	if _, err := g.giveBack(ctx); err != nil {
		return fmt.Errorf("segment: giving back numbers of tag %q: %w", g.source.Tag, err)
	}
	return nil
}

// end closes the generator. It reports whether it had ended because its numbers were lost, and
// whether this is the first call.
func (g *Generator) end() (lost, first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &g.state
	if errors.Is(s.ended, uid.ErrClosed) {
		return false, false
	}
	lost = errors.Is(s.ended, ErrLost)
	s.ended = fmt.Errorf("segment: %w: tag %q", uid.ErrClosed, g.source.Tag)
	g.producer.Shut()
	if s.retry != nil {
		s.retry.Stop()
		s.retry = nil
	}
	g.state.news.Tell()
	return lost, true
}

func (g *Generator) whyEnded() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.ended
}

// pause waits until no other goroutine uses the store, and then keeps the ring shut until resume.
func (g *Generator) pause(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &g.state
	for s.busy {
		news := s.news.Listen()
		g.mu.Unlock()
		select {
		case <-news:
		case <-ctx.Done():
		}
		g.mu.Lock()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	s.busy, s.paused = true, true
	g.producer.Shut()
	return nil
}

func (g *Generator) resume() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state.busy, g.state.paused = false, false
	g.state.news.Tell()
}

// giveBack gives back what was not claimed. The caller has paused the generator.
func (g *Generator) giveBack(ctx context.Context) (n int64, err error) {
	r := g.unused()
	if r.Len() == 0 {
		return 0, nil
	}
	if err := g.shared.enter(ctx); err != nil {
		return 0, err
	}
	defer g.shared.leave()
	t := &g.taking
	decided, given := false, false
	err = g.source.Store.Change(ctx, g.source.Tag, func(row *storage.Segment) (err error) {
		given, err = t.giveBack(row, r)
		decided = err == nil && given
		if err == nil && !given {
			err = errKept
		}
		return err
	})
	n, e, err := g.gaveBack(r, decided, err)
	g.log(e)
	return n, err
}

// gaveBack notes what came of giving r back.
func (g *Generator) gaveBack(r storage.Numbers, decided bool, err error) (n int64, e event, _ error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, t := &g.state, &g.taking
	switch {
	case errors.Is(err, errKept):
		return 0, e, nil
	case err == nil:
		t.has, t.back, t.seen = r.First-1, nil, t.wrote
		s.given += uint64(r.Len())
		g.drop(r)
		if errors.Is(s.failed, uid.ErrExhausted) {
			s.failed, s.failures = nil, 0 // there are numbers again
		}
		return r.Len(), e, nil
	case decided:
		t.back = append(t.back, r.First-1)
		s.dropped += uint64(r.Len())
		g.drop(r)
	case errors.Is(err, ErrLost):
		e = g.failLocked(err)
	}
	return 0, e, err
}

// unused returns the numbers at the end of what was taken that were not claimed.
func (g *Generator) unused() storage.Numbers {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &g.state
	rest := storage.Numbers{}
	if n := g.leftLocked(); n > 0 {
		rest = storage.Numbers{First: s.current.Last - n + 1, Last: s.current.Last}
	}
	switch {
	case s.stock.Len() == 0:
		return rest
	case rest.Len() > 0 && rest.Last+1 == s.stock.First:
		return storage.Numbers{First: rest.First, Last: s.stock.Last}
	}
	return s.stock
}

// drop forgets a range that unused has returned. The caller has paused the generator, and holds g.mu.
func (g *Generator) drop(r storage.Numbers) {
	s := &g.state
	s.stock = storage.Numbers{}
	if s.current != nil && r.First <= s.current.Last {
		g.leaveLocked()
	}
	g.taking.own = s.newest
	if s.current != nil {
		g.taking.own = s.current.Last
	}
}
