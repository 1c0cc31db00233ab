package uid

import "time"

// A TakeHandler decides what a call does that finds no UID it may have just now. If the handler
// returns nil, the call waits until there is one; if it returns an error, the call fails with
// that error. The goroutine of the call runs the handler, with nothing locked; the handler may
// call the generator's methods. If it panics, the call fails with ErrRejectedTake.
type TakeHandler func(Rejection) error

// A Rejection describes a take that was rejected.
type Rejection struct {
	// Err wraps ErrRejectedTake and has the numbers.
	Err error
	// Wait is how long it takes until the clock allows the tick in which it would be this call's
	// turn. It is 0 when the call waits not for the clock but for a store.
	Wait time.Duration
	// Attempt is how often this call was rejected before, from 0. A call of package cached that
	// was let wait keeps its place until it is served, and is not rejected again.
	Attempt int
}

// Wait is a TakeHandler that waits until there are UIDs: as long as it takes in GetUID and Fill,
// at most until the context ends in GetUIDContext and FillContext.
func Wait(Rejection) error { return nil }

// Fail is a TakeHandler that fails at once with ErrRejectedTake.
func Fail(r Rejection) error { return r.Err }
