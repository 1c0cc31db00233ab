package state

// A Record is what a worker keeps across restarts. Package state does not interpret it. Its bounds are ticks, each the
// last one of its kind:
//
//	issued by earlier owners | granted to the generator | by the next record, at most | reserved in the store
//	.................... before .................. Granted ................ NextGranted ............. Reserved
//
// before is Granted as a generator has found it, or the last tick before its lease.
type Record struct {
	Kind     string `json:"kind"` // whose record it is: KindFixed, KindLease
	Host     string `json:"host"` // where the file was written
	WorkerID int64  `json:"workerId"`
	Layout   string `json:"layout"` // of the UIDs that were issued under the ID
	Granted  int64  `json:"high"`   // the last tick that the generator may have issued, or -1
	// NextGranted is how large Granted may be in the record that is saved after this one. A start that finds that
	// one damaged begins above it.
	NextGranted int64 `json:"next"`

	// The rest is for leases.
	Namespace string `json:"namespace,omitempty"`
	Nonce     string `json:"nonce,omitempty"` // of the newest write that the store has acknowledged
	Reserved  int64  `json:"limit,omitempty"` // the last tick that it reserved
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
