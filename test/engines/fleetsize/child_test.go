package fleetsize

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/test/process"
	"github.com/uidgen/uid/worker/lease"
)

// childEnv, with a job, makes the program one of the processes.
const childEnv = "UID_FLEETSIZE_CHILD"

// A job is what a process is to do.
type job struct {
	Store     place
	Namespace string
	Leases    int
	Window    time.Duration
}

// What a process says: a line of JSON each.
type said struct {
	Ready   bool     `json:",omitempty"` // to start
	Started *started `json:",omitempty"`
	Ended   *ended   `json:",omitempty"`
}

// started says what became of each lease's start.
type started struct {
	IDs []int64
	// Acquired and Drew are how long it took from the signal until a lease had its ID, and until
	// its generator gave the first UID.
	Acquired, Drew []time.Duration
	Errors         []string `json:",omitempty"`
}

type ended struct {
	Calls  []call
	Errors []string `json:",omitempty"`
}

// A call is one of a store's.
type call struct {
	Change bool   `json:",omitempty"` // else Take
	Error  string `json:",omitempty"`
	Began  time.Time
	Took   time.Duration
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
		err = j.do()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (j job) do() error {
	ctx := context.Background()
	store, closer, err := j.Store.open(ctx, j.Namespace)
	if err != nil {
		return err
	}
	defer closer.Close()
	say(said{Ready: true})
	if _, err := io.ReadAll(os.NewFile(3, "signal")); err != nil {
		return err
	}

	t := &timed{Store: store}
	began := time.Now()
	s := started{IDs: make([]int64, j.Leases), Acquired: make([]time.Duration, j.Leases), Drew: make([]time.Duration, j.Leases)}
	generators := make([]*cached.Generator, j.Leases)
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range j.Leases {
		all.Go(func() {
			g, err := j.generator(ctx, t, func(e lease.Event) {
				if s.Acquired[i] == 0 {
					s.Acquired[i] = time.Since(began)
				}
			})
			if err == nil {
				generators[i] = g
				u, drew := g.GetUID()
				s.Drew[i] = time.Since(began)
				parts, parsed := g.ParseUID(u)
				s.IDs[i] = parts.WorkerID
				err = errors.Join(drew, parsed)
			}
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				s.Errors = append(s.Errors, err.Error())
			}
		})
	}
	all.Wait()
	say(said{Started: &s})

	process.AwaitQuit(2)
	var e ended
	for _, g := range generators {
		if g != nil {
			all.Go(func() {
				if err := g.Close(); err != nil {
					mu.Lock()
					defer mu.Unlock()
					e.Errors = append(e.Errors, err.Error())
				}
			})
		}
	}
	all.Wait()
	e.Calls = t.calls
	say(said{Ended: &e})
	return nil
}

func (j job) generator(ctx context.Context, store lease.Store, told func(lease.Event)) (*cached.Generator, error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	l, err := lease.New(store, lease.Config{Window: j.Window, Timeout: patience, OnEvent: told, Logger: log})
	if err != nil {
		return nil, err
	}
	return cached.NewContext(ctx, l, cached.Config{Logger: log})
}

func say(s said) {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", text)
}

// A timed store measures its calls.
type timed struct {
	lease.Store
	mu    sync.Mutex
	calls []call
}

func (t *timed) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	return t.measure(false, func() error { return t.Store.Take(ctx, w, decide) })
}

func (t *timed) Change(ctx context.Context, id int64, decide func(*lease.Row, lease.Clock) error) error {
	return t.measure(true, func() error { return t.Store.Change(ctx, id, decide) })
}

func (t *timed) measure(change bool, do func() error) error {
	began := time.Now()
	err := do()
	c := call{Change: change, Began: began, Took: time.Since(began)}
	if err != nil {
		c.Error = err.Error()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, c)
	return err
}
