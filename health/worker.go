package health

import "time"

// A WorkerReporter is a uid.Worker that tells of itself, which is optional.
type WorkerReporter interface {
	// WorkerHealth says how the worker stands. Any number of goroutines may call it at once, also during the
	// generator's calls. It never waits for a store, a disk, or a lock held during such a wait.
	WorkerHealth() Worker
}

// A Worker is what a worker knows of its worker ID.
type Worker struct {
	// Kind is lease, disposable, statefile, static, or another worker's own name.
	Kind string `json:"kind"`
	// Place is the store, with the namespace, or the file; "" for none. It holds no secret.
	Place string `json:"place,omitzero"`
	// Store is the lease.Store of a lease, nil elsewhere. Package debug lists the workers of those that can.
	Store any `json:"-"`
	// Ends is when the right to the ID ends if it is not renewed, by this process's clock; zero where it does not end
	// or is not held.
	Ends time.Time `json:"ends,omitzero"`
	// Ahead says why the worker's ticks begin ahead of the clock; nil if they do not.
	Ahead *Ahead `json:"ahead,omitzero"`
	// IDs are nil where the worker does not know them.
	IDs *IDs `json:"ids,omitzero"`
}

// An Ahead is a beginning ahead of the clock.
type Ahead struct {
	// Cause is for people.
	Cause string `json:"cause"`
	// Until is when the clock has reached the first tick.
	Until time.Time `json:"until"`
}

// IDs are the worker IDs to choose from.
type IDs struct {
	// Taken is how many of the Total are known to be taken: for leases those in use when this worker got its ID, for
	// disposable IDs those used up.
	Taken int64 `json:"taken"`
	Total int64 `json:"total"`
	// Low says that more than 80 % are taken.
	Low bool `json:"low"`
}
