package worker

import "errors"

// The errors of workers, to be tested with errors.Is as those of package uid are. The error
// that a call returns wraps one of them and adds the numbers. What a call of a store came to
// wraps none; the store's package says what errors.As finds in it.
var (
	// ErrUnconfirmed is returned by Acquire when the store did not prove that the ID
	// belongs to this process: it told none (0), or what it holds under the ID is not what
	// was just written. No ID is used then.
	ErrUnconfirmed = errors.New("worker ID is not confirmed")

	// ErrState is returned by Acquire and Extend when the worker's state file cannot be
	// relied on: it is damaged, belongs to another worker ID or host, is no longer in its
	// place, or cannot be read or written. It is returned, in other words, for a file of
	// SQLite that is no longer in its place, or has another name. No tick is reserved then.
	ErrState = errors.New("unusable state file")

	// ErrLayout is returned by Acquire when the worker ID has been used under
	// another layout, whose UIDs could be equal to new ones.
	ErrLayout = errors.New("worker ID was used under another layout")

	// ErrNoNamespace is returned by Acquire and Extend of a lease when its namespace is not
	// in the store. What the owner had reserved stays so. An account that may create it does
	// so with the function Found of package lease, or with uid worker init.
	ErrNoNamespace = errors.New("no such namespace of leases")

	// ErrClock is returned by a worker that compares clocks when its own is too far
	// from the store's, that one is before the layout's epoch, or the ticks that
	// were used already lie too far ahead of the clock.
	ErrClock = errors.New("the clocks do not agree")
)
