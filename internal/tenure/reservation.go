package tenure

import (
	"fmt"

	"github.com/uidgen/uid"
)

// A noReservation says what the worker has reserved, when that is not enough for a call. To errors.Is it
// is uid.ErrNoReservation and err. Its text is made only for those who read it.
type noReservation struct {
	workerID int64
	until    int64 // the last tick that is reserved, -1 for none
	err      error // why there is no more
}

// Error does not name the tick that a call needs, so that all that fail in an outage have one text.
func (e *noReservation) Error() string {
	return fmt.Sprintf("%v for worker %d (reserved up to tick %d): %v",
		uid.ErrNoReservation, e.workerID, e.until, e.err)
}

func (e *noReservation) Unwrap() []error { return []error{uid.ErrNoReservation, e.err} }
