package sqlstore

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/lease"
)

// controlID is the worker ID of a namespace's own row. No layout has it. In this row HIGH is the namespace's floor,
// ACQUIRED the time at which it was made, and HOLDER its worker IDs and the highest of them that ever had a row.
// HISTORY is empty in all other rows.
const controlID = -1

// A leaseRow is a row of the table of leased IDs.
type leaseRow struct {
	WorkerID int64
	Nonce    string
	High     int64
	Until    int64
	Layout   string
	Holder   string
	Acquired int64
	Renewed  int64
	History  string
}

// leaseColumns are all columns but NAMESPACE, in the order of fields and values.
var leaseColumns = []string{"WORKER_ID", "NONCE", "HIGH", "LEASE_UNTIL", "LAYOUT", "HOLDER",
	"ACQUIRED", "RENEWED", "HISTORY"}

func (r leaseRow) values() []any {
	return []any{r.WorkerID, r.Nonce, r.High, r.Until, r.Layout, r.Holder,
		r.Acquired, r.Renewed, r.History}
}

// A nullableRow is a row as it is read, or NULLs if there is none.
type nullableRow struct {
	id, high, until, acquired, renewed sql.NullInt64
	nonce, layout, holder, history     sql.NullString
}

func (r *nullableRow) fields() []any {
	return []any{&r.id, &r.nonce, &r.high, &r.until, &r.layout, &r.holder, &r.acquired, &r.renewed, &r.history}
}

func (r *nullableRow) row() leaseRow {
	return leaseRow{
		r.id.Int64, r.nonce.String, r.high.Int64, r.until.Int64, r.layout.String, r.holder.String,
		r.acquired.Int64, r.renewed.Int64, r.history.String,
	}
}

// row converts r for the protocol.
func (r leaseRow) row() storage.Lease {
	return storage.Lease{
		WorkerID: r.WorkerID, Nonce: r.Nonce, High: r.High, Until: timeOf(r.Until), Layout: r.Layout, Holder: r.Holder,
		Acquired: timeOf(r.Acquired), Renewed: timeOf(r.Renewed),
	}
}

// rowOf converts a worker ID's row from the protocol.
func rowOf(r storage.Lease, id int64) leaseRow {
	return leaseRow{
		WorkerID: id, Nonce: r.Nonce, High: r.High, Until: r.Until.UnixMicro(), Layout: r.Layout, Holder: r.Holder,
		Acquired: r.Acquired.UnixMicro(), Renewed: r.Renewed.UnixMicro(),
	}
}

// namespace converts r, a namespace's own row, for the protocol. largest is the highest ID that has a row: it is above
// the one in HOLDER if the row was restored without the namespace's own.
func (r leaseRow) namespace(largest int64) (storage.Namespace, error) {
	ids, given, err := heldBy(r.Holder)
	return storage.Namespace{
		Layout: r.Layout, IDs: ids, Given: max(given, largest), Floor: r.High, History: r.History,
		Made: timeOf(r.Acquired), Renewed: timeOf(r.Renewed),
	}, err
}

// changed returns r, a namespace's own row, with the values of n.
func (r leaseRow) changed(n storage.Namespace) leaseRow {
	r.WorkerID, r.Layout, r.High = controlID, n.Layout, n.Floor
	r.Holder, r.History = holderOf(n.IDs, n.Given), n.History
	r.Acquired, r.Renewed = n.Made.UnixMicro(), n.Renewed.UnixMicro()
	return r
}

// touched returns the namespace's row with a new NONCE: the nodes of a Galera cluster compare the rows that two
// transactions have written, and not those that they have read.
func touched(r leaseRow) leaseRow {
	r.Nonce = rand.Text()
	return r
}

// holderOf returns HOLDER of a namespace's own row: "worker IDs 0 to 1023, given up to 15", or "all worker IDs, given
// up to 15". Before the first ID has a row it is "worker IDs 0 to 1023", or empty for all. Older programs, which made
// IDs anew after their rows were deleted, refuse the longer forms.
func holderOf(ids lease.Range, given int64) string {
	var text string
	switch {
	case ids != (lease.Range{}):
		text = "worker IDs " + ids.String()
	case given >= 0:
		text = "all worker IDs"
	}
	if given >= 0 {
		text += givenUpTo + strconv.FormatInt(given, 10)
	}
	return text
}

const givenUpTo = ", given up to "

// heldBy parses a HOLDER of holderOf.
func heldBy(holder string) (ids lease.Range, given int64, err error) {
	held, highest, some := strings.Cut(holder, givenUpTo)
	if given = -1; some {
		given, err = strconv.ParseInt(highest, 10, 64)
	}
	if err == nil && held != "" && held != "all worker IDs" {
		_, err = fmt.Sscanf(held, "worker IDs %d to %d", &ids.First, &ids.Last)
	}
	if err != nil || holderOf(ids, given) != holder || ids.First < 0 || ids.First > ids.Last {
		return ids, given, fmt.Errorf("%w: HOLDER of the namespace's own row (WORKER_ID -1) is %.150q; "+
			"it has to be empty, for all worker IDs before the first was leased, or like %q or %q",
			uid.ErrConfig, holder, holderOf(lease.Range{}, 15), holderOf(lease.Range{First: 0, Last: 1023}, 15))
	}
	return ids, given, nil
}

func timeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }
