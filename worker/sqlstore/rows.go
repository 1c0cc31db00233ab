package sqlstore

import (
	"fmt"
	"math"
	"time"

	"github.com/uidgen/uid"
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
func (r leaseRow) namespace() (lease.Namespace, error) {
	ids, err := rangeOf(r.Holder)
	return lease.Namespace{
		Layout: r.Layout, IDs: ids, Floor: r.High, Rest: r.Until.Time(), Reach: duration(r.Reach),
		Made: r.Acquired.Time(), Renewed: r.Renewed.Time(),
	}, err
}

// changed returns r, a namespace's own row, with the values of n.
func (r leaseRow) changed(n lease.Namespace) leaseRow {
	r.Layout, r.High, r.Until, r.Reach = n.Layout, n.Floor, micros(n.Rest), n.Reach.Microseconds()
	r.Holder = holderOf(n.IDs)
	r.Acquired, r.Renewed = micros(n.Made), micros(n.Renewed)
	return r
}

// holderOf returns how a namespace's own row has the range of its worker IDs, in HOLDER: "worker
// IDs 0 to 1023". It is empty for all.
func holderOf(ids lease.Range) string {
	if ids == (lease.Range{}) {
		return ""
	}
	return "worker IDs " + ids.String()
}

// rangeOf reads what holderOf returns.
func rangeOf(holder string) (ids lease.Range, err error) {
	if holder == "" {
		return ids, nil
	}
	n, err := fmt.Sscanf(holder, "worker IDs %d to %d", &ids.First, &ids.Last)
	if n != 2 || err != nil || holderOf(ids) != holder || ids.First < 0 || ids.First > ids.Last {
		return ids, fmt.Errorf("%w: HOLDER of the namespace's own row (WORKER_ID -1) is %.150q; it has to be empty, for all worker IDs, or like %q",
			uid.ErrConfig, holder, holderOf(lease.Range{First: 0, Last: 1023}))
	}
	return ids, nil
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
