package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlite"
	"github.com/uidgen/uid/worker/statefile"
)

// A job is what the parent tells a child.
type job struct {
	Slot        slot
	Index       int // of the slot
	Incarnation uint32
	First       int64 // tick,
	Ticks       int64 // and how many, of the round
	DSN, Path   string
	StaticID    int64
	Rate        float64 // UIDs a second
	Clock       []step
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
	slots *[maxSlots]counters
}

const maxSlots = 64

// counters are those of a slot, whose processes come one after the other.
type counters struct {
	uids    atomic.Uint64 // drawn and marked
	refused atomic.Uint64 // calls that failed because nothing was reserved or allowed
	slowest atomic.Int64  // ns: the longest time that a few calls together took
	stalled atomic.Int64  // ns: the longest time without a UID for a goroutine that wanted one
	lost    atomic.Uint64 // leases that ended, or were another's, while a process lived
	taken   atomic.Uint64 // leases taken over from a process that did not release them
	up      atomic.Uint32 // the incarnation that has a generator
	pauses  atomic.Uint32 // incremented before a process is stopped
	_       [64]byte
}

// openMemory makes the memory of a round, or opens it in another process.
func openMemory(g harness.Geometry, file *os.File) (*memory, error) {
	r, slots, err := harness.OpenRecord[[maxSlots]counters](g, file)
	return &memory{r, slots}, err
}

// startLimit bounds the start of a generator.
const startLimit = 20 * time.Second

// defaultLag is the MaxLag that package cached has by default.
const defaultLag = time.Second

// do is for the child.
func (p job) do(file *os.File) error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	var made atomic.Pointer[generator]
	var stop atomic.Bool
	var closed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		harness.AwaitQuit(exitOrphan)
		stop.Store(true)
		cancel()
		if g := made.Load(); g != nil {
			closed = g.Close()
		}
	}()
	m, err := openMemory(harness.Geometry{Layout: soakLayout, First: p.First, Ticks: p.Ticks}, file)
	if err != nil {
		return err
	}
	c, granted, counters := newClock(p.Clock), &grants{byID: map[int64]uid.Reservation{}}, &m.slots[p.Index]
	g, err := p.generator(ctx, c, granted, counters)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitNoStart)
	}
	made.Store(g)
	counters.up.Store(p.Incarnation)

	failed := make([]error, len(p.Slot.Draw))
	var all sync.WaitGroup
	for i, way := range p.Slot.Draw {
		check := &checker{
			memory: m, clock: c, drawer: harness.NewDrawer(p.Incarnation, i), granted: granted,
			base: m.Base(), size: uint64(m.Size()), seqBits: uint8(m.Layout.SequenceBits()), prev: -1, run: -1,
			ordered: p.Slot.ordered(way), lag: g.lag, lead: g.lead, logical: !p.Slot.Cached,
		}
		if p.Slot.Cached {
			check.grace = grace
		}
		d := &drawing{checker: check, counters: counters, stop: &stop, rate: p.Rate / float64(len(p.Slot.Draw))}
		if d.one, d.many = g.way(way); d.many != nil {
			d.buf = make([]uid.UID, fillSize)
		}
		all.Go(func() { failed[i] = d.run() })
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	<-done
	// It may have come before there was a generator. What cannot be released while the
	// database is away is left, not lost.
	if err := errors.Join(closed, g.Close()); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return nil
}

// A generator is one of either package, or a planted one.
type generator struct {
	uid.Generator
	drawer    uid.Drawer // a planted one that is drawn from instead; nil for others
	lag, lead int64      // in ticks
}

func (p job) generator(ctx context.Context, c *clock, granted *grants, count *counters) (*generator, error) {
	w, err := p.worker(ctx, c, count)
	if err != nil {
		return nil, err
	}
	number, _ := p.Slot.shareOf()
	if p.Slot.Planted == plantedUnstored {
		w = unstored(w)
	}
	w = &share{Worker: w, first: number << idBits, count: 1 << idBits, granted: granted}
	w, now := plant(p.Slot.Planted, w, c.now)
	unit := soakLayout.Unit()
	g := &generator{lead: 2} // Logical may be a tick ahead; the other one is for rounding.
	if !p.Slot.Cached {
		cfg := uncached.Config{Layout: soakLayout, Logger: quiet, Now: now}
		if p.Slot.Remember > 0 {
			cfg.ClockBack = uncached.Remember(p.Slot.Remember)
		}
		g.Generator, err = uncached.NewContext(ctx, w, cfg)
	} else {
		g.lag, g.lead = int64(cmp.Or(p.Slot.MaxLag, defaultLag)/unit), int64(p.Slot.MaxLead/unit)
		g.Generator, err = cached.NewContext(ctx, w, cached.Config{
			Layout: soakLayout, MaxLead: p.Slot.MaxLead, MaxLag: p.Slot.MaxLag, Slots: p.Slot.Ring,
			Logger: quiet, Now: now,
		})
	}
	if err == nil {
		g.plant(p.Slot.Planted, now)
	}
	return g, err
}

var quiet = slog.New(slog.DiscardHandler)

func (p job) worker(ctx context.Context, c *clock, count *counters) (uid.Worker, error) {
	switch p.Slot.Worker {
	case static:
		return worker.Static(p.StaticID), nil
	case kept:
		path := fmt.Sprintf("%s.%d.state", p.Path, p.Index)
		cfg := statefile.Config{Window: leaseWindow, Logger: quiet, Now: c.now}
		return statefile.New(path, worker.FixedID(int64(p.Index)), cfg)
	}
	var db *sqlx.DB
	var err error
	if p.Slot.Store == embedded {
		db, err = sqlite.Open(ctx, p.Path)
	} else { // the driver would log every broken connection
		db, err = cluster.Connect(p.DSN, cluster.Quiet)
	}
	if err != nil {
		return nil, err
	}
	table, _ := p.Slot.leases()
	tables, err := table.in(db)
	if err != nil {
		return nil, err
	}
	if p.Slot.Worker == throwaway {
		return disposable.New(tables.Numbers(), disposable.Config{Logger: quiet})
	}
	leases, err := tables.Leases(table.Namespace)
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
	switch c, cached := g.Generator.(*cached.Generator); {
	case g.drawer != nil:
		return g.drawer, nil
	case way == fill:
		return nil, g.Fill
	case cached && way == lane:
		return c.Lane(), nil
	case cached && way == unordered:
		return c.Unordered(), nil
	}
	return g.Generator, nil
}
