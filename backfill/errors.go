package backfill

import (
	"errors"
	"time"
)

// The errors of a Generator, for errors.Is; see also those of package uid.
var (
	// ErrFull is returned when every UID of a tick, or of all ticks that AtOrAfter may use, has been issued. Another
	// run, or one with more Workers, has room in the same ticks.
	ErrFull = errors.New("the tick is full")

	// ErrOrder is returned when a time lies further behind the newest one than Config.Back allows.
	ErrOrder = errors.New("time out of order")
)

// stamp is a time in an error text.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
