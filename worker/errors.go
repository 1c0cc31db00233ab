package worker

import "errors"

// The errors of this package, to be tested with errors.Is as those of package uid
// are; the error that a call returns wraps one of them and adds the numbers. What a
// database call came to wraps neither; from a MySQL server errors.As finds the
// driver's error in it, with the number, and with other words.
var (
	// ErrUnconfirmed is returned by Acquire when the database did not prove that
	// the ID belongs to this process: it told none (0), or what it holds under the
	// ID is not the row that was just written. No ID is used then.
	ErrUnconfirmed = errors.New("worker ID is not confirmed")

	// ErrState is returned by Acquire and Extend when the worker's state file cannot be
	// relied on: it is damaged, belongs to another worker ID or host, is no longer in its
	// place, or cannot be read or written. It is returned, in other words, for a file of
	// SQLite that is no longer in its place, or has another name. No tick is reserved then.
	ErrState = errors.New("unusable state file")

	// ErrLayout is returned by Acquire when the worker ID has been used under
	// another layout, whose UIDs could be equal to new ones.
	ErrLayout = errors.New("worker ID was used under another layout")

	// ErrNoNamespace is returned by Acquire and Extend of a lease when its table, or the
	// namespace's row in it, is not there. What the owner had reserved stays so. An
	// account that may create it does so with [Registry.Init].
	ErrNoNamespace = errors.New("no such namespace of leases")

	// ErrClock is returned by a worker that compares clocks when its own is too far
	// from the database's, that one is before the layout's epoch, or the ticks that
	// were used already lie too far ahead of the clock.
	ErrClock = errors.New("the clocks do not agree")
)
