package uncached

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/tenure"
	"github.com/uidgen/uid/internal/tick"
)

// A Generator makes UIDs. Make it with [New], and do not copy it. Any number of goroutines may call its methods at
// once.
type Generator struct {
	// marks say how far ticks have been used; see take. The mark of a tick is
	// marks[tick&markMask]: there are as many as the policy remembers ticks, mostly one.
	marks    []atomic.Int64
	markMask int64

	// A mark, like every position, is tick<<tickShift | rollback | sequence. To make a UID
	// of it, all but the sequence moves idShift bits up, to make room for the worker ID.
	// Where calls may add to a mark, that room is in the mark already.
	tickShift, idShift uint8
	seqBits            uint8
	seqMask            int64
	rollbackMask       int64 // the bits that count steps back; 0 under most policies
	lowMask            int64 // the bits below rollback and tick: seqMask, and the room for adds
	epoch              time.Time
	unit               time.Duration
	now                func() time.Time
	clock              wallClock // tells ticks; reads now

	// adds says in which tick calls may add to the mark; see addIn.
	adds atomic.Int64

	cfg    Config
	layout bits.Layout
	policy policy
	queue  line
	born   time.Time // the origin of the monotonic clock
	tenure *tenure.Tenure
	quit   chan struct{} // closed by Close
	stop   sync.Once
	last   int64         // written by stop: no UID of a later tick was or will be issued
	ahead  time.Duration // until then, since born, the worker's first tick is ahead of the clock; 0 if it is not
	counts counters

	// mu guards what follows. It is never held during a call of the worker or a wait.
	mu      sync.Mutex
	logical logicalTick
	used    []int64 // by rollback count: the newest tick used under it before the next, -1 if none
}

var _ uid.Generator = (*Generator)(nil)

// counters count what happens off the fast path.
type counters struct {
	usedUp atomic.Uint64
	behind atomic.Uint64
	// When a clock that is behind was logged last, since born; 0 for never.
	warned, noted atomic.Int64
}

// New acquires the worker and returns a generator; Close ends it. It returns [uid.ErrConfig] when cfg is unusable;
// [uid.ErrRange] when the floor After is out of reach or the worker's ID does not fit the layout; the error of
// [bits.Expiry] when the layout's time field is (nearly) full or the clock is before its epoch; and the worker's own
// error, such as [uid.ErrWorkerInUse].
func New(w uid.Worker, cfg Config) (*Generator, error) {
	return NewContext(context.Background(), w, cfg)
}

// NewContext is New with a context for acquiring the worker alone.
func NewContext(ctx context.Context, w uid.Worker, cfg Config) (*Generator, error) {
	ownClock := cfg.Now != nil
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	layout, rollbackBits := cfg.Layout, cfg.ClockBack.rollbackBits()
	g := &Generator{
		marks:        newMarks(cfg.ClockBack.ticks()),
		markMask:     int64(cfg.ClockBack.ticks() - 1),
		tickShift:    uint8(layout.SequenceBits() + rollbackBits),
		idShift:      uint8(layout.WorkerBits() - rollbackBits),
		seqBits:      uint8(layout.SequenceBits()),
		seqMask:      layout.MaxSequence(),
		rollbackMask: (1<<rollbackBits - 1) << layout.SequenceBits(),
		epoch:        layout.Epoch(),
		unit:         layout.Unit(),
		now:          cfg.Now,
		cfg:          cfg,
		layout:       layout,
		policy:       cfg.ClockBack.policy(),
		born:         time.Now(),
		quit:         make(chan struct{}),
		logical:      logicalTick{tick: -1},
		used:         slices.Repeat([]int64{-1}, 1<<rollbackBits),
	}
	g.makeRoom()
	for i := range g.marks {
		g.marks[i].Store(-1 << g.tickShift) // the tick before the first
	}
	terms := layout.Terms()
	g.clock.terms, g.clock.wall, g.clock.born = terms, g.now, g.born
	g.clock.each = ownClock || !g.sharesReadings()
	terms.MaxWorkerID >>= rollbackBits
	terms.MaxLead = cfg.ClockBack.lead(layout.Unit())
	floor := tenure.Floor{After: cfg.After, Ahead: max(maxFloorAhead, layout.Unit())}
	g.tenure, err = tenure.Begin(ctx, "uncached", w, layout, cfg.Expiry, floor, tenure.Config{
		Terms: terms, Now: g.now, Logger: cfg.Logger,
		// UIDs under the new worker ID, which may be smaller, must be larger than all under
		// the one before: they begin with the tick after the newest one.
		Switch: g.useUp,
		Newest: g.newest,
	})
	if err != nil {
		return nil, err
	}
	if w, tells := w.(health.WorkerReporter); tells {
		if ahead := w.WorkerHealth().Ahead; ahead != nil {
			g.ahead = time.Since(g.born) + ahead.Until.Sub(g.now())
		}
	}
	return g, nil
}

// MustNew is New that panics where New fails.
func MustNew(w uid.Worker, cfg Config) *Generator {
	g, err := New(w, cfg)
	if err != nil {
		panic(err)
	}
	return g
}

// GetUID returns the next UID. UIDs are unique as long as the worker keeps its promise (docs/promise.md has the cases).
//
// When the sequence of the clock's tick is used up, it sleeps until the next tick; waiting calls are served first come,
// first served. When the worker's reservation is used up, it waits for the next one. It returns [uid.ErrClosed] after
// Close, [uid.ErrExhausted] when the time field is full, [uid.ErrNoReservation] when the reservation is used up and the
// last attempt to extend it failed, and [uid.ErrClockBack], in a [uid.ClockBackError], as Config.ClockBack says.
func (g *Generator) GetUID() (uid.UID, error) {
	u, _, err := g.draw(context.Background(), 1, true)
	return u, err
}

// GetUIDContext is GetUID with a context: see [uid.Generator].
func (g *Generator) GetUIDContext(ctx context.Context) (uid.UID, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	u, _, err := g.draw(ctx, 1, true)
	return u, err
}

// TryGetUID is GetUID that never waits: where GetUID might wait, it returns [uid.ErrRejectedTake] (the tick's sequence
// is used up), [uid.ErrClockBack] or [uid.ErrNoReservation].
func (g *Generator) TryGetUID() (uid.UID, error) {
	u, _, err := g.draw(context.Background(), 1, false)
	return u, err
}

// ParseUID splits a UID by the layout, after Close too. It returns [uid.ErrRange] when u is negative or has more bits.
func (g *Generator) ParseUID(u uid.UID) (uid.Parts, error) { return g.layout.Parse(u) }

// Layout returns Config.Layout, with its parts named if the policy is RollbackBits.
func (g *Generator) Layout() bits.Layout { return g.layout }

// Close ends the generator and releases the worker, for which it waits at most 30 s. Waiting and later calls that make
// UIDs return [uid.ErrClosed]. Close returns the worker's error, but logs a [uid.UnkeptError]. A second Close waits for
// the first and returns nil.
func (g *Generator) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), tenure.StopTimeout)
	defer cancel()
	return g.tenure.LogUnkept(g.CloseContext(ctx))
}

// CloseContext is Close that waits for the worker until ctx ends, or up to 100 ms longer. It then returns an error that
// wraps ctx's. The generator is closed all the same. A Release that had to wait for an Extend is called later, and its
// failure is logged.
func (g *Generator) CloseContext(ctx context.Context) error {
	g.stop.Do(func() {
		g.tenure.End(nil, uid.ErrClosed)
		g.mu.Lock()
		// A take that moves a mark from now on finds another grant than before and issues
		// nothing, so no UID is of a later tick than this.
		g.last = max(g.newest(), slices.Max(g.used))
		g.mu.Unlock()
		close(g.quit)
	})
	if err := g.tenure.Stop(ctx, g.last); err != nil {
		return fmt.Errorf("uncached: releasing the worker: %w", err)
	}
	return nil
}

func (g *Generator) tickAt(now time.Time) int64 { return tick.At(g.epoch, g.unit, now) }

// sharesReadings reports whether a reading of the machine's clock may serve several calls. With Remember
// it may not: a call that read the clock after a step forward could issue a UID of a later tick,
// and one that begins after it, with a reading from before, a smaller one. One mark for all ticks
// does not let that happen. And a tick shorter than maxReadingAge is over before it has served many.
func (g *Generator) sharesReadings() bool { return len(g.marks) == 1 && g.unit >= maxReadingAge }
