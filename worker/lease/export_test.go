package lease

import (
	"time"

	"github.com/uidgen/uid"
)

// Lease is the worker that New returns.
type Lease = lessee

// SetNow sets the clock that the lease compares with the store's.
func (l *lessee) SetNow(now func() time.Time) { l.now = now }

// SetHolder sets what rows say of the process.
func (l *lessee) SetHolder(text string) { l.holder = text }

// SetClock sets the lease's clock for the time between two calls.
func (l *lessee) SetClock(now func() time.Time) { l.clock = now }

// SetChance sets what the lease draws at random: f returns a number below n.
func (l *lessee) SetChance(f func(n int64) int64) { l.chance = f }

// ReservationOf returns what the lease holds, without asking for anything.
func ReservationOf(l *lessee) uid.Reservation { return l.reservation() }

// Pending returns the ID of an acquisition whose outcome is not known, if there is one.
func Pending(l *lessee) (id int64, pending bool) {
	if l.pending == nil {
		return 0, false
	}
	return l.pending.id, true
}

// Unacknowledged returns how many renewals may have happened, or be on their way, and were not
// acknowledged.
func Unacknowledged(l *lessee) int64 { return l.lease.sent - l.lease.acked }
