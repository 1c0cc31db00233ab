package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/statefile"
)

// A job is what the parent tells a child.
type job struct {
	Slot        slot
	Index       int // of the slot
	Incarnation uint32
	// SequenceBits are of the layout. First is the first tick, and Ticks how many there are, of the round.
	SequenceBits   int
	First, Ticks   int64
	Numbers        int64
	URL, Namespace string // of the store
	State          string // the file of a worker that keeps one
	StaticID       int64
	Rate           float64 // UIDs a second
	Clock          []step
}

// Exit statuses of a child. It exits with 1 after an error that callers need not expect.
const (
	exitDone    = 0
	exitNoStart = 3 // its generator could not be made; the parent tries again
	exitOrphan  = 4
)

// A memory is what the processes of a round share: the record of all UIDs, and what the
// slots have come to.
type memory struct {
	*harness.Record
	*page
}

type page struct {
	slots   [maxSlots]counters
	ledgers [maxLedgers]ledger // of processes that draw numbers, by incarnation
}

const maxSlots = 64

// counters are those of a slot, whose processes come one after the other.
type counters struct {
	uids    atomic.Uint64 // drawn and marked
	refused atomic.Uint64 // calls that failed because nothing was reserved or allowed
	lost    atomic.Uint64 // leases that ended, or were another's, while a process lived
	taken   atomic.Uint64 // leases taken over from a process that did not release them
	pauses  atomic.Uint32 // incremented before a process is stopped
	_       [64]byte
}

// openMemory makes the memory of a round, or opens it in another process.
func openMemory(g harness.Geometry, file *os.File) (*memory, error) {
	r, p, err := harness.OpenRecord[page](g, file)
	return &memory{r, p}, err
}

// startLimit bounds the start of a generator.
const startLimit = 20 * time.Second

// defaultLag is the MaxLag that package cached has by default.
const defaultLag = time.Second

// do is for the child.
func (p job) do(file *os.File) error {
	layout = newLayout(p.SequenceBits)
	m, err := openMemory(harness.Geometry{Layout: layout, First: p.First, Ticks: p.Ticks, Numbers: p.Numbers}, file)
	if err != nil {
		return err
	}
	untilQuit, quit := context.WithCancel(context.Background())
	defer quit()
	go func() {
		harness.AwaitQuit(exitOrphan)
		quit()
	}()
	starting, cancel := context.WithTimeout(untilQuit, startLimit)
	defer cancel()
	c, granted, counters := newClock(p.Clock), &grants{byID: map[int64]uid.Reservation{}}, &m.slots[p.Index]
	tenants, ways := max(1, p.Slot.Tenants), len(p.Slot.Draw)
	var all sync.WaitGroup
	for tenant := range tenants {
		g, err := p.generator(starting, c, granted, m)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitNoStart)
		}
		closed := make(chan struct{})
		context.AfterFunc(untilQuit, func() { // while it is drawn from
			g.end()
			close(closed)
		})
		all.Go(func() { <-closed })
		for i, way := range p.Slot.Draw {
			check := &checker{
				memory: m, clock: c, drawer: harness.NewDrawer(p.Incarnation, tenant*ways+i), granted: granted,
				base: m.Base(), size: uint64(m.Size()), seqBits: uint8(m.Layout.SequenceBits()), prev: -1, run: -1,
				ordered: p.Slot.ordered(way), lag: g.lag, lead: g.lead, logical: !p.Slot.Cached,
				numbers: way == tagged || g.ledger != nil, foreign: p.Slot.Worker == served, ledger: g.ledger,
			}
			if p.Slot.Cached {
				check.grace = grace
			}
			d := &drawing{checker: check, counters: counters, rate: p.Rate / float64(tenants*ways)}
			if d.one, d.many = g.way(way); d.many != nil {
				d.buf = make([]uid.UID, fillSize)
			}
			all.Go(func() {
				if err := d.run(untilQuit); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
			})
		}
	}
	all.Wait()
	return nil
}

// end closes the generator. What cannot be released while the database is away is left, not lost.
func (g *generator) end() {
	if err := g.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if g.ledger != nil {
		g.ledger.end(g.Generator.(*segment.Generator).Health())
	}
}

// A generator is one of either package, or a planted one, or one of numbers.
type generator struct {
	uid.Generator
	drawer    uid.Drawer // a planted one that is drawn from instead; nil for others
	ledger    *ledger    // of numbers
	lag, lead int64      // in ticks
}

func (p job) generator(ctx context.Context, c *clock, granted *grants, m *memory) (*generator, error) {
	switch p.Slot.Worker {
	case segments:
		return p.numbers(ctx, &m.ledgers[p.Incarnation])
	case served:
		return p.client(), nil
	}
	w, err := p.worker(ctx, c, &m.slots[p.Index])
	if err != nil {
		return nil, err
	}
	w = &share{Worker: unstored(p.Slot.Planted, w), first: p.Slot.base(), count: 1 << idBits, granted: granted}
	w, now := plant(p.Slot.Planted, w, c.now)
	unit := layout.Unit()
	g := &generator{lead: 2} // Logical may be a tick ahead; the other one is for rounding.
	if !p.Slot.Cached {
		cfg := uncached.Config{Layout: layout, Logger: quiet, Now: now}
		if p.Slot.Remember > 0 {
			cfg.ClockBack = uncached.Remember(p.Slot.Remember)
		}
		g.Generator, err = uncached.NewContext(ctx, w, cfg)
	} else {
		g.lag, g.lead = int64(cmp.Or(p.Slot.MaxLag, defaultLag)/unit), int64(p.Slot.MaxLead/unit)
		g.Generator, err = cached.NewContext(ctx, w, cached.Config{
			Layout: layout, MaxLead: p.Slot.MaxLead, MaxLag: p.Slot.MaxLag, Slots: p.Slot.Ring,
			Logger: quiet, Now: now,
		})
	}
	if err == nil {
		g.plant(p.Slot.Planted, now)
	}
	return g, err
}

func (p job) worker(ctx context.Context, c *clock, count *counters) (uid.Worker, error) {
	switch p.Slot.Worker {
	case static:
		return worker.Static(p.StaticID), nil
	case kept:
		cfg := statefile.Config{Window: leaseWindow, Logger: quiet, Now: c.now}
		return statefile.New(p.State, worker.FixedID(int64(p.Index)), cfg)
	case throwaway:
		u, err := scheme.Parse(p.URL)
		if err != nil {
			return nil, err
		}
		s, err := u.Open(ctx, scheme.Options{Logger: quiet})
		if err != nil {
			return nil, err
		}
		return disposable.New(s.Numbers, disposable.Config{Logger: quiet})
	}
	s, _, err := engines.Open(ctx, p.URL)
	if err != nil {
		return nil, err
	}
	leases, err := s.Namespace(p.Namespace)
	if err != nil {
		return nil, err
	}
	if p.Slot.Planted == plantedOblivious {
		leases = harness.Oblivious{Store: leases}
	}
	window := cmp.Or(p.Slot.Window, leaseWindow)
	return lease.New(leases, lease.Config{
		Window: window, TTL: max(leaseTTL, window+window/2), MaxClockSkew: leaseSkew,
		Losses: p.Slot.Losses, MustExist: p.Slot.Losses == lease.Never, Logger: quiet, Now: c.now,
		OnEvent: func(e lease.Event) {
			switch e.Kind {
			case "lost":
				count.lost.Add(1)
			case "taken over":
				count.taken.Add(1)
			}
		},
	})
}

// way returns how to draw in a way: one at a time, or many.
func (g *generator) way(way string) (uid.Drawer, func([]uid.UID) (int, error)) {
	if c, served := g.Generator.(*client); served {
		return nil, c.draw(way)
	}
	switch c, cached := g.Generator.(*cached.Generator); {
	case g.drawer != nil:
		return g.drawer, nil
	case way == try:
		return trying{g.Generator.(*segment.Generator)}, nil
	case way == fill:
		return nil, g.Fill
	case cached && way == lane:
		return c.Lane(), nil
	case cached && way == unordered:
		return c.Unordered(), nil
	}
	return g.Generator, nil
}

// trying draws without waiting.
type trying struct{ *segment.Generator }

func (t trying) GetUID() (uid.UID, error) { return t.TryGetUID() }
