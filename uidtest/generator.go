package uidtest

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// Config configures a [Generator]. With its zero value the UIDs are 1, 2, 3.
type Config struct {
	// Start is the time of the first UID, to the tick. The default is the layout's epoch.
	Start time.Time
	// Layout of the UIDs. The zero value is bits.Default().
	Layout bits.Layout
	// WorkerID is that of the UIDs, up to the layout's maximum.
	WorkerID int64

	// Err is what draws return after the first FailAfter ones. With a nil Err none fails, and FailAfter has to be 0.
	Err       error
	FailAfter int64
	// CloseErr is what the first Close returns.
	CloseErr error
}

// A Generator is a [uid.Generator] whose UIDs are known beforehand: each is the one before plus one, until a tick's
// sequence is used up; then the next tick begins. The n-th UID ends in n, in three digits in the default layout. It
// never waits. Any number of goroutines may call its methods at once.
type Generator struct {
	layout   bits.Layout
	workerID int64
	tick     int64  // of the first UID
	sequence uint64 // of the first UID

	mu       sync.Mutex // guards the rest
	drawn    int64
	failAt   int64 // how many draws succeed while err is not nil
	err      error
	closed   bool
	closeErr error
}

func newGenerator(cfg Config) (*Generator, error) {
	layout := cmp.Or(cfg.Layout, bits.Default())
	if cfg.Start.IsZero() {
		cfg.Start = layout.Epoch()
	}
	if cfg.FailAfter < 0 || cfg.FailAfter > 0 && cfg.Err == nil {
		return nil, fmt.Errorf("uidtest: %w: FailAfter %d with the Err %v", uid.ErrConfig, cfg.FailAfter, cfg.Err)
	}
	if _, err := layout.First(cfg.Start); err != nil {
		return nil, fmt.Errorf("uidtest: Start: %w", err)
	}
	tick := layout.TickAt(cfg.Start)
	begin, err := layout.Compose(tick, cfg.WorkerID, 0)
	if err != nil {
		return nil, fmt.Errorf("uidtest: %w", err)
	}
	return &Generator{
		layout: layout, workerID: cfg.WorkerID, tick: tick, sequence: readable(uint64(begin), layout.SequenceBits()),
		failAt: cfg.FailAfter, err: cfg.Err, closeErr: cfg.CloseErr,
	}, nil
}

// MustNew panics with [uid.ErrRange] when the layout does not hold cfg's Start or WorkerID, and with [uid.ErrConfig]
// when FailAfter is negative, or is given without an Err.
func MustNew(cfg Config) *Generator {
	g, err := newGenerator(cfg)
	if err != nil {
		panic(err)
	}
	return g
}

// readable returns how far behind begin, the first of 2^sequenceBits UIDs, is the first one that
// ends in zeros and a 1.
func readable(begin uint64, sequenceBits int) uint64 {
	round := uint64(1)
	for round <= 1<<sequenceBits/20 {
		round *= 10
	}
	if round == 1 {
		return 0
	}
	return (round-begin%round)%round + 1
}

// Nth returns the n-th UID, from 1, [uid.ErrRange] when n is below 1, or [uid.ErrExhausted] when it is behind the
// layout's last tick.
func (g *Generator) Nth(n int64) (uid.UID, error) {
	if n < 1 {
		return 0, fmt.Errorf("uidtest: %w: UID number %d: the first is 1", uid.ErrRange, n)
	}
	at := g.sequence + uint64(n-1)
	ticks := at >> g.layout.SequenceBits()
	if ticks > uint64(g.layout.MaxTick()-g.tick) {
		return 0, fmt.Errorf("uidtest: %w: UID number %d is behind the last tick, %d, of the layout %s",
			uid.ErrExhausted, n, g.layout.MaxTick(), g.layout)
	}
	return g.layout.Compose(g.tick+int64(ticks), g.workerID, int64(at)&g.layout.MaxSequence())
}

func (g *Generator) Drawn() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.drawn
}

// Fail makes all draws from now on return err; with nil they succeed again. It replaces Config's Err and FailAfter.
func (g *Generator) Fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.err, g.failAt = err, 0
}

// GetUID returns the next UID, or [uid.ErrClosed], the error of Config or Fail, or [uid.ErrExhausted] after the
// layout's last tick.
func (g *Generator) GetUID() (uid.UID, error) {
	return g.GetUIDContext(context.Background())
}

// GetUIDContext is GetUID, but returns ctx's error if ctx has ended.
func (g *Generator) GetUIDContext(ctx context.Context) (uid.UID, error) {
	var one [1]uid.UID
	_, err := g.FillContext(ctx, one[:])
	return one[0], err
}

func (g *Generator) TryGetUID() (uid.UID, error) { return g.GetUID() }

// Fill fills dst with the next UIDs, or fewer, and then returns GetUID's error.
func (g *Generator) Fill(dst []uid.UID) (n int, err error) {
	return g.FillContext(context.Background(), dst)
}

// FillContext is Fill, but takes nothing if ctx has ended.
func (g *Generator) FillContext(ctx context.Context, dst []uid.UID) (n int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for n = range dst {
		u, err := g.nextLocked()
		if err != nil {
			return n, err
		}
		dst[n] = u
		g.drawn++
	}
	return len(dst), nil
}

// nextLocked returns what the next draw returns.
func (g *Generator) nextLocked() (uid.UID, error) {
	switch {
	case g.closed:
		return 0, fmt.Errorf("uidtest: %w", uid.ErrClosed)
	case g.err != nil && g.drawn >= g.failAt:
		return 0, g.err
	}
	return g.Nth(g.drawn + 1)
}

func (g *Generator) ParseUID(u uid.UID) (uid.Parts, error) { return g.layout.Parse(u) }

// Close ends the generator. It returns Config's CloseErr, and nil when the generator was closed before.
func (g *Generator) Close() error {
	return g.CloseContext(context.Background())
}

// CloseContext is Close.
func (g *Generator) CloseContext(context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil
	}
	g.closed = true
	return g.closeErr
}

var _ uid.Generator = (*Generator)(nil)
