package backfill

import (
	"errors"
	"fmt"
	"time"
)

// The errors of a Generator, for errors.Is; see also those of package uid.
var (
	// ErrFull is returned when every UID of a tick has been issued, under each worker ID of the
	// run. [FullError] has the numbers.
	ErrFull = errors.New("the tick is full")

	// ErrOrder is returned when a time lies further behind the newest one than the Order of the
	// run allows. Nothing is issued for it.
	ErrOrder = errors.New("time out of order")
)

// A FullError says which ticks have no UID left. It wraps [ErrFull]. Another run, which has other
// worker IDs, has room in the same ticks; so has a run with more Workers.
type FullError struct {
	// Time is the one that was asked for.
	Time time.Time
	// First and Last are the ticks that were tried, both included: for At one, for AtOrAfter as
	// many as it was allowed.
	First, Last int64
	// Workers is the number of worker IDs of the run, and PerTick that of the UIDs that all of them
	// have in a tick.
	Workers int
	PerTick int64
}

// Error names the numbers.
func (e *FullError) Error() string {
	ticks := fmt.Sprintf("tick %d", e.First)
	if e.Last > e.First {
		ticks = fmt.Sprintf("ticks %d to %d", e.First, e.Last)
	}
	return fmt.Sprintf("%v: %s of the time %s: all %d UIDs of a tick are issued, under %d worker IDs", ErrFull, ticks,
		stamp(e.Time), e.PerTick, e.Workers)
}

// Unwrap returns ErrFull.
func (e *FullError) Unwrap() error { return ErrFull }

// stamp is a time in an error text.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
