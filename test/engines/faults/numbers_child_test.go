package faults

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/engines"
)

// A numbersJob has a process draw numbers of a tag.
type numbersJob struct {
	Most             int64 // numbers of the memory
	Tag              string
	MinStep, MaxStep int64
	LossyStore       bool
	Chunk            int           // numbers that Fill is asked for
	Release          time.Duration // how often the process gives back what it has, about; 0 for never
}

// timeout bounds an attempt to take numbers.
const timeout = 2 * time.Second

// do draws numbers until it is told to quit, and then closes the generator.
func (j numbersJob) do(ctx context.Context, p job, file *os.File) error {
	m, err := openNumbers(j.Most, file)
	if err != nil {
		return err
	}
	me := &m.processes[p.Process]
	store, connection, err := engines.Open(ctx, p.Store)
	switch {
	case err != nil && ctx.Err() != nil: // it was told to quit before it had begun
		me.ended(health.Health{})
		return nil
	case err != nil:
		return err
	}
	defer connection.Close()
	g, err := segment.New(&noting{Store: store.Segments, ledger: &me.ledger, log: os.Stderr}, j.Tag, segment.Config{
		MinStep: j.MinStep, MaxStep: j.MaxStep, Create: true, LossyStore: j.LossyStore, Timeout: timeout,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	d := drawer{numbers: m, me: me, process: p.Process, g: g}
	var drawing sync.WaitGroup
	drawing.Go(func() { d.loop(0, make([]uid.UID, j.Chunk), g.Fill) })
	drawing.Go(func() { d.loop(1, make([]uid.UID, 200), d.single()) })
	if j.Release > 0 {
		drawing.Go(func() { d.release(ctx, j.Release) })
	}
	<-ctx.Done()
	err = g.Close() // while others draw
	drawing.Wait()
	if err != nil {
		fmt.Fprintln(os.Stderr, "not all given back:", err)
	}
	me.ended(g.Health())
	return nil
}

// A drawer draws in several goroutines.
type drawer struct {
	*numbers
	me      *progress
	process int
	g       *segment.Generator
}

// single draws one at a time, in either way.
func (d drawer) single() func(some []uid.UID) (n int, err error) {
	try := false
	return func(some []uid.UID) (n int, err error) {
		try = !try
		for i := range some {
			if try {
				some[i], err = d.g.TryGetUID()
			} else {
				some[i], err = d.g.GetUID()
			}
			if err != nil {
				return i, err
			}
		}
		return len(some), nil
	}
}

// loop draws until the generator is closed.
func (d drawer) loop(number int, some []uid.UID, fill func([]uid.UID) (int, error)) {
	for {
		lostBefore := d.me.lost.Load()
		d.me.begin(number)
		n, err := fill(some)
		d.note(d.process, some[:n])
		d.me.end(number)
		if lostBefore > 0 && n > 0 {
			d.me.revived.Add(1)
		}
		switch {
		case err == nil, errors.Is(err, uid.ErrRejectedTake):
			time.Sleep(max(time.Duration(d.numbers.pause.Load()), 250*time.Microsecond))
			continue
		case errors.Is(err, uid.ErrClosed):
			return
		case errors.Is(err, segment.ErrLost):
			d.me.lost.Add(1)
		case errors.Is(err, uid.ErrNoReservation):
			d.me.refused.Add(1)
		default:
			fmt.Fprintln(os.Stderr, "no number:", err)
			d.me.failed.Add(1)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// release gives back what is in hand, now and then, while the others draw.
func (d drawer) release(ctx context.Context, often time.Duration) {
	for {
		pause(ctx, rand.N(2*often))
		if ctx.Err() != nil {
			return
		}
		attempt, done := context.WithTimeout(ctx, timeout)
		if _, err := d.g.Release(attempt); err != nil {
			fmt.Fprintln(os.Stderr, "not given back:", err)
		}
		done()
	}
}
