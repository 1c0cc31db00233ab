// Package fitness judges a SQL database by one list, of which each row is a finding: what it takes, why that
// matters, what to do. A start asks it what the database can lose ([Losses]), a person all ([Examine]).
package fitness

import "github.com/uidgen/uid/internal/doctor"

const ok, note, warn, bad = doctor.LevelOK, doctor.LevelNote, doctor.LevelWarn, doctor.LevelError

// What starts are told of. For a person they stand for one of the levels above; see exam.level.
const (
	refused  doctor.Level = "refused"  // no worker starts
	damage   doctor.Level = "damage"   // a crash loses what was acknowledged, and it may be all
	crash    doctor.Level = "crash"    // a crash loses the newest commits that were acknowledged
	takeover doctor.Level = "takeover" // another server takes over, which lacks them
)

// lossWhy follows on what a takeover or a crash loses.
const lossWhy = ". Disposable IDs are then given again, and so are ticks of leases whose Losses are Never; " +
	"others make up for it."

// fine is the row for what is as it should be, unless a row before it says otherwise.
func fine(what, value string) row {
	return row{Is: true, Level: ok, What: what, Value: value}
}

// A row is one of package doctor's.
type row doctor.Row
