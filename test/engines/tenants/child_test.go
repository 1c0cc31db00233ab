package tenants

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/process"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// childEnv, with a job, makes the program one of the processes.
const childEnv = "UID_TENANTS_CHILD"

// A job is what a process is to do.
type job struct {
	Driver, Source string
	Namespace      string
	Tenants        int
	Way            way
	Window         time.Duration
}

// A way is how the tenants start.
type way string

const (
	sideBySide way = "side by side"
	oneByOne   way = "one after another"
)

// What a process says: a line of JSON each.
type said struct {
	UIDs    []int64  `json:",omitempty"`
	Started *started `json:",omitempty"`
	Ended   *ended   `json:",omitempty"`
	Error   string   `json:",omitempty"`
}

type started struct {
	Took  time.Duration
	Calls calls
	IDs   []int64
	Heap  uint64 // bytes, of all generators
}

type ended struct {
	Took time.Duration
	Seen time.Duration // how long the process has lived since all had started
	// Calls are those since then, those of them in each half minute, and those of the releases.
	Steady, Release calls
	Changes         []int64
}

// calls counts calls of a store.
type calls struct{ Takes, Changes, Inspects, Retried int64 }

// A counting store counts its calls.
type counting struct {
	lease.Store
	takes, changes, inspects, retried atomic.Int64
}

func (c *counting) so() calls {
	return calls{c.takes.Load(), c.changes.Load(), c.inspects.Load(), c.retried.Load()}
}

func (c calls) since(before calls) calls {
	return calls{c.Takes - before.Takes, c.Changes - before.Changes,
		c.Inspects - before.Inspects, c.Retried - before.Retried}
}

func (c *counting) count(n *atomic.Int64, err error) error {
	n.Add(1)
	if err != nil {
		c.retried.Add(1)
	}
	return err
}

func (c *counting) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	return c.count(&c.takes, c.Store.Take(ctx, w, decide))
}

func (c *counting) Change(ctx context.Context, id int64, decide func(*lease.Row, lease.Clock) error) error {
	return c.count(&c.changes, c.Store.Change(ctx, id, decide))
}

func (c *counting) Inspect(ctx context.Context) ([]string, error) {
	lossy, err := c.Store.Inspect(ctx)
	return lossy, c.count(&c.inspects, err)
}

// child does the job of a process and exits, if the program was started as one.
func child() {
	text := os.Getenv(childEnv)
	if text == "" {
		return
	}
	var j job
	err := json.Unmarshal([]byte(text), &j)
	if err == nil {
		err = j.do(context.Background())
	}
	if err != nil {
		say(said{Error: err.Error()})
		os.Exit(1)
	}
	os.Exit(0)
}

// connections is how many a process may have.
const connections = 16

func (j job) store() (*sqlx.DB, *counting, error) {
	var db *sqlx.DB
	var err error
	if j.Driver == "mysql" {
		db, err = cluster.Connect(j.Source, cluster.Quiet)
	} else {
		db, err = sqlx.Open(j.Driver, j.Source)
	}
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	tables, err := sqlstore.New(db, sqlstore.Config{})
	if err != nil {
		return nil, nil, err
	}
	leases, err := tables.Leases(j.Namespace)
	return db, &counting{Store: leases}, err
}

func (j job) do(ctx context.Context) error {
	db, store, err := j.store()
	if err != nil {
		return err
	}
	defer db.Close()
	began, heap := time.Now(), heapInUse()
	generators, failures := make([]*cached.Generator, j.Tenants), make([]error, j.Tenants)
	s := started{IDs: make([]int64, j.Tenants)}
	var all sync.WaitGroup
	for i := range generators {
		start := func() {
			g, err := j.generator(ctx, store, i)
			if failures[i] = err; err == nil {
				generators[i], s.IDs[i] = g, g.Stats().WorkerID
				failures[i] = draw(g)
			}
		}
		if j.Way == oneByOne {
			start()
		} else {
			all.Go(start)
		}
	}
	all.Wait()
	s.Took, s.Calls, s.Heap = time.Since(began), store.so(), heapInUse()-heap
	if err := errors.Join(failures...); err != nil {
		return err
	}
	say(said{Started: &s})

	// All go on drawing until the end.
	stop := make(chan struct{})
	var e ended
	all.Go(func() {
		pace := time.NewTicker(30 * time.Second)
		defer pace.Stop()
		for last := s.Calls.Changes; ; {
			select {
			case <-stop:
				return
			case <-pace.C:
				now := store.changes.Load()
				e.Changes, last = append(e.Changes, now-last), now
			}
		}
	})
	for i, g := range generators {
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
	process.AwaitQuit(2)
	close(stop)
	all.Wait()
	now := store.so()
	e.Seen, e.Steady = time.Since(began)-s.Took, now.since(s.Calls)
	began = time.Now()
	for i, g := range generators {
		all.Go(func() { failures[i] = errors.Join(failures[i], g.Close()) })
	}
	all.Wait()
	e.Took, e.Release = time.Since(began), store.so().since(now)
	say(said{Ended: &e})
	return errors.Join(failures...)
}

func (j job) generator(ctx context.Context, store lease.Store, i int) (*cached.Generator, error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	cfg := lease.Config{Window: j.Window, TTL: j.Window + j.Window/2, Quarantine: lease.DefaultMaxClockSkew, Timeout: patience, Holder: fmt.Sprint("tenant ", i), Logger: log}
	l, err := lease.New(store, cfg)
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
