package uid

import "fmt"

// A NoReservationError says what a generator's worker has reserved, when that is not enough for a call.
// Find it with errors.As; to errors.Is it is [ErrNoReservation] and Err.
type NoReservationError struct {
	WorkerID int64
	Tick     int64 // what the call needs
	Until    int64 // the last tick that is reserved, -1 for none
	Err      error // why there is no more
}

// Error leaves Tick out, so that the calls that fail in an outage have one text.
func (e *NoReservationError) Error() string {
	return fmt.Sprintf("%v for worker %d (reserved up to tick %d): %v", ErrNoReservation, e.WorkerID, e.Until, e.Err)
}

func (e *NoReservationError) Unwrap() []error { return []error{ErrNoReservation, e.Err} }
