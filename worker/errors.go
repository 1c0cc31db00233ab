package worker

import "errors"

// The errors of workers, for errors.Is. A store's own failures wrap none; the store's package says what errors.As finds
// in them.
var (
	// ErrUnconfirmed is returned by Acquire when the store did not prove that the ID belongs to this process: it
	// returned none, or does not hold what was just written.
	ErrUnconfirmed = errors.New("worker ID is not confirmed")

	// ErrState is returned by Acquire and Extend, and no tick is reserved, when a state file is damaged, belongs to
	// another worker ID or host, is no longer in its place, or cannot be read or written; and when a SQLite file is no
	// longer in its place or has a second name.
	ErrState = errors.New("unusable state file")

	// ErrLayout is returned by Acquire when the worker ID has been used under another layout, whose UIDs could be equal
	// to new ones.
	ErrLayout = errors.New("worker ID was used under another layout")

	// ErrNoNamespace is returned by Extend of a lease when its namespace is not in the store, and by Acquire where it
	// must exist (MustExist of lease.Config). What was reserved before stays reserved.
	ErrNoNamespace = errors.New("no such namespace of leases")

	// ErrClock is returned by a worker when its clock is too far from the store's, when the store's is before the
	// layout's epoch, or when the ticks already used lie too far ahead of the clock.
	ErrClock = errors.New("the clocks do not agree")
)
