package cached

import (
	"time"
)

// A TakeHandler decides what a call does that finds no UID it may have. If the handler
// returns nil, the call waits until there is one; if it returns an error, the call fails
// with that error. The goroutine of the call runs the handler, with nothing locked; the
// handler may call the generator's methods. If it panics, the call fails with
// uid.ErrRejectedTake.
type TakeHandler func(Rejection) error

// A Rejection describes a take that was rejected.
type Rejection struct {
	// Err wraps uid.ErrRejectedTake and has the numbers.
	Err error
	// Wait is how long it takes until the clock allows another tick.
	Wait time.Duration
	// Attempt is how often this call was rejected before, from 0.
	Attempt int
}

// Wait is a handler that waits until the clock has caught up: as long as it takes in
// GetUID and Fill, at most until the context ends in GetUIDContext and FillContext.
func Wait(Rejection) error { return nil }

// Fail is a handler that fails at once with uid.ErrRejectedTake.
func Fail(r Rejection) error { return r.Err }

// contain calls a user's handler and survives its panic.
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

// judge asks a call's handler about a rejection; a nil error lets the call wait. A call
// that never waits has a nil handler.
func (g *Generator) judge(handler TakeHandler, r *Rejection) (err error) {
	err = r.Err
	if handler != nil {
		g.contain("OnRejectedTake", func() { err = handler(*r) })
	}
	return err
}
