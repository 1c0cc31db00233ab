package cached

import (
	"time"
)

// A TakeHandler decides what a call does that finds no UID it may have: returning
// nil lets it wait until there is one, returning an error makes it fail with that
// error. It is called by the goroutine that made the call, with nothing locked, and
// may call the generator's methods. If it panics, the call fails with
// uid.ErrRejectedTake.
type TakeHandler func(Rejection) error

// A Rejection describes a take that was rejected.
type Rejection struct {
	// Err wraps uid.ErrRejectedTake and has the numbers.
	Err error
	// Wait is how long it takes until the clock lets another tick be issued.
	Wait time.Duration
	// Attempt counts from 0 how often this call has been rejected before.
	Attempt int
}

// Wait, as a handler, waits until the clock has caught up: as long as it takes in GetUID
// and Fill, until the context ends in GetUIDContext.
func Wait(Rejection) error { return nil }

// Fail, as a handler, fails at once with uid.ErrRejectedTake.
func Fail(r Rejection) error { return r.Err }

// contain calls a handler of the user's and survives its panic.
func (g *Generator) contain(name string, call func()) {
	defer func() {
		if r := recover(); r != nil {
			if g.counts.handlerPanics.Add(1) == 1 {
				g.cfg.Logger.Error("uid: a handler panicked; further panics are only counted", "handler", name, "panic", r)
			}
		}
	}()
	call()
}

// judge asks a call's handler about a rejection. Nil lets the call wait; there is no
// handler where it does not wait.
func (g *Generator) judge(handler TakeHandler, r *Rejection) (err error) {
	err = r.Err
	if handler != nil {
		g.contain("OnRejectedTake", func() { err = handler(*r) })
	}
	return err
}
