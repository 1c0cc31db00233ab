package cached

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/tenure"
	"github.com/uidgen/uid/ringbuffer"
)

// A Generator is a [uid.Generator] on a ring. Make it with New; do not copy it. Any number of goroutines may call its
// methods at once.
type Generator struct {
	// ring is part of the structure: a pointer to it would cost every take a load.
	ring ringbuffer.Ring

	// floor is the first UID that is not stale. setFloor writes it under mu, and then
	// withdraws what Lanes hold below it; Lanes read it when they claim.
	floor atomic.Uint64

	cfg    Config
	layout bits.Layout
	unit   time.Duration
	epoch  time.Time

	lead     int64  // MaxLead in ticks, at most 2^62; mu guards it
	follows  int64  // how far lead may be raised for a worker that begins ahead, in ticks; 0 if MaxLead was set
	lag      int64  // MaxLag in ticks, at least 1
	patience int64  // ticks from one wake to the next while UIDs are drawn
	padBelow uint64 // buffered ticks below which the ring is topped up
	valBits  int    // a run is tick<<valBits | worker ID<<seqBits
	seqBits  int
	patient  bool // OnRejectedTake lets every call wait, and need not be asked
	now      func() time.Time
	born     time.Time // the origin of the steady clock

	tenure   *tenure.Tenure
	wake     chan struct{} // one slot: asks run to look at the ring and its timer
	stop     sync.Once     // Close has begun
	quit     chan struct{} // closed by Close
	last     int64         // written by stop: what newest returned
	done     chan struct{} // closed when run has ended
	counts   counters
	handlers settings.Caller

	// mu serialises the ring's producers: run, and takers that found no UID, which
	// refill, move or shut the ring. It is never held during a handler, a call of the
	// worker or a wait.
	mu    sync.Mutex
	queue line
	lanes lanes
	state state
	// unordered is nil until it is first used.
	unordered *Unordered
}

// state is guarded by Generator.mu.
type state struct {
	discarded bool   // what is buffered must not be issued: the next refill restarts the ring
	void      uint64 // the tail at the last discard: nothing below it may be issued
	started   bool   // a tick has been published

	steady   time.Time     // the wall clock, but never going back and never slower than time itself
	steadyAt time.Duration // when steady was read, since born
	seen     uint64        // the ring's position at run's last look
	parked   bool          // run has shut the ring because it was idle
	skipped  uint64        // ticks skipped because they were stale or discarded
	refills  uint64        // refills that brought at least one tick
	ticks    uint64        // ticks published
}

// New acquires the worker and returns a running generator; Close ends it. It returns ErrConfig when cfg is unusable;
// ErrRange when After is out of reach or the worker's ID does not fit the layout; the error of bits.Expiry when the
// time field is (nearly) full or the clock is before its epoch; and the worker's error, such as ErrWorkerInUse.
func New(w uid.Worker, cfg Config) (*Generator, error) {
	return NewContext(context.Background(), w, cfg)
}

// NewContext is New with a context for acquiring the worker alone.
func NewContext(ctx context.Context, w uid.Worker, cfg Config) (*Generator, error) {
	patient, byDefault := cfg.OnRejectedTake == nil, cfg.MaxLead == 0
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	layout := cfg.Layout
	unit := layout.Unit()
	g := &Generator{
		cfg:      cfg,
		layout:   layout,
		unit:     unit,
		epoch:    layout.Epoch(),
		lead:     min(int64(cfg.MaxLead/unit), 1<<62),
		lag:      int64(cfg.MaxLag / unit),
		patience: max(1, int64(cfg.MaxLag/unit)/2),
		padBelow: max(1, uint64(cfg.Slots*cfg.PaddingFactor/100)),
		seqBits:  layout.SequenceBits(),
		patient:  patient,
		valBits:  layout.SequenceBits() + layout.WorkerBits(),
		now:      cfg.Now,
		handlers: settings.Caller{Logger: cfg.Logger},
		born:     time.Now(),
		wake:     make(chan struct{}, 1),
		quit:     make(chan struct{}),
		done:     make(chan struct{}),
	}
	if err := g.ring.Init(ringbuffer.Config{
		Slots: cfg.Slots, SequenceBits: g.seqBits, WorkerBits: layout.WorkerBits(),
	}); err != nil {
		return nil, err
	}
	if cfg.MaxLead == Unbounded {
		g.lead = math.MaxInt64
	}
	if byDefault {
		g.follows = int64(mostBegun / unit)
	}
	g.floor.Store(allStale)
	terms := layout.Terms()
	terms.MaxLead = cfg.MaxLead
	floor := tenure.Floor{After: cfg.After, Ahead: max(cfg.MaxLead, unit)}
	g.tenure, err = tenure.Begin(ctx, "cached", w, layout, cfg.Expiry, floor, tenure.Config{
		Terms: terms, Now: g.now, Logger: cfg.Logger,
		Granted: func(uid.Reservation) { g.kick() },
		Discard: g.discard,
		Newest:  g.drawn,
	})
	if err != nil {
		return nil, err
	}
	now := g.now() // acquiring the worker may have taken a while
	g.mu.Lock()
	g.refill(now)
	g.mu.Unlock()
	go g.run()
	return g, nil
}

// MustNew is New, but panics where New fails.
func MustNew(w uid.Worker, cfg Config) *Generator {
	g, err := New(w, cfg)
	if err != nil {
		panic(err)
	}
	return g
}

// GetUID returns the next UID. UIDs are unique as long as the worker keeps its promise (docs/promise.md has the cases),
// and in strict order: if one call returns before another one starts, in whatever goroutines, its UID is the smaller.
//
// Usually it costs one atomic add. It returns ErrClosed after Close, ErrExhausted when the time field is full,
// ErrNoReservation when the reservation is used up and the last attempt to extend it failed, and the error of
// Config.OnRejectedTake, which decides when no tick may be issued before the clock moves on.
func (g *Generator) GetUID() (uid.UID, error) {
	v, pos, ok := g.ring.Take()
	if !ok {
		return g.takeSlow(context.Background(), pos, g.cfg.OnRejectedTake)
	}
	return uid.UID(v), nil
}

// GetUIDContext is GetUID with a context: see [uid.Generator].
func (g *Generator) GetUIDContext(ctx context.Context) (uid.UID, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	v, pos, ok := g.ring.Take()
	if !ok {
		return g.takeSlow(ctx, pos, g.cfg.OnRejectedTake)
	}
	return uid.UID(v), nil
}

// TryGetUID is GetUID that never waits and calls no handler: see [uid.Generator].
func (g *Generator) TryGetUID() (uid.UID, error) {
	v, pos, ok := g.ring.Take()
	if !ok {
		return g.takeSlow(context.Background(), pos, nil)
	}
	return uid.UID(v), nil
}

// ParseUID splits a UID by the layout, after Close too. It returns ErrRange when u is negative or has more bits.
func (g *Generator) ParseUID(u uid.UID) (uid.Parts, error) { return g.layout.Parse(u) }

func (g *Generator) Layout() bits.Layout { return g.layout }

// Close ends the generator and releases the worker. For that, and for OnRejectedPut, it waits at most 30 s. Calls that
// wait, and all later ones that make UIDs, in Lanes too, return ErrClosed. Close returns the worker's error, but logs
// an UnkeptError. A second Close waits for the first one and returns nil. Do not call it from a handler.
func (g *Generator) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), tenure.StopTimeout)
	defer cancel()
	return g.tenure.LogUnkept(g.CloseContext(ctx))
}

// CloseContext is Close that waits for the worker until ctx ends, or up to 100 ms longer, and then returns an error
// that wraps ctx's. The generator is closed all the same; the worker may still use its database, and its failure to
// release is logged.
func (g *Generator) CloseContext(ctx context.Context) error {
	g.stop.Do(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.end()
		close(g.quit)
	})
	select {
	case <-g.done:
	case <-ctx.Done(): // run may be in OnRejectedPut: it publishes nothing any more
	}
	if err := g.tenure.Stop(ctx, g.last); err != nil {
		return fmt.Errorf("cached: releasing the worker: %w", err)
	}
	return nil
}

// end lets nothing be issued from now on, to calls that were served and have not collected
// either. g.mu is held.
func (g *Generator) end() {
	g.tenure.End(nil, uid.ErrClosed)
	g.ring.Shut()
	g.counts.lost.Add(g.queue.Withdraw())
	g.setFloor(allStale)
	g.last = g.newest()
}

// newest returns the newest tick with a claimed UID, or a later one that was skipped, or -1 if
// there was neither. In a ring that is open a later one may be claimed meanwhile. g.mu is held.
func (g *Generator) newest() int64 {
	if !g.state.started || g.ring.Claimed() == 0 {
		return -1
	}
	// Positions beyond the tail were claimed, but nobody got a UID for them.
	return int64(min(g.ring.Tick(g.ring.Position()-1), g.ring.Tail()-1))
}

// discard drops what is buffered, what calls that wait have not collected and what Lanes hold: the
// reservation was revoked.
func (g *Generator) discard() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.drop()
}

// drop is discard with g.mu held.
func (g *Generator) drop() {
	g.ring.Shut()
	g.counts.lost.Add(g.queue.Withdraw())
	g.setFloor(allStale)
	g.state.parked = false // those from whom something was taken back wait again
	g.state.discarded = true
	g.state.void = g.ring.Tail()
}
