package segment

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
)

// The pauses between attempts double from minPause on, up to maxPause, or to idlePause after a
// failure that does not pass by itself.
const (
	minPause  = 50 * time.Millisecond
	maxPause  = 2 * time.Second
	idlePause = 30 * time.Second
)

// planLocked asks the store for more numbers if the time has come: none are in stock, and of those in use
// a tenth is used.
func (g *Generator) planLocked() {
	s := &g.state
	if s.ended != nil || s.busy || s.retry != nil || s.stock.Len() > 0 || errors.Is(s.failed, uid.ErrExhausted) {
		return
	}
	if s.current != nil && g.producer.Position() < s.current.tail.first || g.enoughLocked() != nil {
		return
	}
	now := g.cfg.Now()
	if s.failures == 0 {
		s.adapt(now, g.leftLocked() > 0, &g.cfg)
	}
	n := s.step
	if most := g.cfg.Total; most > 0 {
		n = min(n, most-s.kept())
	}
	s.busy = true
	go g.reserve(n)
}

// enoughLocked returns why no more numbers are taken; nil if there is a way.
func (g *Generator) enoughLocked() error {
	if g.cfg.Total == 0 || g.state.kept() < g.cfg.Total {
		return nil
	}
	return fmt.Errorf("%w: the %d numbers of tag %q that Total allows are taken", uid.ErrExhausted, g.cfg.Total,
		g.source.Tag)
}

// reserve takes n numbers, or more where the row wants that.
func (g *Generator) reserve(n int64) {
	var r storage.Numbers
	err := errors.New("the store ended its goroutine")
	defer func() {
		g.log(g.record(r, err)) // before the calls that wait hear of it, and before Close returns
		g.rest()
	}()
	err = settings.Contain(g.cfg.Logger, "the store", &g.panicked, func() (err error) {
		r, err = g.takeFromStore(n)
		return err
	})
}

// rest ends an attempt.
func (g *Generator) rest() {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &g.state
	s.busy = false
	g.state.news.Tell()
	if s.failed == nil || s.retry == nil {
		g.planLocked()
	}
}

// An event is what is to be logged once the lock is released; without a text, nothing.
type event struct {
	level slog.Level
	text  string
	attrs []slog.Attr
}

// log logs an event with the tag and the store.
func (g *Generator) log(e event) {
	if e.text == "" {
		return
	}
	attrs := append([]slog.Attr{
		slog.String("tag", g.source.Tag), slog.String("store", g.source.Store.Name()),
	}, e.attrs...)
	g.cfg.Logger.LogAttrs(context.Background(), e.level, e.text, attrs...)
}

// record records the outcome of an attempt.
func (g *Generator) record(r storage.Numbers, err error) event {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		return g.failLocked(err)
	}
	return g.addLocked(r)
}

// takeFromStore makes one attempt. The caller has set busy.
func (g *Generator) takeFromStore(n int64) (r storage.Numbers, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), g.cfg.Timeout)
	defer cancel()
	if err := g.shared.enter(ctx); err != nil {
		return storage.Numbers{}, fmt.Errorf("waiting for other tags: %w", err)
	}
	defer g.shared.leave()
	if err := g.examine(ctx); err != nil {
		return storage.Numbers{}, err
	}
	t := &g.taking
	err = g.source.Store.Change(ctx, g.source.Tag, func(row *storage.Segment) (err error) {
		if r, err = t.take(row, n); err == nil {
			// Before the write, and at each run: a client library may have sent the write of the run
			// before twice, and reported the second one, which was refused.
			t.markInDoubt(r)
		}
		return err
	})
	if err != nil && !errors.Is(err, errKept) {
		return storage.Numbers{}, err
	}
	if err == nil {
		t.seen = t.wrote
	}
	t.markCommitted(r)
	return r, nil
}

// examine refuses a store that may lose what it acknowledges.
func (g *Generator) examine(ctx context.Context) error {
	if g.cfg.LossyStore {
		return nil
	}
	lossy, err := g.shared.inspect(ctx, g.source.Store)
	if err != nil || len(lossy) == 0 {
		return err
	}
	return fmt.Errorf("%w, and would then give them out again: %s: %s. Change that, or accept it with LossyStore",
		uid.ErrLossy, g.source.Store.Name(), strings.Join(lossy, "; "))
}

// refused reports whether an error is of a store that answers, and cannot be used as it is.
func refused(err error) bool { return errors.Is(err, uid.ErrLossy) || errors.Is(err, uid.ErrConfig) }

// addLocked makes taken numbers the next ones.
func (g *Generator) addLocked(r storage.Numbers) (e event) {
	s := &g.state
	if s.logged > 0 {
		e = event{slog.LevelInfo, "uid: numbers are taken again", []slog.Attr{
			slog.Int("attempts", s.failures), slog.Duration("for", g.cfg.Now().Sub(s.since)),
		}}
	}
	s.failed, s.failures, s.logged = nil, 0, fine
	s.took += uint64(r.Len())
	s.taken = max(s.taken, r.Last)
	s.times++
	s.stock = r
	return e
}

// failLocked notes a failed attempt, and sees to the next one.
func (g *Generator) failLocked(err error) event {
	s, now := &g.state, g.cfg.Now()
	if s.ended != nil {
		return event{}
	}
	if s.failures == 0 {
		s.since, s.heldThen = now, g.bufferedLocked()
	}
	s.failures++
	s.failedEver++
	s.failed = err
	switch {
	case errors.Is(err, ErrLost):
		g.producer.Shut()
		s.ended = fmt.Errorf("segment: %w", err)
		return event{slog.LevelError, "uid: numbers were lost, none of this tag are issued any more",
			[]slog.Attr{slog.Any("error", err)}}
	case errors.Is(err, uid.ErrExhausted):
		return event{}
	}
	longest := maxPause
	if !retry.IsTransient(err) && !errors.Is(err, context.DeadlineExceeded) {
		longest = idlePause
	}
	pause := longest
	if s.failures < 16 {
		pause = min(minPause<<(s.failures-1), longest)
	}
	// Half to all of the pause, so that a fleet does not come back in step.
	s.retry = time.AfterFunc(pause/2+rand.N(pause/2), func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		s.retry = nil
		g.planLocked()
	})
	return g.warnLocked(now)
}

// warnLocked is what the log is told of failures.
func (g *Generator) warnLocked(now time.Time) event {
	s := &g.state
	buffered := g.bufferedLocked()
	lasts, known := s.pace.lasts(now, g.issuedLocked(), buffered)
	stage := s.stage(now, buffered, lasts, known)
	if stage <= s.logged {
		return event{}
	}
	s.logged = stage
	level, text := slog.LevelInfo, "uid: no numbers can be taken"
	switch {
	case stage == over && refused(s.failed):
		level, text = slog.LevelError, "uid: the store is refused as it is, and no numbers are left: calls fail"
	case stage == over:
		level, text = slog.LevelError, "uid: no numbers are left, and none can be taken: calls fail"
	case stage == half:
		text = "uid: half of the numbers are left, and still none can be taken"
	}
	if stage != over && known && lasts < time.Minute {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{
		slog.Int64("numbers_left", buffered), slog.Int("attempts", s.failures),
		slog.Duration("for", now.Sub(s.since)), slog.Any("error", s.failed),
	}
	if known {
		attrs = append(attrs, slog.Duration("left", lasts.Round(time.Second)))
	}
	return event{level, text, attrs}
}
