package settings

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"

	"github.com/uidgen/uid"
)

// A Caller calls the handlers of one generator, and survives their panics. Its methods may be called by any number of
// goroutines at once.
type Caller struct {
	Logger *slog.Logger // gets the first panic
	panics atomic.Uint64
}

// Panics returns how often a handler panicked.
func (c *Caller) Panics() uint64 { return c.panics.Load() }

// Call calls the handler of that name.
func (c *Caller) Call(name string, handler func()) {
	defer func() {
		if r := recover(); r != nil && c.panics.Add(1) == 1 {
			c.Logger.Error("uid: a handler panicked; further panics are only counted", "handler", name, "panic", r)
		}
	}()
	handler()
}

// Contain makes a call of somebody else's code in a goroutine of ours, and turns a panic into an error: a panic there
// would end the program, though the generator may have UIDs to issue. It logs the first of several panics in a row: was
// tells whether the call before panicked, and is set.
func Contain(log *slog.Logger, name string, was *bool, call func() error) (err error) {
	defer func() {
		v := recover()
		if v != nil {
			err = fmt.Errorf("%s panicked: %v", name, v)
			if !*was {
				log.Error("uid: a worker or store panicked", "call", name, "panic", v, "stack", string(debug.Stack()))
			}
		}
		*was = v != nil
	}()
	return call()
}

// Judge asks a call's handler about a rejection; a nil error lets the call wait. A call that never waits has a nil
// handler.
func (c *Caller) Judge(handler func(uid.Rejection) error, r *uid.Rejection) (err error) {
	err = r.Err
	if handler != nil {
		c.Call("OnRejectedTake", func() { err = handler(*r) })
	}
	return err
}

// Wait is the handler that lets every call wait.
func Wait(uid.Rejection) error { return nil }
