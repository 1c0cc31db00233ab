package uid

import "context"

// A Drawer makes UIDs, one at a time. Generators are Drawers, and so are a Lane and an Unordered of package cached;
// each says who may share it.
type Drawer interface {
	// GetUID returns the next UID, or an error that wraps one of this package's. Each Drawer documents whether it waits
	// or fails when none may be issued just now.
	GetUID() (UID, error)
}

// A Generator makes UIDs until it is closed. Those of this module have more methods, such as Health. Any number of
// goroutines may call all methods at once.
type Generator interface {
	Drawer

	// GetUIDContext is GetUID that returns ctx's error when ctx ends while it waits, or has ended before: then it takes
	// nothing.
	GetUIDContext(ctx context.Context) (UID, error)

	// TryGetUID is GetUID that never waits: it returns an error instead, such as ErrRejectedTake or ErrNoReservation.
	TryGetUID() (UID, error)

	// Fill fills dst with new UIDs and returns how many it got: len(dst), or fewer and GetUID's error. It is much
	// faster than as many calls of GetUID.
	Fill(dst []UID) (n int, err error)

	// FillContext is Fill with a context, as in GetUIDContext.
	FillContext(ctx context.Context, dst []UID) (n int, err error)

	// Close ends the generator and releases its worker, or its numbers. Waiting calls, and all later ones that make
	// UIDs, return ErrClosed. It returns an error if releasing fails, and nil if it was called before.
	Close() error

	// CloseContext is Close that waits for the release until ctx ends, and then returns an error that wraps ctx's; it
	// returns an UnkeptError. The generator is closed all the same.
	CloseContext(ctx context.Context) error
}
