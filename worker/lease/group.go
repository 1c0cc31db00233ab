package lease

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/uidgen/uid"
)

// A GroupConfig holds the settings of a [Group]. The zero value works.
type GroupConfig struct {
	// Calls is how many calls of the store run at once, each of which may use a connection of its
	// own. The others wait for their turn. The default, for 0, is 16; negative ones are refused.
	Calls int
}

// DefaultCalls is the Calls of a [GroupConfig] that leaves it 0.
const DefaultCalls = 16

// A Group is a [Store] for a process that has many leases in one namespace, one for each of its
// tenants say, and makes them at once:
//
//	group, err := lease.NewGroup(store, lease.GroupConfig{})
//	for each tenant, in a goroutine of its own:
//		worker, err := lease.New(group, lease.Config{Holder: tenant})
//		generator, err := cached.NewContext(ctx, worker, cached.Config{})
//
// Acquisitions that come at once join: while one transaction is under way those that come meanwhile
// wait, and share the next, up to MaxBatch of them. So a thousand leases need some ten
// transactions, and no one waits longer than for the transaction before. That needs a
// [BatchStore]. Of other stores a Group makes one call for each, side by side.
//
// Each lease still decides by itself, over a row of its own: one that is refused, or whose caller
// gives up, changes nothing for the others; one whose reply is lost is taken up again by the lease's
// next attempt. If fewer rows are free than are asked for, those who came first get them, and the
// others [uid.ErrNoWorkerID].
//
// Inspections join as well. Renewals and releases do not: each is a call of its own, of which no
// more than Calls run at once. With a store that is far away set Calls so that all releases of a
// shutdown are done in the 5 s that each has.
//
// Make it with [NewGroup]. All methods may be called by any number of goroutines at once. It needs
// no closing: its goroutines end when nobody waits.
type Group struct {
	store   Store
	batches BatchStore // the same, or nil
	calls   chan struct{}

	inspections *joint
	mu          sync.Mutex
	takes       map[alike]*joint
}

var _ PlacedStore = (*Group)(nil)

// alike are the parts of a Wanted that the members of a batch have in common.
type alike struct {
	ids    Range
	strict bool
	rest   time.Duration
}

// A taking is the ask of a Take.
type taking struct {
	highest func(time.Time) int64
	decide  func(*Namespace, *Row, Clock) error

	// What the last run made of it. Only the joint's goroutine uses them.
	offered bool
	refused error
}

// An inspecting is the ask of an Inspect.
type inspecting struct{ lossy []string }

var (
	// errLeft says that a caller is gone.
	errLeft = errors.New("the caller has given up")
	// errAllRefused makes a store write nothing, because no member of a batch agrees to its row.
	errAllRefused = errors.New("no lease of the batch agrees to its row")
)

// NewGroup returns a Group on a store. It returns [uid.ErrConfig], with the number, when a setting
// cannot be used. It does not touch the store.
func NewGroup(store Store, cfg GroupConfig) (*Group, error) {
	if store == nil {
		return nil, fmt.Errorf("%w: no store of leases", uid.ErrConfig)
	}
	if cfg.Calls < 0 {
		return nil, fmt.Errorf("%w: Calls %d is less than 0", uid.ErrConfig, cfg.Calls)
	}
	if cfg.Calls == 0 {
		cfg.Calls = DefaultCalls
	}
	g := &Group{store: store, calls: make(chan struct{}, cfg.Calls), takes: map[alike]*joint{}}
	g.batches, _ = store.(BatchStore)
	g.inspections = &joint{most: manyInspections, do: g.inspect}
	return g, nil
}

// manyInspections is more than ever wait at once.
const manyInspections = 1 << 30

// Take implements [Store]. Those that come at once are carried out together.
func (g *Group) Take(ctx context.Context, w Wanted, decide func(*Namespace, *Row, Clock) error) error {
	if g.batches == nil {
		return g.call(ctx, func() error { return g.store.Take(ctx, w, decide) })
	}
	return g.joint(alike{w.IDs, w.Strict, w.Rest}).join(ctx, &taking{highest: w.Highest, decide: decide})
}

// joint returns the joint of the Takes that want the same.
func (g *Group) joint(what alike) *joint {
	g.mu.Lock()
	defer g.mu.Unlock()
	j := g.takes[what]
	if j == nil {
		j = &joint{most: MaxBatch}
		j.do = func(ctx context.Context, batch []*request) { g.take(ctx, j, what, batch) }
		g.takes[what] = j
	}
	return j
}

// take carries out the Takes of a batch. Those that were offered no row come next.
func (g *Group) take(ctx context.Context, j *joint, what alike, batch []*request) {
	for _, r := range batch {
		t := r.ask.(*taking)
		t.offered, t.refused = false, nil
	}
	w := Wanted{IDs: what.ids, Strict: what.strict, Rest: what.rest, Highest: func(now time.Time) int64 { return lowest(batch, now) }}
	err := g.call(ctx, func() error {
		return g.batches.TakeBatch(ctx, w, len(batch), func(ns *Namespace, rows []*Row, now Clock) error { return decideAll(batch, ns, rows, now) })
	})
	open := err != nil && !errors.Is(err, errAllRefused)
	var next []*request
	for _, r := range batch {
		switch t := r.ask.(*taking); {
		case open:
			r.answer(err)
		case !t.offered:
			next = append(next, r)
		default:
			r.answer(t.refused)
		}
	}
	j.putBack(next)
}

// lowest returns a last tick that is not too far ahead for any of the batch.
func lowest(batch []*request, now time.Time) int64 {
	last := batch[0].ask.(*taking).highest(now)
	for _, r := range batch[1:] {
		last = min(last, r.ask.(*taking).highest(now))
	}
	return last
}

// decideAll lets each of a batch decide about a row, as if each had come after those before it. The
// row of one that refuses, or is gone, is not taken.
func decideAll(batch []*request, ns *Namespace, rows []*Row, now Clock) error {
	agreed := 0
	for i, r := range batch {
		t := r.ask.(*taking)
		if t.offered = i < len(rows); !t.offered {
			continue
		}
		namespace := *ns
		t.refused = r.run(func() error { return t.decide(&namespace, rows[i], now) })
		if t.refused != nil {
			rows[i] = nil
			continue
		}
		*ns = namespace
		agreed++
	}
	if agreed == 0 {
		return errAllRefused
	}
	return nil
}

// Change implements [Store].
func (g *Group) Change(ctx context.Context, id int64, decide func(*Row, Clock) error) error {
	return g.call(ctx, func() error { return g.store.Change(ctx, id, decide) })
}

// Init implements [Store].
func (g *Group) Init(ctx context.Context, decide func(*Namespace, Clock) error) error {
	return g.call(ctx, func() error { return g.store.Init(ctx, decide) })
}

// Inspect implements [Store]. Those that come at once share one.
func (g *Group) Inspect(ctx context.Context) (lossy []string, err error) {
	i := &inspecting{}
	if err := g.inspections.join(ctx, i); err != nil {
		return nil, err
	}
	return i.lossy, nil
}

func (g *Group) inspect(ctx context.Context, batch []*request) {
	var lossy []string
	err := g.call(ctx, func() (err error) { lossy, err = g.store.Inspect(ctx); return err })
	for _, r := range batch {
		// It is the caller's to keep.
		_ = r.run(func() error { r.ask.(*inspecting).lossy = append([]string(nil), lossy...); return nil })
		r.answer(err)
	}
}

// Durable implements [Store].
func (g *Group) Durable() bool { return g.store.Durable() }

// Name implements [Store].
func (g *Group) Name() string { return g.store.Name() }

// Place implements [PlacedStore].
func (g *Group) Place() string { return placeOf(g.store) }

// Bind implements [PlacedStore].
func (g *Group) Bind(place string) error { return bind(g.store, place) }

// call waits for its turn and calls the store.
func (g *Group) call(ctx context.Context, do func() error) error {
	select {
	case g.calls <- struct{}{}:
	case <-ctx.Done():
		return gaveUpWaiting(ctx)
	}
	defer func() { <-g.calls }()
	return do()
}
