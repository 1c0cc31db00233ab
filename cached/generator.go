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
	"github.com/uidgen/uid/internal/tick"
	"github.com/uidgen/uid/ringbuffer"
)

// A Generator is a [uid.Generator] on a ring. Make it with New; do not copy it. Any number of goroutines may call its
// methods at once.
type Generator struct {
	// ring is part of the structure: a pointer to it would cost every take a load.
	ring ringbuffer.Ring

	// staleBelow is the first UID that is not stale. withdrawBelow writes it, and then
	// withdraws what Lanes hold below it; Lanes read it when they claim.
	staleBelow atomic.Uint64

	rules
	tenure   *tenure.Tenure
	wake     waker
	stop     sync.Once     // Close has begun
	quit     chan struct{} // closed by Close
	last     int64         // written by stop: what newest returned
	done     chan struct{} // closed when run has ended
	counts   counters
	handlers settings.Caller

	// mu guards what follows. It is never held during a handler, a call of the worker or a wait.
	mu       sync.Mutex
	producer *ringbuffer.Producer
	queue    line
	lanes    lanes
	// unordered is nil until it is first used.
	unordered *Unordered
	state
}

var _ uid.Generator = (*Generator)(nil)

// locked is a Generator whose mu the caller holds. Its methods are those that need the lock.
type locked Generator

func (g *Generator) lock() *locked {
	g.mu.Lock()
	return (*locked)(g)
}

// unlocked calls f with the lock released.
func (l *locked) unlocked(f func()) {
	l.mu.Unlock()
	defer l.mu.Lock()
	f()
}

// rules never change once the generator is made.
type rules struct {
	cfg       Config
	layout    bits.Layout
	unit      time.Duration
	epoch     time.Time
	follows   int64  // how far lead may be raised for a worker that begins ahead, in ticks; 0 if MaxLead was set
	lag       int64  // MaxLag in ticks, at least 1
	lookEvery int64  // ticks between two looks of run while UIDs are drawn
	padBelow  uint64 // buffered ticks below which the ring is topped up
	valBits   int    // a run is tick<<valBits | worker ID<<seqBits
	seqBits   int
	patient   bool // OnRejectedTake lets every call wait, and need not be asked
	now       func() time.Time
	born      time.Time // the origin of the steady clock
}

// rules checks a configuration.
func (c Config) rules() (rules, error) {
	patient, byDefault := c.OnRejectedTake == nil, c.MaxLead == 0
	c, err := c.withDefaults()
	if err != nil {
		return rules{}, err
	}
	l := c.Layout
	r := rules{
		cfg:       c,
		layout:    l,
		unit:      l.Unit(),
		epoch:     l.Epoch(),
		lag:       int64(c.MaxLag / l.Unit()),
		lookEvery: max(1, int64(c.MaxLag/l.Unit())/2),
		padBelow:  max(1, uint64(c.Slots*c.PaddingFactor/100)),
		seqBits:   l.SequenceBits(),
		valBits:   l.SequenceBits() + l.WorkerBits(),
		patient:   patient,
		now:       c.Now,
		born:      time.Now(),
	}
	if byDefault {
		r.follows = int64(mostBegun / r.unit)
	}
	return r, nil
}

// tickAt is Layout.TickAt without the layout, a copy of which would take room on the stack.
func (r *rules) tickAt(t time.Time) int64 { return tick.At(r.epoch, r.unit, t) }

// state is what the holders of the lock remember of the ring.
type state struct {
	lead           int64  // MaxLead in ticks, at most 2^62
	started        bool   // a tick has been published
	discarded      bool   // what is buffered must not be issued: the next refill restarts the ring
	discardedBelow uint64 // the tail at the last discard: no tick below it may be issued

	wall   time.Time     // the steady clock: the wall clock, but never going back and never slower than time itself
	wallAt time.Duration // when wall was read, since born

	seen    uint64 // the ring's position at run's last look
	parked  bool   // run has shut the ring because it was idle
	skipped uint64 // ticks skipped because they were stale or discarded
	refills uint64 // refills that brought at least one tick
	ticks   uint64 // ticks published
}

// counters count what happens off the hot path, without its lock.
type counters struct {
	lost          atomic.Uint64 // claimed positions that were not issued
	rejectedTakes atomic.Uint64
	rejectedPuts  atomic.Uint64
}

// A waker has one slot: it asks run to look at the ring and its timer.
type waker chan struct{}

// New acquires the worker and returns a running generator; Close ends it. It returns ErrConfig when cfg is unusable;
// ErrRange when After is out of reach or the worker's ID does not fit the layout; the error of bits.Expiry when the
// time field is (nearly) full or the clock is before its epoch; and the worker's error, such as ErrWorkerInUse.
func New(w uid.Worker, cfg Config) (*Generator, error) {
	return NewContext(context.Background(), w, cfg)
}

// NewContext is New with a context for acquiring the worker alone.
func NewContext(ctx context.Context, w uid.Worker, cfg Config) (*Generator, error) {
	rules, err := cfg.rules()
	if err != nil {
		return nil, err
	}
	cfg, layout, unit := rules.cfg, rules.layout, rules.unit
	g := &Generator{
		rules:    rules,
		handlers: settings.Caller{Logger: cfg.Logger},
		wake:     make(waker, 1),
		quit:     make(chan struct{}),
		done:     make(chan struct{}),
		state:    state{lead: min(int64(cfg.MaxLead/unit), 1<<62)},
	}
	g.producer, err = g.ring.Init(ringbuffer.Config{
		Slots: cfg.Slots, SequenceBits: g.seqBits, WorkerBits: layout.WorkerBits(),
	})
	if err != nil {
		return nil, err
	}
	if cfg.MaxLead == Unbounded {
		g.lead = math.MaxInt64
	}
	g.staleBelow.Store(allStale)
	terms := layout.Terms()
	terms.MaxLead = cfg.MaxLead
	floor := tenure.Floor{After: cfg.After, Ahead: max(cfg.MaxLead, unit)}
	g.tenure, err = tenure.Begin(ctx, "cached", w, layout, cfg.Expiry, floor, tenure.Config{
		Terms: terms, Now: g.now, Logger: cfg.Logger,
		Granted: func(uid.Reservation) { g.wake.signal() },
		Discard: g.discard,
		Newest:  g.newest,
	})
	if err != nil {
		return nil, err
	}
	now := g.now() // acquiring the worker may have taken a while
	l := g.lock()
	l.refill(now)
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
		l := g.lock()
		defer g.mu.Unlock()
		l.end()
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

// discard is for a reservation that was revoked.
func (g *Generator) discard() {
	l := g.lock()
	defer g.mu.Unlock()
	l.discard()
}

// newest returns the newest tick from which a UID was issued, or -1.
func (g *Generator) newest() int64 {
	l := g.lock()
	defer g.mu.Unlock()
	return l.newest()
}
