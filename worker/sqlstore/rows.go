package sqlstore

import (
	"math"
	"time"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/lease"
)

// controlID is the worker ID of a namespace's own row, which every Take locks first. No layout
// has it. Its HIGH is the namespace's floor, its LEASE_UNTIL the end of its rest, its REACH the
// largest of any owner, its ACQUIRED the time at which it was made.
const controlID = -1

// A leaseRow is a row of the table of leased IDs.
type leaseRow struct {
	WorkerID int64
	Nonce    string
	High     int64
	Until    database.Micros
	Layout   string
	Holder   string
	Acquired database.Micros
	Renewed  database.Micros
	Reach    int64 // microseconds
}

const leaseColumns = "WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, REACH"

// fields returns where to scan leaseColumns, in their order.
func (r *leaseRow) fields() []any {
	return []any{&r.WorkerID, &r.Nonce, &r.High, &r.Until, &r.Layout, &r.Holder, &r.Acquired, &r.Renewed, &r.Reach}
}

// row converts r for the protocol.
func (r leaseRow) row() lease.Row {
	return lease.Row{
		WorkerID: r.WorkerID, Nonce: r.Nonce, High: r.High, Until: r.Until.Time(), Layout: r.Layout, Holder: r.Holder,
		Acquired: r.Acquired.Time(), Renewed: r.Renewed.Time(), Reach: duration(r.Reach),
	}
}

// rowOf converts a worker ID's row from the protocol.
func rowOf(r lease.Row, id int64) leaseRow {
	return leaseRow{
		WorkerID: id, Nonce: r.Nonce, High: r.High, Until: micros(r.Until), Layout: r.Layout, Holder: r.Holder,
		Acquired: micros(r.Acquired), Renewed: micros(r.Renewed), Reach: r.Reach.Microseconds(),
	}
}

// namespace converts r, a namespace's own row, for the protocol.
func (r leaseRow) namespace() lease.Namespace {
	return lease.Namespace{
		Layout: r.Layout, Floor: r.High, Rest: r.Until.Time(), Reach: duration(r.Reach),
		Made: r.Acquired.Time(), Renewed: r.Renewed.Time(),
	}
}

// changed returns r, a namespace's own row, with the values of n.
func (r leaseRow) changed(n lease.Namespace) leaseRow {
	r.Layout, r.High, r.Until, r.Reach = n.Layout, n.Floor, micros(n.Rest), n.Reach.Microseconds()
	r.Acquired, r.Renewed = micros(n.Made), micros(n.Renewed)
	return r
}

func micros(t time.Time) database.Micros { return database.Micros(t.UnixMicro()) }

// duration converts microseconds; what is too long becomes the longest duration.
func duration(micros int64) time.Duration {
	if micros > int64(math.MaxInt64/time.Microsecond) {
		return math.MaxInt64
	}
	return time.Duration(micros) * time.Microsecond
}

// clock returns a reading of the database's clock, which has no error: the database is the one
// clock.
func clock(now database.Micros) lease.Clock { return lease.Clock{Now: now.Time()} }
