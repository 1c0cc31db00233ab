package main

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
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/process"
)

// A job is what a process is to do.
type job struct {
	Process          int
	Most             int64 // numbers of the memory
	Store, Tag       string
	MinStep, MaxStep int64
	LossyStore       bool
	Chunk            int           // numbers that Fill is asked for
	Release          time.Duration // how often the process gives back what it has, about; 0 for never
	Wrong            string        // the name of a store that is wrong on purpose, or empty
}

// timeout bounds an attempt to take numbers.
const timeout = 2 * time.Second

// do draws numbers until it is told to quit, and then closes the generator.
func (j job) do(file *os.File) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		process.AwaitQuit(2)
		stop()
	}()
	m, err := openMemory(j.Most, file)
	if err != nil {
		return err
	}
	me := &m.Processes[j.Process]
	store, connection, err := engines.Open(ctx, j.Store)
	switch {
	case err != nil && ctx.Err() != nil: // it was told to quit before it had begun
		me.ended(segment.Stats{})
		return nil
	case err != nil:
		return err
	}
	defer connection.Close()
	s := store.Segments
	if j.Wrong != "" {
		s = wrongStores[j.Wrong](s)
	}
	g, err := segment.New(segment.Source{Store: &noting{Store: s, ledger: &me.ledger}, Tag: j.Tag}, segment.Config{
		MinStep: j.MinStep, MaxStep: j.MaxStep, Create: true, LossyStore: j.LossyStore, Timeout: timeout,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	d := drawer{job: j, memory: m, me: me, g: g}
	var drawing sync.WaitGroup
	drawing.Go(d.fill)
	drawing.Go(d.get)
	if j.Release > 0 {
		drawing.Go(func() { d.release(ctx) })
	}
	<-ctx.Done()
	err = g.Close() // while others draw
	drawing.Wait()
	if err != nil {
		fmt.Fprintln(os.Stderr, "not all given back:", err)
	}
	me.ended(g.Stats())
	return nil
}

// A drawer draws in several goroutines.
type drawer struct {
	job
	*memory
	me *progress
	g  *segment.Generator
}

// fill draws in chunks.
func (d drawer) fill() {
	chunk := make([]uid.UID, d.Chunk)
	for {
		was := d.me.lost.Load()
		d.me.begin(0)
		n, err := d.g.Fill(chunk)
		d.note(d.Process, chunk[:n])
		d.me.end(0)
		if !d.got(n, err, was) {
			return
		}
		time.Sleep(d.rest())
	}
}

// get draws one at a time, in either way.
func (d drawer) get() {
	var some [200]uid.UID
	for try := false; ; try = !try {
		was, n, err := d.me.lost.Load(), 0, error(nil)
		d.me.begin(1)
		for ; n < len(some) && err == nil; n++ {
			if try {
				some[n], err = d.g.TryGetUID()
			} else {
				some[n], err = d.g.GetUID()
			}
		}
		if err != nil {
			n--
		}
		d.note(d.Process, some[:n])
		d.me.end(1)
		if !d.got(n, err, was) {
			return
		}
		time.Sleep(max(d.rest(), time.Millisecond))
	}
}

// got notes how a call has ended, and whether the next one makes sense.
func (d drawer) got(n int, err error, lostBefore int64) bool {
	if lostBefore > 0 && n > 0 {
		d.me.revived.Add(1)
	}
	switch {
	case err == nil, errors.Is(err, uid.ErrRejectedTake):
		return true
	case errors.Is(err, uid.ErrClosed):
		return false
	case errors.Is(err, segment.ErrLost):
		d.me.lost.Add(1)
	case errors.Is(err, uid.ErrNoReservation):
		d.me.refused.Add(1)
	default:
		fmt.Fprintln(os.Stderr, "no number:", err)
		d.me.failed.Add(1)
	}
	time.Sleep(5 * time.Millisecond)
	return true
}

// release gives back what is in hand, now and then, while the others draw.
func (d drawer) release(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(rand.N(2 * d.Release)):
		}
		attempt, done := context.WithTimeout(ctx, timeout)
		if _, err := d.g.Release(attempt); err != nil {
			fmt.Fprintln(os.Stderr, "not given back:", err)
		}
		done()
	}
}
