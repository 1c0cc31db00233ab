package faults

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"sync"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
)

// A leasesJob has a process draw UIDs under a leased ID.
type leasesJob struct {
	First, Ticks int64 // of the record
	Namespace    string
	Lease        timing
	// Blind draws whatever ticks it likes under the worker ID that it has, as if nobody
	// reserved any.
	Blind bool
	// Oblivious compares no histories instead.
	Oblivious bool
	// Many is how many IDs the process leases, each for a generator of its own; 0 stands for one.
	Many int
}

// timing is the part of a lease.Config that tests set.
type timing struct {
	Window, TTL, MaxClockSkew time.Duration
}

// brisk has IDs used again soon, on engines that answer late when two processors have all to do.
var brisk = timing{Window: 800 * time.Millisecond, TTL: 1200 * time.Millisecond, MaxClockSkew: 50 * time.Millisecond}

// lasting reserves ticks that are still to come when another server has taken over, which lacks the reservation: who
// does not see that begins among them.
var lasting = timing{Window: 5 * time.Second, TTL: 7500 * time.Millisecond, MaxClockSkew: 50 * time.Millisecond}

// maxLead bounds what is borrowed from the future. It is longer than it takes for an ID to be used again, so
// that it takes a reservation to keep owners apart, and reaches what is reserved after a burn.
const maxLead = lease.Burn

// do draws UIDs until it is told to quit, and then closes the generator. Every third process is uncached.
// Every other one draws as fast as the generator gives, up to the end of what is reserved; the others
// keep to the clock.
func (j leasesJob) do(ctx context.Context, p job, file *os.File) error {
	m, err := openMemory(harness.Geometry{Layout: layout, First: j.First, Ticks: j.Ticks}, file)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	store, connection, err := engines.Open(ctx, p.Store)
	if err != nil {
		return err
	}
	defer connection.Close()
	leases, err := store.Namespace(j.Namespace)
	if err != nil {
		return err
	}
	var drawing sync.WaitGroup
	for range max(1, j.Many) {
		drawing.Go(func() {
			if err := j.draws(ctx, p, leases, m, logger); err != nil {
				logger.Error("not released", "error", err)
			}
		})
	}
	drawing.Wait()
	return nil
}

// draws makes a generator on a lease and draws from it until the context ends.
func (j leasesJob) draws(ctx context.Context, p job, leases lease.Store, m *memory, logger *slog.Logger) error {
	if j.Oblivious {
		leases = harness.Oblivious{Store: leases}
	}
	var w uid.Worker
	w, err := lease.New(leases, lease.Config{
		Window: j.Lease.Window, TTL: j.Lease.TTL, MaxClockSkew: j.Lease.MaxClockSkew,
		Timeout: 2 * time.Second, Logger: logger, OnEvent: func(e lease.Event) { m.tell(p.Process, e) },
	})
	if err != nil {
		return err
	}
	if j.Blind && !j.Oblivious {
		w = &blind{Worker: w}
	}
	var g uid.Generator
	for {
		if p.Process%3 == 2 {
			g, err = uncached.New(w, uncached.Config{Layout: layout, Logger: logger})
		} else {
			g, err = cached.New(w, cached.Config{Layout: layout, MaxLead: maxLead, Logger: logger})
		}
		if err == nil {
			break
		}
		m.refused.Add(1)
		logger.Error("no generator", "error", err)
		if pause(ctx, 20*time.Millisecond); ctx.Err() != nil {
			return nil
		}
	}
	closed := make(chan error, 1)
	context.AfterFunc(ctx, func() { closed <- g.Close() }) // while it is drawn from
	for batch := make([]uid.UID, 6); ctx.Err() == nil; {
		n, err := draw(g, batch)
		for _, u := range batch[:n] {
			m.note(p.Process, u)
		}
		switch {
		case errors.Is(err, uid.ErrClosed):
			return <-closed
		case errors.Is(err, uid.ErrNoReservation):
			m.noReservation.Add(1)
		case err != nil:
			m.failed.Add(1)
		}
		if err != nil {
			logger.Error("no UID", "error", err)
			pause(ctx, 5*time.Millisecond)
		}
		if p.Process%2 == 1 {
			pause(ctx, 2*time.Millisecond)
		}
	}
	return <-closed
}

// draw takes a few UIDs, in either way.
func draw(g uid.Generator, batch []uid.UID) (n int, err error) {
	if batch[0], err = g.GetUID(); err != nil {
		return 0, err
	}
	n, err = g.Fill(batch[1:])
	return n + 1, err
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
