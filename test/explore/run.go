package explore

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// A Run is one run of a scenario, under one schedule.
type Run struct {
	engine engine
	tasks  []*task
	checks []func() error
	quiet  []span

	err     error
	steps   int
	path    []byte // whose steps they were
	tracing bool
	trace   []string
}

// A task is a goroutine of a scenario. It stands before a point, unless it is the one that runs.
type task struct {
	name  string
	run   *Run
	wants *Mutex // it stands before Lock of this one
	ready bool   // it stands before a point, rather than in a wait of its own
	done  bool
	inner bool // the code under test has started it: no run waits for its end
	lane  int  // its priority, for random schedules

	coroutine
	goroutine
}

// An engine runs tasks.
type engine interface {
	start(t *task, f func())
	// self returns the calling task, or nil outside of tasks.
	self() *task
	// park stops the calling task, until it is resumed.
	park(t *task)
	// resume lets a task go on until it parks again or ends.
	resume(t *task)
	// idle lets time pass, since no task can go on. It returns false if that is of no use.
	idle() bool
	// end ends the tasks of a run that has failed.
	end(r *Run)
}

// current is the run that is under way: the code under test knows nothing of it.
var current *Run

// maxSteps is how long a run may be: code that goes round in circles is seen by it.
const maxSteps = 10_000

// Go adds a task. A scenario calls it before it returns; the tasks run after that.
func (r *Run) Go(name string, f func()) {
	t := &task{name: name, run: r}
	r.tasks = append(r.tasks, t)
	r.engine.start(t, f)
}

// Each adds a task of each name, which calls f with it so many times.
func (r *Run) Each(times int, f func(name string), names ...string) {
	for _, name := range names {
		r.Go(name, func() {
			for range times {
				f(name)
			}
		})
	}
}

// Check adds what has to hold when all tasks have ended.
func (r *Run) Check(f func() error) { r.checks = append(r.checks, f) }

// Failf fails the run. Only the first failure counts.
func (r *Run) Failf(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// Quiet takes the points out of what p points at, or of the elements of a slice: counters, and what one task alone
// uses. It makes for fewer schedules.
func (r *Run) Quiet(p any) {
	v := reflect.ValueOf(p)
	size := v.Type().Elem().Size()
	if v.Kind() == reflect.Slice {
		size *= uintptr(v.Len())
	}
	begin := v.Pointer()
	r.quiet = append(r.quiet, span{begin, begin + size})
}

// A span is a piece of memory.
type span struct{ begin, end uintptr }

func (r *Run) isQuiet(p unsafe.Pointer) bool {
	return slices.ContainsFunc(r.quiet, func(s span) bool { return uintptr(p) >= s.begin && uintptr(p) < s.end })
}

// Self returns the number of the calling task, or 0 outside of tasks. It can stand for what code makes of a goroutine's
// stack.
func Self() uint {
	if t := current.engine.self(); t != nil {
		return uint(current.letter(t) - 'A')
	}
	return 0
}

// Point is a point of the scenario's own: where a call begins, or before it looks at a clock.
func Point() { point("", nil) }

// Go stands for a go statement, where that is left out.
func Go(f any, args ...any) {}

func point(op string, p unsafe.Pointer) { stop(op, p, nil) }

func acquire(m *Mutex) { stop("Lock", unsafe.Pointer(m), m) }

// stop stops the calling task before an operation, which it may wait for until m is free.
func stop(op string, p unsafe.Pointer, m *Mutex) {
	r := current
	if r == nil {
		return
	}
	t := r.engine.self()
	if t == nil || len(r.quiet) > 0 && r.isQuiet(p) {
		return
	}
	t.wants = m
	r.engine.park(t)
	t.wants = nil
	if r.tracing {
		r.tell(t, op)
	}
}

// saw notes a value in the line of the last step; of a pointer whether it is nil.
func saw[T any](v T) T {
	if r := current; r != nil && r.tracing && len(r.trace) > 0 && r.engine.self() != nil {
		text := fmt.Sprint(v)
		if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && !p.IsNil() {
			text = "not nil"
		}
		r.trace[len(r.trace)-1] += "  = " + text
	}
	return v
}

// A chooser chooses one of the tasks that can go on. The one that ran last is the first of them if it can, and then
// stays is true.
type chooser func(can []*task, stays bool) int

// execute runs the tasks as choose says, and then the checks.
func (r *Run) execute(choose chooser) {
	var last *task
	can := make([]*task, 0, len(r.tasks))
	for r.err == nil {
		left := false
		can = can[:0]
		stays := last != nil && last.canGoOn()
		if stays {
			can = append(can, last)
		}
		for _, t := range r.tasks {
			left = left || !t.done && !t.inner
			if t.canGoOn() && t != last {
				can = append(can, t)
			}
		}
		if len(can) == 0 {
			if !left {
				break
			}
			if !r.engine.idle() {
				r.Failf("no task can go on")
			}
			continue
		}
		i := 0
		if len(can) > 1 {
			i = choose(can, stays)
		}
		last = can[i]
		r.steps++
		r.path = append(r.path, r.letter(last))
		if r.steps > maxSteps {
			r.Failf("more than %d steps", maxSteps)
			break
		}
		r.engine.resume(last)
	}
	r.engine.end(r)
	for _, check := range r.checks {
		if r.err == nil {
			r.err = check()
		}
	}
}

func (t *task) canGoOn() bool { return t.ready && !t.done && (t.wants == nil || !t.wants.held) }

// letter names a task in a schedule.
func (r *Run) letter(t *task) byte {
	i := slices.Index(r.tasks, t)
	if i < 0 {
		panic("explore: a task of another run")
	}
	return 'A' + byte(i)
}
