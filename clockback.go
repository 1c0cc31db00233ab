package uid

import (
	"fmt"
	"time"
)

// A ClockBackError says how far the wall clock went back. For errors.Is it is [ErrClockBack].
type ClockBackError struct {
	// Now is what the clock shows. Last is the beginning of the newest tick from which UIDs were issued, or of the
	// first that the worker allows. Back is the distance from Now to Last.
	Now, Last time.Time
	Back      time.Duration
	// Limit is how far behind the policy lets it be.
	Limit time.Duration
}

func (e *ClockBackError) Error() string {
	return fmt.Sprintf("%v: it shows %s, %v before %s, the time of the last UID or the first that is allowed; "+
		"the policy allows %v",
		ErrClockBack, e.Now.UTC().Format(time.RFC3339Nano), e.Back, e.Last.UTC().Format(time.RFC3339Nano), e.Limit)
}

func (e *ClockBackError) Is(target error) bool { return target == ErrClockBack }
