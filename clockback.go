package uid

import (
	"fmt"
	"time"
)

// A ClockBackError says how far the wall clock went back, when that was more than a
// generator's policy allows. It is found with errors.As; errors.Is takes it for
// [ErrClockBack].
type ClockBackError struct {
	// Now is what the clock shows, and Last the earliest instant at which it would
	// not have been behind: the beginning of the newest tick that UIDs were issued
	// of, or of the first tick that the worker allows. Back, the distance from Now to
	// Last, is how far the clock is behind.
	Now, Last time.Time
	Back      time.Duration
	// Limit is how far behind it may be by the policy in force, at that moment.
	Limit time.Duration
}

// Error has all of the numbers.
func (e *ClockBackError) Error() string {
	return fmt.Sprintf("%v: it shows %s, %v before %s, the time of the last UID or the first that is allowed; the policy allows %v",
		ErrClockBack, e.Now.UTC().Format(time.RFC3339Nano), e.Back, e.Last.UTC().Format(time.RFC3339Nano), e.Limit)
}

// Is reports whether target is ErrClockBack.
func (e *ClockBackError) Is(target error) bool { return target == ErrClockBack }
