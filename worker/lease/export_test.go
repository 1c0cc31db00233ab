package lease

import (
	"context"
	"time"

	"github.com/uidgen/uid"
)

// SetClock sets the lease's clock for the time between two calls.
func (l *Lease) SetClock(now func() time.Time) { l.clock = now }

// SetChance sets what the lease draws at random: f returns a number below n.
func (l *Lease) SetChance(f func(n int64) int64) { l.chance = f }

// ReservationOf returns what the lease holds, without asking for anything.
func ReservationOf(l *Lease) uid.Reservation { return l.reservation() }

// Crash lets go of the state file as the end of the process does.
func Crash(l *Lease) {
	_ = l.file.Close()
	l.file, l.hold = nil, nil
	_ = l.binding.Unbind()
}

// RenewAndCrash renews the lease in the store, and lets go of the state file before that is
// noted there.
func RenewAndCrash(ctx context.Context, l *Lease) error {
	defer Crash(l)
	return l.extend(ctx, 0)
}

// Doubted returns the ID of an acquisition whose outcome is not known, if there is one.
func Doubted(l *Lease) (id int64, doubted bool) {
	if l.doubt == nil {
		return 0, false
	}
	return l.doubt.id, true
}

// Pending returns how many renewals may have happened, or be on their way, and were not
// acknowledged.
func Pending(l *Lease) int { return len(l.hold.proposed) }

// MostPending is how many of them are remembered.
const MostPending = mostProposed
