package main

import (
	"os"
	"sync/atomic"

	"github.com/uidgen/uid/test/record"
)

// A memory is what the processes of a round share: the record of all UIDs, and what the
// slots have come to.
type memory struct {
	*record.Record
	slots *[maxSlots]counters
}

const maxSlots = 64

// counters are those of a slot, whose processes come one after the other.
type counters struct {
	uids    atomic.Uint64 // drawn and marked
	refused atomic.Uint64 // calls that failed because nothing was reserved or allowed
	slowest atomic.Int64  // ns: the longest time that a few calls together took
	stalled atomic.Int64  // ns: the longest time without a UID for a goroutine that wanted one
	lost    atomic.Uint64 // leases that ended, or were another's, while a process lived
	taken   atomic.Uint64 // leases taken over from a process that did not release them
	up      atomic.Uint32 // the incarnation that has a generator
	pauses  atomic.Uint32 // incremented before a process is stopped
	_       [64]byte
}

// newMemory makes the memory of a round, empty.
func newMemory(g record.Geometry) (*memory, error) {
	r, slots, err := record.New[[maxSlots]counters](g)
	return &memory{r, slots}, err
}

// openMemory opens it in another process.
func openMemory(g record.Geometry, file *os.File) (*memory, error) {
	r, slots, err := record.Open[[maxSlots]counters](g, file)
	return &memory{r, slots}, err
}
