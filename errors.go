package uid

import (
	"errors"
	"fmt"
	"time"
)

// The errors that callers can expect, for errors.Is. Errors usually wrap one and add the numbers. docs/errors.md lists
// those of all packages, each with what to do.
var (
	// ErrClosed is returned by calls on a generator after Close began.
	ErrClosed = errors.New("generator is closed")

	// ErrExhausted is returned when the last tick of the layout, or the last number of a segment's bounds, is used up,
	// or so near that a generator refuses to start. No later call with them succeeds.
	ErrExhausted = errors.New("exhausted")

	// ErrRejectedTake is returned when no UID may be issued just now and the call does not wait. A later call may
	// succeed.
	ErrRejectedTake = errors.New("take rejected, no UID is available now")

	// ErrNoReservation is returned when the worker's reservation is used up and cannot be extended, as when its
	// database is down. The generator keeps asking.
	ErrNoReservation = errors.New("no reservation")

	// ErrClockBack is returned when the wall clock is further behind the last UID than the generator's policy allows.
	// [ClockBackError] has the numbers.
	ErrClockBack = errors.New("clock moved back")

	// ErrWorkerInUse is returned when a Worker already serves another generator.
	ErrWorkerInUse = errors.New("worker already serves a generator")

	// ErrNoWorkerID is returned when all of the layout's worker IDs are assigned.
	ErrNoWorkerID = errors.New("no worker ID left")

	// ErrLossy is returned when a store's settings let it lose what it has acknowledged, and so give out IDs or numbers
	// twice, and nobody has vouched for it.
	ErrLossy = errors.New("the store can lose numbers that it has given out")

	// ErrRange is returned when a number does not fit its field, layout or type.
	ErrRange = errors.New("value out of range")

	// ErrConfig is returned when a setting cannot be used: by a constructor, or later if only the environment of the
	// process can tell.
	ErrConfig = errors.New("unusable configuration")

	// ErrSyntax is returned when a text is malformed, such as a decimal UID or the description of a layout.
	ErrSyntax = errors.New("syntax error")
)

// A Rejection says why no UID is available now. The OnRejectedTake of a generator's Config
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

// A ClockBackError says how far the wall clock went back. For errors.Is it is [ErrClockBack].
type ClockBackError struct {
	// Now is what the clock shows. Last is the beginning of the newest tick from which UIDs were issued, or of the
	// first that the worker allows. Back is the distance from Now to Last.
	Now, Last time.Time
	Back      time.Duration
	// Limit is how far behind the policy lets it be.
	Limit time.Duration
}

func (e *ClockBackError) Error() string {
	return fmt.Sprintf("%v: it shows %s, %v before %s, the time of the last UID or the first that is allowed; "+
		"the policy allows %v",
		ErrClockBack, e.Now.UTC().Format(time.RFC3339Nano), e.Back, e.Last.UTC().Format(time.RFC3339Nano), e.Limit)
}

func (e *ClockBackError) Is(target error) bool { return target == ErrClockBack }

// An UnkeptError is what CloseContext returns, and Close logs, when UIDs were ahead of the clock and the worker keeps
// nothing, as worker.Static. The worker is released.
type UnkeptError struct {
	WorkerID int64
	// Until is when the clock is past them: no other process may begin with the ID before.
	Until time.Time
}

func (e *UnkeptError) Error() string {
	return fmt.Sprintf("nothing keeps what worker ID %d issued: no process may begin with it before %s",
		e.WorkerID, e.Until.UTC().Format(time.RFC3339Nano))
}
