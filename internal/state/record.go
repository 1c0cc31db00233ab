package state

// A Record is what a worker keeps across restarts. Package state does not interpret it. Its bounds are ticks:
//
//	issued by earlier owners | may have been issued | the next record's | leased, not reserved here
//	........................ base ............... High .............. Next ................... Limit
//
// base is High as a generator has found it, or where its lease begins. High and Next are at most Limit, if there is
// one.
type Record struct {
	Kind     string `json:"kind"` // whose record it is: KindFixed, KindLease
	Host     string `json:"host"` // where the file was written
	WorkerID int64  `json:"workerId"`
	Layout   string `json:"layout"` // of the UIDs that were issued under the ID
	High     int64  `json:"high"`   // the last tick that may have been issued, or -1
	// Next is how large High may be in the record that is saved after this one; it is at least High. A
	// start that finds that one damaged goes on above Next.
	Next int64 `json:"next"`

	// The rest is for leases.
	Namespace string `json:"namespace,omitempty"`
	Nonce     string `json:"nonce,omitempty"` // of the newest write that the store has acknowledged
	Limit     int64  `json:"limit,omitempty"` // the last tick that it reserved
}

// The kinds of records.
const (
	KindFixed = "fixed" // an ID that comes from a source
	KindLease = "lease" // an ID that is leased from a store
)

// version is that of the records that are written. Programs that write another one are refused.
const version = 2

// A slot is the content of a page.
type slot struct {
	Version  int   `json:"version"`
	Sequence int64 `json:"sequence"` // counts the saves, from 1; odd ones are in the first slot
	PID      int   `json:"pid"`      // of the process that wrote it
	Record
}
