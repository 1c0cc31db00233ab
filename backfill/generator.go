package backfill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/consecutive"
	"github.com/uidgen/uid/worker"
)

// closeTimeout bounds Close.
const closeTimeout = 30 * time.Second

// A Generator makes UIDs for times of the past. Make it with [New], and do not copy it. Any number of goroutines may
// call its methods at once; each call that makes UIDs takes a lock.
type Generator struct {
	layout      bits.Layout
	first, last int64     // ticks
	begin, end  time.Time // when the first begins and the last ends
	window      int64     // how many ticks times may go back
	held        []holding // ordered by ID

	mu      sync.Mutex // guards the rest
	levels  levels
	newest  int64   // the newest tick that was asked for, -1 for none
	reached []int64 // the newest tick issued under each ID of held, -1 for none
	issued  uint64
	later   uint64
	closed  bool
}

// New returns a generator for the times from Config.From to Config.To, under worker IDs of source; [FromNumbers] and
// [FromLeases] have the errors of that. New returns [uid.ErrConfig] when a setting cannot be used, [uid.ErrRange] when
// the times are not within the layout and past, or a namespace of Config.Apart has a worker ID of the run,
// [worker.ErrLayout] when it has another layout, and [worker.ErrNoNamespace] when it is missing.
func New(source Source, cfg Config) (*Generator, error) {
	return NewContext(context.Background(), source, cfg)
}

// NewContext is New that gives up when ctx ends.
func NewContext(ctx context.Context, source Source, cfg Config) (*Generator, error) {
	g, err := newGenerator(ctx, source, cfg)
	if err != nil {
		return nil, fmt.Errorf("backfill: %w", err)
	}
	return g, nil
}

func newGenerator(ctx context.Context, source Source, cfg Config) (*Generator, error) {
	if source == nil {
		return nil, fmt.Errorf("%w: no source of worker IDs", uid.ErrConfig)
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := source.usable(); err != nil {
		return nil, err
	}
	l := cfg.Layout
	first, last := l.TickAt(cfg.From), l.TickAt(cfg.To)
	w := want{layout: l, terms: l.Terms(), first: first, last: last, log: cfg.Logger}
	w.terms.Revoke = func() {}
	g := &Generator{
		layout: l, first: first, last: last, begin: l.TimeOf(first), end: l.TimeOf(last).Add(l.Unit()),
		window: cfg.window(), newest: -1,
		levels: newLevels(int64(cfg.Workers) << l.SequenceBits()),
	}
	if err := g.take(ctx, source, w, cfg); err != nil {
		// Nothing was issued. What cannot be given back is lost, and harms nobody.
		_ = g.release(context.WithoutCancel(ctx))
		return nil, err
	}
	return g, nil
}

// take takes the worker IDs, and checks that nobody else has them.
func (g *Generator) take(ctx context.Context, source Source, w want, cfg Config) error {
	var ids []int64
	for range cfg.Workers {
		h, err := source.take(ctx, w)
		if err != nil {
			return err
		}
		g.held, g.reached = append(g.held, h), append(g.reached, -1)
		if slices.Contains(ids, h.id) {
			return fmt.Errorf("%w: the source gave worker ID %d twice", worker.ErrUnconfirmed, h.id)
		}
		ids = append(ids, h.id)
	}
	slices.SortFunc(g.held, func(a, b holding) int { return cmp.Compare(a.id, b.id) })
	for _, n := range cfg.Apart {
		if err := checkApart(ctx, n, w.terms.Layout, ids, cfg.Logger); err != nil {
			return err
		}
	}
	return nil
}

// At returns the next UID of the tick of t. It returns [ErrFull] when the tick has none left, [uid.ErrRange] when t is
// not within the times of the run, [ErrOrder] when it comes too late for a Sorted run, and [uid.ErrClosed] after Close.
func (g *Generator) At(t time.Time) (uid.UID, error) { return g.AtOrAfter(t, 0) }

// AtOrAfter returns the next UID of the tick of t or, if that is full, of the first later tick that is not, up to the
// tick of t + within. Beyond that, or the run's last tick, it returns [ErrFull], and else what At does, or
// [uid.ErrRange] for a negative within. It takes a constant time on average.
func (g *Generator) AtOrAfter(t time.Time, within time.Duration) (uid.UID, error) {
	if within < 0 {
		return 0, fmt.Errorf("backfill: %w: the time to look ahead, %v, is negative", uid.ErrRange, within)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	tick, err := g.askLocked(t)
	if err != nil {
		return 0, err
	}
	through := g.last
	if until := t.Add(within); until.Before(g.end) {
		through = g.layout.TickAt(until)
	}
	found := g.levels.open(tick)
	if found > through {
		return 0, g.full(t, tick, through)
	}
	if found > tick {
		g.later++
	}
	g.noteLocked(tick)
	var u [1]uid.UID
	err = g.drawLocked(found, u[:])
	return u[0], err
}

// Fill fills dst with UIDs of the tick of t and returns how many it got: len(dst), or fewer and the error that At would
// have returned for the next one.
func (g *Generator) Fill(t time.Time, dst []uid.UID) (n int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	tick, err := g.askLocked(t)
	if err != nil {
		return 0, err
	}
	n = int(min(int64(len(dst)), g.levels.room(tick)))
	if n > 0 {
		g.noteLocked(tick)
		if err := g.drawLocked(tick, dst[:n]); err != nil {
			return 0, err
		}
	}
	if n < len(dst) {
		return n, g.full(t, tick, tick)
	}
	return n, nil
}

// askLocked returns the tick of a time that the run covers.
func (g *Generator) askLocked(t time.Time) (int64, error) {
	if g.closed {
		return 0, fmt.Errorf("backfill: %w", uid.ErrClosed)
	}
	if t.Before(g.begin) || !t.Before(g.end) {
		return 0, fmt.Errorf("backfill: %w: the time %s is not within the run's, from %s to before %s", uid.ErrRange,
			stamp(t), stamp(g.begin), stamp(g.end))
	}
	tick := g.layout.TickAt(t)
	if g.newest-tick > g.window {
		return 0, fmt.Errorf("backfill: %w: the time %s is %d ticks before the newest one, at %s; the Back of the "+
			"run allows %d", ErrOrder, stamp(t),
			g.newest-tick, stamp(g.layout.TimeOf(g.newest)), g.window)
	}
	return tick, nil
}

// noteLocked records that a tick was asked for.
func (g *Generator) noteLocked(tick int64) {
	if tick > g.newest {
		g.newest = tick
		if g.window < tick {
			g.levels.forget(tick - g.window)
		}
	}
}

// drawLocked fills dst with UIDs of a tick that has so many left.
func (g *Generator) drawLocked(tick int64, dst []uid.UID) error {
	g.issued += uint64(len(dst))
	for at := g.levels.take(tick, int64(len(dst))); len(dst) > 0; {
		i, sequence := at>>g.layout.SequenceBits(), at&g.layout.MaxSequence()
		first, err := g.layout.Compose(tick, g.held[i].id, sequence)
		if err != nil {
			return fmt.Errorf("backfill: %w", err)
		}
		n := min(int64(len(dst)), g.layout.MaxSequence()-sequence+1)
		consecutive.Fill(dst[:n], first)
		g.reached[i] = max(g.reached[i], tick)
		dst, at = dst[n:], at+n
	}
	return nil
}

func (g *Generator) full(t time.Time, first, last int64) error {
	ticks := fmt.Sprintf("tick %d", first)
	if last > first {
		ticks = fmt.Sprintf("ticks %d to %d", first, last)
	}
	return fmt.Errorf("%w: %s of the time %s: all %d UIDs of a tick are issued, under %d worker IDs", ErrFull, ticks,
		stamp(t), g.levels.capacity, len(g.held))
}

// ParseUID splits a UID by the generator's layout, also after Close. It returns [uid.ErrRange] when u is negative or
// has bits set beyond the layout.
func (g *Generator) ParseUID(u uid.UID) (uid.Parts, error) { return g.layout.Parse(u) }

// Stats is a snapshot of a generator.
type Stats struct {
	// WorkerIDs are those of the run, in ascending order.
	WorkerIDs []int64
	// First and Last are the ticks of the run, both included.
	First, Last int64
	// Issued is how many UIDs were made, and Later how many of them AtOrAfter made in a later tick.
	Issued, Later uint64
	// Ticks is how many ticks the generator remembers.
	Ticks int
}

// Stats returns a snapshot.
func (g *Generator) Stats() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := Stats{First: g.first, Last: g.last, Issued: g.issued, Later: g.later, Ticks: len(g.levels.used)}
	for _, h := range g.held {
		s.WorkerIDs = append(s.WorkerIDs, h.id)
	}
	return s
}

// Close ends the run: calls that make UIDs return [uid.ErrClosed]. It gives back leased ticks above the last one that
// was issued, in at most 30 s, and returns the error of that write. A run that is not closed keeps its ticks for ever.
// Closing again returns nil.
func (g *Generator) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	return g.CloseContext(ctx)
}

// CloseContext is Close that gives up when ctx ends. The generator is closed all the same.
func (g *Generator) CloseContext(ctx context.Context) error {
	g.mu.Lock()
	was := g.closed
	g.closed = true
	g.mu.Unlock()
	if was {
		return nil
	}
	if err := g.release(ctx); err != nil {
		return fmt.Errorf("backfill: %w", err)
	}
	return nil
}

// release gives up what was not issued. Nothing is issued any more.
func (g *Generator) release(ctx context.Context) error {
	var failed error
	for i, h := range g.held {
		failed = errors.Join(failed, h.release(ctx, g.reached[i]))
	}
	return failed
}
