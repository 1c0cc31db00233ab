package explore

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing/synctest"
	"time"
)

// goroutines is the engine of TestWhole: it lets a task go on, and waits until all goroutines of the bubble are
// blocked.
type goroutines struct {
	explorer uint64 // its own goroutine
	nap      time.Duration
}

// known are the tasks by goroutine, those of earlier runs too: some may still be blocked somewhere.
var (
	known   = map[uint64]*task{}
	knownMu sync.Mutex
)

// A goroutine is what this engine keeps of a task.
type goroutine struct{ gate chan struct{} }

func newGoroutines() *goroutines { return &goroutines{explorer: goid(), nap: time.Millisecond} }

// goid returns the number of the calling goroutine. Go tells it only in a stack's first line.
func goid() uint64 {
	var buf [40]byte
	_, text, _ := bytes.Cut(buf[:runtime.Stack(buf[:], false)], []byte(" "))
	number, _, _ := bytes.Cut(text, []byte(" "))
	id, err := strconv.ParseUint(string(number), 10, 64)
	if err != nil {
		panic(err)
	}
	return id
}

func (e *goroutines) start(t *task, f func()) {
	t.gate = make(chan struct{}, 1)
	go func() {
		id := goid()
		knownMu.Lock()
		known[id] = t
		knownMu.Unlock()
		defer func() {
			p := recover()
			knownMu.Lock()
			defer knownMu.Unlock()
			t.done = true
			if p != nil {
				t.run.Failf("panic: %v", p)
			}
		}()
		e.park(t)
		f()
	}()
	synctest.Wait()
}

func (e *goroutines) self() *task {
	id := goid()
	if id == e.explorer {
		return nil
	}
	knownMu.Lock()
	defer knownMu.Unlock()
	t := known[id]
	if t == nil {
		// The code under test has started it, by a go statement or a timer.
		t = &task{name: fmt.Sprintf("go%d", len(current.tasks)), run: current, inner: true}
		t.gate = make(chan struct{}, 1)
		current.tasks = append(current.tasks, t)
		known[id] = t
	}
	if t.run != current {
		runtime.Goexit()
	}
	return t
}

func (e *goroutines) park(t *task) {
	knownMu.Lock()
	t.ready = true
	knownMu.Unlock()
	if _, open := <-t.gate; !open {
		runtime.Goexit() // the run is over
	}
}

func (e *goroutines) resume(t *task) {
	e.nap = time.Millisecond
	t.ready = false
	t.gate <- struct{}{}
	synctest.Wait()
}

func (e *goroutines) idle() bool {
	if e.nap > time.Hour {
		return false
	}
	knownMu.Lock() // orders what the explorer has read before what a task that wakes will write
	nap := e.nap
	e.nap *= 2
	knownMu.Unlock()
	time.Sleep(nap)
	synctest.Wait()
	return true
}

func (e *goroutines) end(r *Run) {
	for _, t := range r.tasks {
		if t.ready && !t.done {
			close(t.gate)
		}
	}
	synctest.Wait()
}
