package lease

import (
	"time"

	"github.com/uidgen/uid"
)

// SetNow sets the clock that the lease compares with the store's.
func (l *Lease) SetNow(now func() time.Time) { l.now = now }

// SetHolder sets what rows say of the process.
func (l *Lease) SetHolder(text string) { l.holder = text }

// SetClock sets the lease's clock for the time between two calls.
func (l *Lease) SetClock(now func() time.Time) { l.clock = now }

// SetChance sets what the lease draws at random: f returns a number below n.
func (l *Lease) SetChance(f func(n int64) int64) { l.chance = f }

// ReservationOf returns what the lease holds, without asking for anything.
func ReservationOf(l *Lease) uid.Reservation { return l.reservation() }

// Doubted returns the ID of an acquisition whose outcome is not known, if there is one.
func Doubted(l *Lease) (id int64, doubted bool) {
	if l.doubt == nil {
		return 0, false
	}
	return l.doubt.id, true
}

// Pending returns how many renewals may have happened, or be on their way, and were not
// acknowledged.
func Pending(l *Lease) int64 { return l.hold.sent - l.hold.acked }
