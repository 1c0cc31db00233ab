package uid

import "context"

// A Drawer makes UIDs, one at a time. Generators are Drawers, and so are a Lane and an Unordered of package
// cached; each says who may share it.
type Drawer interface {
	// GetUID returns the next UID. Whether it waits or fails when none may be issued just now is the
	// generator's documented policy. An error wraps one of this package's sentinels.
	GetUID() (UID, error)
}

// A Generator makes UIDs until it is closed. The generators of this module (packages cached, uncached and
// segment) have these methods and some of their own, such as Health. All methods may be called by any
// number of goroutines at once.
type Generator interface {
	Drawer

	// GetUIDContext is GetUID that gives up waiting when ctx ends, and then returns
	// ctx's error. If ctx has already ended, it takes nothing.
	GetUIDContext(ctx context.Context) (UID, error)

	// TryGetUID is GetUID that never waits: where GetUID might, it returns an error, such as one that wraps
	// ErrRejectedTake or ErrNoReservation.
	TryGetUID() (UID, error)

	// Fill fills dst with new UIDs and returns how many it got: len(dst), or fewer and the error that GetUID
	// would have returned. It is much faster than as many calls of GetUID.
	Fill(dst []UID) (n int, err error)

	// FillContext is Fill with a context, as GetUIDContext has it.
	FillContext(ctx context.Context, dst []UID) (n int, err error)

	// Close ends the generator and releases what it holds: its worker, or its numbers. Calls that wait, and all
	// later ones that make UIDs, return ErrClosed. Close returns an error if releasing fails, and nil if the
	// generator was closed before.
	Close() error

	// CloseContext is Close that waits for the release only as long as ctx lasts, and then returns an error
	// that wraps ctx's. The generator is closed all the same.
	CloseContext(ctx context.Context) error
}
