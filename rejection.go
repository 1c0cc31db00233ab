package uid

import "time"

// A Rejection says why a call found no UID that it may have just now. The OnRejectedTake of a generator's Config
// decides: if it returns nil, the call waits until there is a UID; if it returns an error, the call fails with that.
// The calling goroutine runs it; it may call the generator's methods. If it panics, the call fails with
// ErrRejectedTake.
type Rejection struct {
	// Err wraps ErrRejectedTake and has the numbers.
	Err error
	// Wait is how long it takes until the clock allows this call a UID; 0 when the call waits for a store.
	Wait time.Duration
	// Attempt is how often this call was rejected before; always 0 in package cached.
	Attempt int
}

// Fail is an OnRejectedTake that makes the call fail with ErrRejectedTake.
func Fail(r Rejection) error { return r.Err }
