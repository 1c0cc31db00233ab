package explore

import "iter"

// coroutines is the engine of Test: it switches to tasks and back, which takes less than a microsecond. It knows who
// calls, since only one task can, and nothing runs beside it.
type coroutines struct{ running *task }

// A coroutine is what this engine keeps of a task.
type coroutine struct {
	yield func(struct{}) bool
	next  func() (struct{}, bool)
	stop  func()
}

// abandoned unwinds a task of a run that has failed.
type abandoned struct{}

func (e *coroutines) start(t *task, f func()) {
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		defer func() {
			if p := recover(); p != nil && p != any(abandoned{}) {
				t.run.Failf("panic: %v", p)
			}
		}()
		f()
	})
	t.ready = true
}

func (e *coroutines) self() *task { return e.running }

func (e *coroutines) park(t *task) {
	if !t.yield(struct{}{}) {
		panic(abandoned{})
	}
}

func (e *coroutines) resume(t *task) {
	e.running = t
	_, more := t.next()
	e.running = nil
	t.done = !more
}

func (e *coroutines) idle() bool { return false }

func (e *coroutines) end(r *Run) {
	for _, t := range r.tasks {
		t.stop()
	}
}
