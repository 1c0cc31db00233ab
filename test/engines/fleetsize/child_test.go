package fleetsize

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/process"
	"github.com/uidgen/uid/worker/lease"
)

// A job is what a process is to do.
type job struct {
	Store       string // URL
	Namespace   string
	Leases      int
	Connections int // that the process may have to a database
	Window, TTL time.Duration
	OneByOne    bool // starts are one after another
	Draw        bool // each generator draws, until the end
}

// What a process says: a line of JSON each.
type said struct {
	Ready   bool     `json:",omitempty"` // to start
	UIDs    []int64  `json:",omitempty"`
	Started *started `json:",omitempty"`
	Ended   *ended   `json:",omitempty"`
}

// started says what became of each lease's start.
type started struct {
	IDs []int64
	// Acquired and Drew are how long it took from the signal until a lease had its ID, and until
	// its generator gave the first UID.
	Acquired, Drew []time.Duration
	Heap           uint64 // bytes, of all generators
}

type ended struct {
	Began, Took time.Duration // of the releases, since the signal
	Calls       []call
}

// A call is one of a store's.
type call struct {
	Change      bool          `json:",omitempty"` // else Take
	Error       string        `json:",omitempty"`
	Began, Took time.Duration // since the signal
}

// open opens the leases, for as long as the closer is open.
func (j job) open(ctx context.Context) (lease.Store, io.Closer, error) {
	s, c, err := engines.Open(ctx, j.Store)
	if err != nil {
		return nil, nil, err
	}
	if db, is := c.(*sqlx.DB); is {
		db.SetMaxOpenConns(j.Connections)
		db.SetMaxIdleConns(j.Connections)
	}
	l, err := s.Namespace(j.Namespace)
	return l, c, err
}

// do starts when the file, a signal, has ended, and ends when it is told to.
func (j job) do(signal *os.File) error {
	ctx := context.Background()
	store, closer, err := j.open(ctx)
	if err != nil {
		return err
	}
	defer closer.Close()
	heap := heapInUse()
	say(said{Ready: true})
	if _, err := io.ReadAll(signal); err != nil {
		return err
	}
	t := &timed{Store: store, began: time.Now()}
	s := started{IDs: make([]int64, j.Leases), Acquired: make([]time.Duration, j.Leases), Drew: make([]time.Duration, j.Leases)}
	generators, failures := make([]*cached.Generator, j.Leases), make([]error, j.Leases)
	var all sync.WaitGroup
	for i := range generators {
		start := func() {
			g, err := j.generator(ctx, t, func() { s.Acquired[i] = time.Since(t.began) })
			if failures[i] = err; err == nil {
				generators[i], s.IDs[i] = g, g.Stats().WorkerID
				failures[i] = draw(g)
				s.Drew[i] = time.Since(t.began)
			}
		}
		if j.OneByOne {
			start()
		} else {
			all.Go(start)
		}
	}
	all.Wait()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	s.Heap = heapInUse() - heap
	say(said{Started: &s})
	stop := make(chan struct{})
	for i, g := range generators {
		if j.Draw {
			all.Go(func() {
				pace := time.NewTicker(time.Second)
				defer pace.Stop()
				for failures[i] == nil {
					select {
					case <-stop:
						return
					case <-pace.C:
						failures[i] = draw(g)
					}
				}
			})
		}
	}
	process.AwaitQuit(2)
	close(stop)
	all.Wait()
	e := ended{Began: time.Since(t.began)}
	for i, g := range generators {
		all.Go(func() { failures[i] = errors.Join(failures[i], g.Close()) })
	}
	all.Wait()
	e.Took, e.Calls = time.Since(t.began)-e.Began, t.calls
	say(said{Ended: &e})
	return errors.Join(failures...)
}

func (j job) generator(ctx context.Context, store lease.Store, acquired func()) (*cached.Generator, error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	var once sync.Once
	l, err := lease.New(store, lease.Config{
		Window: j.Window, TTL: j.TTL, Timeout: patience, Logger: log,
		OnEvent: func(lease.Event) { once.Do(acquired) },
	})
	if err != nil {
		return nil, err
	}
	return cached.NewContext(ctx, l, cached.Config{Logger: log})
}

// draw draws some UIDs and says which.
func draw(g *cached.Generator) error {
	var s said
	for range 20 {
		u, err := g.GetUID()
		if err != nil {
			return err
		}
		s.UIDs = append(s.UIDs, int64(u))
	}
	say(s)
	return nil
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

var (
	saying sync.Mutex
	mouth  = bufio.NewWriter(os.Stdout)
)

func say(s said) {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	saying.Lock()
	defer saying.Unlock()
	mouth.Write(append(text, '\n'))
	mouth.Flush()
}

// A timed store measures its calls.
type timed struct {
	lease.Store
	began time.Time
	mu    sync.Mutex
	calls []call
}

func (t *timed) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	return t.measure(false, func() error { return t.Store.Take(ctx, w, decide) })
}

func (t *timed) Change(ctx context.Context, id int64, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	return t.measure(true, func() error { return t.Store.Change(ctx, id, decide) })
}

func (t *timed) measure(change bool, do func() error) error {
	c := call{Change: change, Began: time.Since(t.began)}
	err := do()
	c.Took = time.Since(t.began) - c.Began
	if err != nil {
		c.Error = err.Error()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, c)
	return err
}
