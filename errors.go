package uid

import "errors"

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
