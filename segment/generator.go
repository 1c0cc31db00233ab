package segment

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/cpu"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/queue"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/ringbuffer"
)

// A Generator issues the numbers of a tag. Make it with [New], or get it from a [Registry], and do not copy it. Any
// number of goroutines may call its methods at once.
type Generator struct {
	// ring hands out positions. It is part of the structure: a pointer to it would cost every
	// take a load.
	ring ringbuffer.Ring

	// front is a guess at the span that takers are in now. A taker that has left it behind
	// writes the next one. An outdated guess costs the taker a walk along the spans, never a wrong
	// number.
	front atomic.Pointer[span]

	_ cpu.CacheLinePad // what follows is written more often than front

	cfg      Config
	source   source
	shared   *shared
	counts   counters
	handlers settings.Caller

	// mu guards what follows. It is never held during a handler, a call of the store or a wait.
	mu       sync.Mutex
	producer *ringbuffer.Producer
	state    state
	// taking belongs to the goroutine that has set state.busy, and so does panicked: the store's last call did.
	taking   taking
	panicked bool
}

// state is guarded by Generator.mu.
type state struct {
	ended error // never reset: nothing is issued any more
	held
	access
	outage
	steps
	totals
	pace pace
}

// held is the numbers that the generator has.
type held struct {
	current *segment        // takers are in it, or have used it up; nil while there is none
	stock   storage.Numbers // the numbers after those; none while they are not there yet
	last    *span           // the end of all spans
}

// access is how the generator uses its store.
type access struct {
	busy   bool // a goroutine takes numbers from the store, or gives them back
	paused bool // the ring is to stay shut: numbers are being given back
	news   queue.News
}

// totals are for Health.
type totals struct {
	done    uint64 // numbers issued of the segments before the current one
	newest  int64  // the last one of those
	took    uint64 // numbers taken
	taken   int64  // the highest of them
	times   uint64 // how often
	given   uint64 // numbers given back
	dropped uint64 // numbers whose giving back had an unknown outcome
}

// kept is how many numbers were taken and not given back.
func (t *totals) kept() int64 { return int64(t.took - t.given) }

// counters count what happens off the hot path, without its lock.
type counters struct {
	rejectedTakes atomic.Uint64
	waiting       atomic.Int64 // calls
}

// leftLocked returns how many numbers of the current segment were not claimed.
func (g *Generator) leftLocked() int64 {
	c := g.state.current
	if c == nil {
		return 0
	}
	return c.Last + 1 - c.number(g.producer.Position())
}

// bufferedLocked returns how many numbers are in hand.
func (g *Generator) bufferedLocked() int64 { return g.leftLocked() + g.state.stock.Len() }

// issuedLocked returns how many numbers were claimed.
func (g *Generator) issuedLocked() uint64 {
	s := &g.state
	if s.current == nil {
		return s.done
	}
	return s.done + uint64(s.current.Len()-g.leftLocked())
}

// A source is a tag of a store.
type source struct {
	Store Store
	Tag   string
}

// New returns a generator for a tag of a store. A tag is 1 to 128 ASCII letters, digits, spaces (not at its ends) and
// !"#$%&'()*+,-./:;<=>?_. A store may take tags that differ only in case for the same one.
//
// It returns [uid.ErrConfig] or [uid.ErrRange] when a setting or the tag cannot be used, and [uid.ErrLossy] or
// [uid.ErrConfig] when the store cannot be. A store that does not answer within Config.Timeout is no error: calls that
// draw fail until it does.
func New(s Store, tag string, cfg Config) (*Generator, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fmt.Errorf("segment: %w: no Store", uid.ErrConfig)
	}
	g, err := newGenerator(source{s, tag}, cfg, newShared(1))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), cfg.Timeout)
	defer cancel()
	if err := g.examine(ctx); refused(err) {
		return nil, fmt.Errorf("segment: tag %q: %w", tag, err)
	}
	return g, nil
}

// MustNew is New that panics where New fails.
func MustNew(s Store, tag string, cfg Config) *Generator {
	g, err := New(s, tag, cfg)
	if err != nil {
		panic(err)
	}
	return g
}

func newGenerator(s source, cfg Config, sh *shared) (*Generator, error) {
	if err := storage.CheckTag(s.Tag); err != nil {
		return nil, fmt.Errorf("segment: %w", err)
	}
	g := &Generator{cfg: cfg, source: s, shared: sh, handlers: settings.Caller{Logger: cfg.Logger}, taking: taking{
		tag: s.Tag, nonce: rand.Text()[:nonceLen], first: cfg.First, last: cfg.Last, create: cfg.Create,
		exact: cfg.Total > 0, has: -1,
	}}
	var err error
	if g.producer, err = g.ring.Init(ringConfig); err != nil {
		return nil, err
	}
	nothing := new(span)
	g.front.Store(nothing)
	g.state.last = nothing
	g.state.step = cfg.MinStep
	return g, nil
}

// nonceLen is how many letters tell the generators of a tag apart: 65 bits, in each row of it.
const nonceLen = 13

var _ uid.Generator = (*Generator)(nil)

// Tag returns the generator's tag.
func (g *Generator) Tag() string { return g.source.Tag }

// GetUID returns the next number, unique among all that draw from the tag. When one call of a generator returns before
// another one starts, its number is the smaller.
//
// While the next numbers are on their way, Config.OnRejectedTake decides. GetUID returns [uid.ErrNoReservation], with
// the reason, when the last attempt to take numbers failed; the generator tries again in the background. It returns
// [uid.ErrClosed] after Close, [uid.ErrExhausted] when Config.Last is used up, and [ErrLost].
func (g *Generator) GetUID() (uid.UID, error) {
	s := g.front.Load()
	pos := g.ring.Claim(1)
	if d := pos - s.first; d < s.n {
		return uid.UID(s.base + d), nil
	}
	return g.takeSlow(context.Background(), s, pos, g.cfg.OnRejectedTake)
}

// GetUIDContext is GetUID with a context: see [uid.Generator].
func (g *Generator) GetUIDContext(ctx context.Context) (uid.UID, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s := g.front.Load()
	pos := g.ring.Claim(1)
	if d := pos - s.first; d < s.n {
		return uid.UID(s.base + d), nil
	}
	return g.takeSlow(ctx, s, pos, g.cfg.OnRejectedTake)
}

// TryGetUID is GetUID that never waits and calls no handler: where GetUID might wait, it returns [uid.ErrRejectedTake]
// or [uid.ErrNoReservation].
func (g *Generator) TryGetUID() (uid.UID, error) {
	s := g.front.Load()
	pos := g.ring.Claim(1)
	if d := pos - s.first; d < s.n {
		return uid.UID(s.base + d), nil
	}
	return g.takeSlow(context.Background(), s, pos, nil)
}
