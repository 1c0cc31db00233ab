package main

import (
	"encoding/gob"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/benchmarks/subject"
)

// A task is what a process does: open a generator, wait until its parent says so, draw, and close.
type task struct {
	Column   string
	Dir, DSN string // where stores are
	Moved    time.Duration
	Steps    []step
	Seconds  int // for so long it counts what 8 goroutines draw, in place of Steps
}

func (t task) file() string      { return filepath.Join(t.Dir, "workers.db") }
func (t task) namespace() string { return filepath.Base(t.Dir) }

// A step moves the clock, and draws N IDs, or as many as it gets in time.
type step struct {
	Moved      time.Duration // how far the clock is off from here on
	N          int
	Every, For time.Duration
	UntilError bool
}

// opened is what a process tells its parent at first.
type opened struct {
	At      time.Time // by its clock
	Took    time.Duration
	Refused string
}

// done is what it tells at last.
type done struct {
	Steps     []drawn
	PerSecond []int64
}

type drawn struct {
	Keys    []subject.Key
	Failed  int
	Err     string // the first
	Longest time.Duration
	Blocked bool      // the last call has not returned
	Ended   time.Time // by a clock that is right
}

func child(t task, in io.Reader, out io.Writer) error {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	to := gob.NewEncoder(out)
	atomic.StoreInt64(clock, int64(t.Moved))
	began := time.Now()
	src, err := columnOf(t.Column).open(t)
	o := opened{At: time.Now(), Took: time.Since(began)}
	if err != nil {
		o.Refused = err.Error()
		return to.Encode(o)
	}
	if err := to.Encode(o); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	var d done
	if t.Seconds > 0 {
		d.PerSecond = perSecond(src, t.Seconds)
	}
	blocked := false
	for _, s := range t.Steps {
		if s.Moved != 0 {
			atomic.StoreInt64(clock, int64(s.Moved))
		}
		if !blocked {
			d.Steps = append(d.Steps, s.draw(src))
			blocked = d.Steps[len(d.Steps)-1].Blocked
		}
	}
	if !blocked && t.Seconds == 0 {
		_ = subject.Close(src) // it may say that restarts can repeat IDs: that is played
	}
	return to.Encode(d)
}

// draw takes a step. A call may take longer than the step may: then it returns without it.
func (s step) draw(src subject.Source) drawn {
	var mu sync.Mutex
	var d drawn
	over := false
	calls := make(chan bool)
	go func() {
		defer close(calls)
		for {
			var k [1]subject.Key
			time.Sleep(s.Every)
			began := time.Now()
			err := src.Keys(k[:])
			took := time.Since(began)
			mu.Lock()
			d.Longest = max(d.Longest, took)
			switch {
			case over:
			case err == nil:
				d.Keys = append(d.Keys, k[0])
			case d.Failed == 0:
				d.Err = err.Error()
				fallthrough
			default:
				d.Failed++
			}
			last := over || len(d.Keys) == s.N || err != nil && s.UntilError
			mu.Unlock()
			if last {
				return
			}
			if err != nil {
				time.Sleep(time.Millisecond)
			}
		}
	}()
	select {
	case <-calls:
	case <-time.After(s.For):
	}
	mu.Lock()
	over = true
	n := len(d.Keys)
	mu.Unlock()
	select {
	case <-calls:
	case <-time.After(1100 * time.Millisecond): // a call may wait for the next second
		d.Blocked = true
	}
	mu.Lock()
	defer mu.Unlock()
	d.Keys, d.Ended = d.Keys[:n], time.Now().Add(-time.Duration(atomic.LoadInt64(clock)))
	return d
}

// perSecond returns how many IDs 8 goroutines draw in each of so many seconds.
func perSecond(src subject.Source, seconds int) (all []int64) {
	var n [8]struct {
		atomic.Int64
		_ [56]byte
	}
	for i := range n {
		drawer := subject.DrawerOf(src)
		go func() {
			for drawer.Draw(1) == nil {
				n[i].Add(1)
			}
		}()
	}
	began, before := time.Now(), int64(0)
	for s := range seconds {
		time.Sleep(time.Until(began.Add(time.Duration(s+1) * time.Second)))
		sum := int64(0)
		for i := range n {
			sum += n[i].Load()
		}
		all, before = append(all, sum-before), sum
	}
	return all
}

// below says that an ID does not sort after another: as a BIGINT, or as 16 bytes.
func below(a, b subject.Key) bool {
	if a[1] == 0 && b[1] == 0 {
		return int64(a[0]) <= int64(b[0])
	}
	return a[0] < b[0] || a[0] == b[0] && a[1] <= b[1]
}
