package uid

import (
	"context"
	"time"

	"github.com/uidgen/uid/internal/tick"
)

// A Worker is a worker ID together with the right to issue ticks under it.
//
// A generator owns its worker. It calls Acquire once, before it issues anything, then Extend whenever its [Reservation]
// runs low or falls due, and Release once, when it is closed: never two at the same time, and none in a call that finds
// a UID ready. So a Worker may block, and needs no locks against the generator.
//
// The rule that keeps UIDs unique: a generator issues a UID only if its tick lies in a Reservation that it got and that
// was not revoked, under that reservation's worker ID. What is ready stays issuable when an Extend returns another ID
// or other ticks: only Terms.Revoke takes it back. A Worker must make a reservation durable before it returns it, and
// must never return overlapping reservations of one worker ID to two generators.
type Worker interface {
	// Acquire binds the worker and returns its first reservation. It returns ErrWorkerInUse when the worker is bound,
	// and ErrRange or ErrNoWorkerID when it has no ID up to t.MaxWorkerID. It gives up when ctx ends.
	Acquire(ctx context.Context, t Terms) (Reservation, error)

	// Extend renews the reservation and returns it as it now stands. The generator asks for ticks up to through; a
	// Worker may give more or fewer, and another ID if it has lost its own. When Extend fails or panics, the former
	// reservation stays valid, and the generator asks again.
	Extend(ctx context.Context, through int64) (Reservation, error)

	// Release ends the binding, after the last Extend has returned. The generator has issued no tick above last and
	// never will; last is -1 when it issued none.
	Release(ctx context.Context, last int64) error
}

// Terms are what a generator tells its Worker about its UIDs.
type Terms struct {
	// Layout describes the layout: equal texts are equal layouts.
	Layout string
	// Epoch is when tick 0 begins, and Unit the length of a tick.
	Epoch time.Time
	Unit  time.Duration
	// MaxTick and MaxWorkerID are the layout's largest.
	MaxTick, MaxWorkerID int64
	// MinTick is the first tick that the generator may issue: 0 unless it has a floor. A Worker that keeps what was
	// issued keeps this as well: the next holder of the ID begins there or later, even if this generator issues
	// nothing.
	MinTick int64
	// MaxLead is how far ahead of its clock the generator may ask for ticks: 0 if never beyond the clock's own tick,
	// and math.MaxInt64 if only MaxTick bounds it. How far the wall clock is behind what it showed before, or behind
	// the first tick reserved, comes on top.
	MaxLead time.Duration
	// Now is the generator's clock; nil is time.Now.
	Now func() time.Time
	// Revoke, never nil, withdraws the reservation: when it returns, the generator has dropped every UID that it had
	// ready, and issues none until another Extend has returned. It is for a Worker that learns that its process was
	// cloned or restored, or that another holds its ID. Any goroutine may call it at any time, but not from inside the
	// Worker's methods.
	Revoke func()
}

// TickAt returns the tick of a time: negative before the epoch, and perhaps above MaxTick.
func (t Terms) TickAt(at time.Time) int64 {
	return tick.At(t.Epoch, t.Unit, at)
}

// A Reservation is the range of ticks that may be issued under a worker ID.
type Reservation struct {
	WorkerID int64
	// First and Last bound the ticks, both included. A Last below First reserves none for now.
	First, Last int64
	// Renew is the tick at which an Extend is due: when the clock or the newest tick made ready has reached it.
	// math.MaxInt64 is never.
	Renew int64
}

// A Drawer makes UIDs, one at a time. Generators are Drawers, and so are a Lane and an Unordered of package cached;
// each says who may share it.
type Drawer interface {
	// GetUID returns the next UID, or an error that wraps one of this package's. Each Drawer documents whether it waits
	// or fails when none may be issued just now.
	GetUID() (UID, error)
}

// A Generator makes UIDs until it is closed. Any number of goroutines may call all methods at once.
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
