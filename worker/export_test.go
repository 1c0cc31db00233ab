package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/uidgen/uid"
)

// ShiftClocks sets the lease's clocks ahead: the database's by what the query returns, in
// microseconds, the process's own two by what own returns.
func (l *Lease) ShiftClocks(query string, own func() time.Duration) {
	l.table.clock = fmt.Sprintf("%s + (%s)", l.table.clock, query)
	now := l.cfg.Now
	l.cfg.Now = func() time.Time { return now().Round(0).Add(own()) }
	l.clock = func() time.Time { return time.Now().Add(own()) }
}

// ReservationOf returns what the lease holds, without asking for anything.
func ReservationOf(l *Lease) uid.Reservation { return l.reservation() }

// Crash lets go of the state file as the end of the process does.
func Crash(l *Lease) {
	l.file.close()
	l.file, l.hold = nil, nil
	l.unbind()
}

// RenewAndCrash renews the lease in the database, and lets go of the state file before
// that is noted there.
func RenewAndCrash(ctx context.Context, l *Lease) error {
	defer Crash(l)
	return l.extend(ctx, 0)
}

// ShiftClock sets the database's clock ahead, as the registry sees it, by what the query
// returns, in microseconds.
func (r *Registry) ShiftClock(query string) {
	r.clockQuery = fmt.Sprintf("%s + (%s)", r.clockQuery, query)
}

// LossySettings says how a server can lose commits.
func LossySettings(vars, status map[string]string) []string { return lossySettings(vars, status) }

// SetLimit has the lease believe that it has reserved ticks up to the limit.
func SetLimit(l *Lease, limit int64) { l.hold.base, l.hold.limit, l.hold.granted = -1, limit, limit }
