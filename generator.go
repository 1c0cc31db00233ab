package uid

// Generator makes UIDs. Every generator of this module implements it; all of its
// methods may be called by any number of goroutines at once.
type Generator interface {
	// GetUID returns the next UID. What it does when none may be issued just now
	// (wait, or fail) is the generator's documented policy; a failed call returns
	// one of this package's sentinel errors, to be tested with errors.Is.
	GetUID() (UID, error)

	// ParseUID splits a UID by the generator's own layout. It is for people and
	// for debugging; it needs neither the ring nor the worker, and still works on
	// a closed generator. It returns ErrRange when u is negative or has bits set
	// beyond the layout.
	ParseUID(u UID) (Parts, error)
}
