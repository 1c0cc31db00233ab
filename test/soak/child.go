package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/process"
	"github.com/uidgen/uid/test/record"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlite"
	"github.com/uidgen/uid/worker/statefile"
)

// processEnv makes this program a child that draws, and says of what kind.
const processEnv = "UID_SOAK_PROCESS"

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
}

// Exit statuses of a child.
const (
	exitDone    = 0
	exitNoStart = 3 // its generator could not be made; the parent tries again
	exitOrphan  = 4
	exitFault   = 5 // an error that callers need not expect
)

// memoryFD is where a child finds the shared memory.
const memoryFD = 3

func childMain(text string) int {
	var p job
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFault
	}
	c, err := clockFromEnv()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFault
	}
	m, err := openMemory(record.Geometry{Layout: soakLayout, First: p.First, Ticks: p.Ticks}, os.NewFile(memoryFD, "memory"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFault
	}
	return p.run(m, c)
}

func (p *job) run(m *memory, c *clock) int {
	granted := newGrants()
	var made atomic.Pointer[generator]
	var stop atomic.Bool
	var closed error
	done := make(chan struct{})
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	go func() {
		defer close(done)
		process.AwaitQuit(exitOrphan)
		stop.Store(true)
		cancel()
		if g := made.Load(); g != nil {
			closed = g.Close()
		}
	}()
	counters := &m.slots[p.Index]
	g, err := p.generator(ctx, c, granted, counters)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitNoStart
	}
	made.Store(g)
	counters.up.Store(p.Incarnation)

	var all sync.WaitGroup
	var failed atomic.Bool
	for i, way := range p.Slot.Draw {
		check := newChecker(m, c, record.NewDrawer(p.Incarnation, i), granted)
		check.ordered = p.Slot.ordered(way)
		check.lag, check.lead, check.logical = g.lag, g.lead, !p.Slot.Cached
		if !p.Slot.Cached {
			check.grace = 0
		}
		d := &drawing{checker: check, counters: counters, stop: &stop, rate: p.Rate / float64(len(p.Slot.Draw))}
		if d.one, d.many = g.way(way); d.many != nil {
			d.buf = make([]uid.UID, fillSize)
		}
		all.Go(func() {
			if err := d.run(); err != nil {
				fmt.Fprintf(os.Stderr, "%s failed: %v\n", way, err)
				failed.Store(true)
			}
		})
	}
	all.Wait()
	if failed.Load() {
		return exitFault
	}
	<-done
	// It may have come before there was a generator. What cannot be released while the
	// database is away is left, not lost.
	if err := errors.Join(closed, g.Close()); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return exitDone
}

// A generator is one of either package, or a planted one.
type generator struct {
	uid.Generator            // nil for a planted one
	planted       uid.Drawer // nil for others
	swap          bool       // a planted fault
	lag, lead     int64      // in ticks
}

// startLimit bounds the start of a generator.
const startLimit = 20 * time.Second

func (p *job) generator(ctx context.Context, c *clock, granted *grants, count *counters) (*generator, error) {
	w, err := p.worker(ctx, c, count)
	if err != nil {
		return nil, err
	}
	switch p.Slot.Planted {
	case plantedUnstored:
		w = unstored(w)
	case plantedForgotten:
		w = forgetful(w)
	case plantedUndone:
		w = &undone{w}
	}
	number, _ := p.Slot.shareOf()
	w = &share{Worker: w, first: number << idBits, count: 1 << idBits, granted: granted}
	now := c.now
	unit := soakLayout.Unit()
	w, now = plant(p.Slot.Planted, w, now)
	if g := plantedGenerator(p.Slot.Planted, w, now); g != nil {
		return &generator{planted: g, lag: math.MaxInt32, lead: math.MaxInt32}, nil
	}
	if !p.Slot.Cached {
		cfg := uncached.Config{Layout: soakLayout, Logger: quiet, Now: now}
		if p.Slot.Remember > 0 {
			cfg.ClockBack = uncached.Remember(p.Slot.Remember)
		}
		if p.Slot.Planted == plantedTurns {
			cfg.Layout, cfg.ClockBack = turningLayout, uncached.RollbackBits(turnBits)
		}
		g, err := uncached.NewContext(ctx, w, cfg)
		// Logical may be a tick ahead; the other one is for rounding.
		return &generator{Generator: g, lead: 2}, err
	}
	lag := p.Slot.MaxLag
	if lag == 0 {
		lag = cached.DefaultMaxLag
	}
	g, err := cached.NewContext(ctx, w, cached.Config{
		Layout: soakLayout, MaxLead: p.Slot.MaxLead, MaxLag: p.Slot.MaxLag, Slots: p.Slot.Ring, Logger: quiet, Now: now,
	})
	return &generator{Generator: g, swap: p.Slot.Planted == plantedDisorder, lag: int64(lag / unit), lead: int64(p.Slot.MaxLead / unit)}, err
}

var quiet = slog.New(slog.DiscardHandler)

func (p *job) worker(ctx context.Context, c *clock, count *counters) (uid.Worker, error) {
	if p.Slot.Worker == static {
		return worker.Static(p.StaticID), nil
	}
	if p.Slot.Worker == kept {
		path := fmt.Sprintf("%s.%d.state", p.Path, p.Index)
		return statefile.New(path, worker.FixedID(int64(p.Index)), statefile.Config{Window: leaseWindow, Logger: quiet, Now: c.now})
	}
	db, err := p.open(ctx)
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
	window := cmp.Or(p.Slot.Window, leaseWindow)
	if p.Slot.Planted == plantedNames {
		table.namespace = storedName(p.Incarnation)
	}
	leases, err := tables.Leases(table.namespace)
	if err != nil {
		return nil, err
	}
	return lease.New(leases, lease.Config{
		Window: window, TTL: max(leaseTTL, window+window/2), Quarantine: leaseQuarantine, MaxClockSkew: leaseSkew,
		DurableStore: p.Slot.Durable, MaxClockOffset: 2*leaseStray + time.Second,
		Holder: holder(p.Incarnation), Logger: quiet, Now: c.now,
		OnEvent: func(e lease.Event) {
			switch e.Kind {
			case lease.Lost:
				count.lost.Add(1)
			case lease.TakenOver:
				count.taken.Add(1)
			}
		},
	})
}

func (p *job) open(ctx context.Context) (*sqlx.DB, error) {
	if p.Slot.Store == embedded {
		return sqlite.Open(ctx, p.Path)
	}
	// The driver would log every broken connection.
	return cluster.Connect(p.DSN, cluster.Quiet)
}

// way returns how to draw in a way: one at a time, or many.
func (g *generator) way(way string) (uid.Drawer, func([]uid.UID) (int, error)) {
	switch {
	case g.planted != nil:
		return g.planted, nil
	case g.swap:
		return &swapped{Drawer: g.Generator}, nil
	case way == fill:
		return nil, g.Fill
	}
	if c, is := g.Generator.(*cached.Generator); is {
		switch way {
		case lane:
			return c.Lane(), nil
		case unordered:
			return c.Unordered(), nil
		}
	}
	return g.Generator, nil
}

func (g *generator) Close() error {
	if g.planted == nil {
		return g.Generator.Close()
	}
	if c, is := g.planted.(io.Closer); is {
		return c.Close()
	}
	return nil
}
