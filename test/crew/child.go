package crew

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"os"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/test/process"
	"github.com/uidgen/uid/test/record"
	"github.com/uidgen/uid/worker/lease"
)

// An Opener returns the leases in a store; the text that says where it is is the crew's own. It
// connects when it has to.
type Opener func(ctx context.Context, store string) (lease.Store, io.Closer, error)

// Child draws UIDs and exits, if the program was started by a [Crew]. Else it does nothing.
func Child(open Opener) {
	Ordered(func(j Job, memory *os.File) error { return j.do(open, memory) })
}

// A Job is what a process is to do.
type Job struct {
	Process int
	First   int64 // tick,
	Ticks   int64 // and how many, of the record
	Store   string
	Lease   Timing

	Uncached bool
	// Greedy draws as fast as the generator gives, up to the end of what is reserved;
	// else the process keeps to the clock.
	Greedy bool
	// Blind draws whatever ticks it likes under the worker ID that it has, as if nobody
	// reserved any.
	Blind bool
}

// Timing is the part of a lease.Config that tests set.
type Timing struct {
	Window, TTL, Quarantine, MaxClockSkew time.Duration
	DurableStore                          bool
}

// Brisk has IDs used again after as short a time as can be.
var Brisk = Timing{Window: 400 * time.Millisecond, TTL: 600 * time.Millisecond, Quarantine: 50 * time.Millisecond, MaxClockSkew: 50 * time.Millisecond}

// Durable returns the same for a store that is taken to be durable, whatever it says.
func (t Timing) Durable() Timing {
	t.DurableStore = true
	return t
}

// Config returns the lease's settings.
func (t Timing) Config() lease.Config {
	return lease.Config{Window: t.Window, TTL: t.TTL, Quarantine: t.Quarantine, MaxClockSkew: t.MaxClockSkew,
		DurableStore: t.DurableStore, DurableStoreUnverified: t.DurableStore, Timeout: 2 * time.Second}
}

// maxLead bounds what is borrowed from the future. It is longer than it takes for an ID
// to be used again, so that it takes a reservation to keep owners apart.
const maxLead = 2 * time.Second

// NewGenerator returns a generator of either kind.
func NewGenerator(w uid.Worker, uncach bool, log *slog.Logger) (uid.Generator, error) {
	if uncach {
		return uncached.New(w, uncached.Config{Layout: Layout, Logger: log})
	}
	return cached.New(w, cached.Config{Layout: Layout, MaxLead: maxLead, Logger: log})
}

// do draws UIDs until it is told to quit, and then closes the generator.
func (j Job) do(open Opener, memory *os.File) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		process.AwaitQuit(2)
		stop()
	}()
	m, err := OpenMemory(record.Geometry{Layout: Layout, First: j.First, Ticks: j.Ticks}, memory)
	if err != nil {
		return err
	}
	me := &m.Processes[j.Process]
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	leases, connection, err := open(ctx, j.Store)
	if err != nil {
		return err
	}
	defer connection.Close()
	cfg := j.Lease.Config()
	cfg.Logger = logger
	cfg.OnEvent = func(e lease.Event) { m.Tell(j.Process, e) }
	var w uid.Worker
	if w, err = lease.New(leases, cfg); err != nil {
		return err
	}
	if j.Blind {
		w = &blind{Worker: w}
	}

	var g uid.Generator
	for {
		if g, err = NewGenerator(w, j.Uncached, logger); err == nil {
			break
		}
		me.Refused.Add(1)
		logger.Error("no generator", "error", err)
		if pause(ctx, 20*time.Millisecond); ctx.Err() != nil {
			return nil
		}
	}
	drawn := make(chan struct{})
	go func() {
		defer close(drawn)
		for ctx.Err() == nil {
			if err := j.draw(g, m); errors.Is(err, uid.ErrClosed) {
				return
			} else if err != nil {
				logger.Error("no UID", "error", err)
				count := &me.Failed
				if errors.Is(err, uid.ErrNoReservation) {
					count = &me.NoReservation
				}
				count.Add(1)
				pause(ctx, 5*time.Millisecond)
			}
			if !j.Greedy {
				pause(ctx, 2*time.Millisecond)
			}
		}
	}()
	<-ctx.Done()
	err = g.Close()
	<-drawn
	if err != nil {
		logger.Error("not released", "error", err)
	}
	return nil
}

// draw takes a few UIDs, in either way.
func (j Job) draw(g uid.Generator, m *Memory) error {
	u, err := g.GetUID()
	if err != nil {
		return err
	}
	m.Note(j.Process, u)
	batch := make([]uid.UID, 5)
	n, err := g.Fill(batch)
	for _, u := range batch[:n] {
		m.Note(j.Process, u)
	}
	return err
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// blind is a lease without its reservations: what remains if nothing but the heartbeat
// keeps two owners of an ID apart.
type blind struct {
	uid.Worker
	terms uid.Terms
}

func (b *blind) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	b.terms = t
	return b.widen(b.Worker.Acquire(ctx, t))
}

func (b *blind) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	return b.widen(b.Worker.Extend(ctx, through))
}

func (b *blind) widen(r uid.Reservation, err error) (uid.Reservation, error) {
	r.First, r.Last = b.terms.TickAt(time.Now()), b.terms.MaxTick
	r.Renew = min(r.Renew, math.MaxInt64-1)
	return r, err
}
