package tenure

import (
	"fmt"
	"math"

	"github.com/uidgen/uid"
)

// A Grant is the right to issue ticks. It is immutable, and replaced as a whole: a caller that finds the
// same Grant twice knows that it was in force all the time between.
type Grant struct {
	// Reservation is the worker's. It has no ticks before the first reservation, after a revocation, and after the
	// end.
	uid.Reservation
	// Until is the last tick that may be issued: Last, or the layout's last tick if
	// that is earlier.
	Until int64
	// Ended is nil, or why nothing will ever be issued again.
	Ended error
}

func withoutTicks(workerID int64) *Grant { return &Grant{Reservation: nothing(workerID), Until: -1} }

// nothing is a reservation without ticks.
func nothing(workerID int64) uid.Reservation {
	return uid.Reservation{WorkerID: workerID, First: 0, Last: -1, Renew: math.MaxInt64}
}

// A noReservation says why the ticks that a call needs are not reserved. To errors.Is it
// is uid.ErrNoReservation and err. Its text is made only when it is read.
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
