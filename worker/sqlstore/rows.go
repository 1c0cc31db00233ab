package sqlstore

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/lease"
)

// controlID is the worker ID of a namespace's own row, which every Take locks first. No layout
// has it. Its HIGH is the namespace's floor, its LEASE_UNTIL the end of its rest, its REACH the
// largest of any owner, its ACQUIRED the time at which it was made, its HOLDER the worker IDs that it
// has, and the highest that ever had a row.
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
	ids, given, err := heldBy(r.Holder)
	return lease.Namespace{
		Layout: r.Layout, IDs: ids, Given: given, Floor: r.High, Rest: r.Until.Time(), Reach: duration(r.Reach),
		Made: r.Acquired.Time(), Renewed: r.Renewed.Time(),
	}, err
}

// changed returns r, a namespace's own row, with the values of n.
func (r leaseRow) changed(n lease.Namespace) leaseRow {
	r.Layout, r.High, r.Until, r.Reach = n.Layout, n.Floor, micros(n.Rest), n.Reach.Microseconds()
	r.Holder = holderOf(n.IDs, n.Given)
	r.Acquired, r.Renewed = micros(n.Made), micros(n.Renewed)
	return r
}

// holderOf returns what HOLDER of a namespace's own row says of its worker IDs: "worker IDs 0 to 1023,
// given up to 15", or "all worker IDs, given up to 15". Until one has a row it is "worker IDs 0 to 1023",
// or empty for all. Programs that made IDs new whose rows had vanished refuse the longer forms.
func holderOf(ids lease.Range, given int64) string {
	var text string
	switch {
	case ids != (lease.Range{}):
		text = "worker IDs " + ids.String()
	case given >= 0:
		text = "all worker IDs"
	}
	if given >= 0 {
		text += givenUpTo + database.Int(given)
	}
	return text
}

const givenUpTo = ", given up to "

// heldBy reads what holderOf returns.
func heldBy(holder string) (ids lease.Range, given int64, err error) {
	held, mark, marked := strings.Cut(holder, givenUpTo)
	if given = -1; marked {
		given, err = strconv.ParseInt(mark, 10, 64)
	}
	if err == nil && held != "" && held != "all worker IDs" {
		_, err = fmt.Sscanf(held, "worker IDs %d to %d", &ids.First, &ids.Last)
	}
	if err != nil || holderOf(ids, given) != holder || ids.First < 0 || ids.First > ids.Last {
		return ids, given, fmt.Errorf("%w: HOLDER of the namespace's own row (WORKER_ID -1) is %.150q; "+
			"it has to be empty, for all worker IDs of which none was given, or like %q or %q",
			uid.ErrConfig, holder, holderOf(lease.Range{}, 15), holderOf(lease.Range{First: 0, Last: 1023}, 15))
	}
	return ids, given, nil
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
