package harness

import (
	"fmt"
	"math"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// A Geometry gives each UID of a range of ticks a bit of its own, and after them each number; see the package's doc.
type Geometry struct {
	Layout  bits.Layout
	First   int64 // tick
	Ticks   int64 // how many
	Numbers int64 // from 0 to one less
}

// NewGeometry covers the ticks from one time to another, or says why they are too many.
func NewGeometry(layout bits.Layout, from, to time.Time) (Geometry, error) {
	g := Geometry{Layout: layout, First: layout.TickAt(from)}
	g.Ticks = layout.TickAt(to) - g.First + 1
	width := layout.WorkerBits() + layout.SequenceBits()
	// A byte takes eight of the bits; the tables beside them take less than that again.
	if most := int64(math.MaxInt/4) >> width; g.Ticks < 1 || g.Ticks > most {
		return g, fmt.Errorf(
			"harness: %d ticks of %v: between 1 and %d ticks of %d worker IDs with %d UIDs each "+
				"fit the addresses of this machine",
			g.Ticks, layout.Unit(), most, layout.MaxWorkerID()+1, layout.MaxSequence()+1)
	}
	return g, nil
}

// Runs is how many pairs of a tick and a worker ID there are, and Size how many UIDs.
func (g Geometry) Runs() int64 { return g.Ticks << g.Layout.WorkerBits() }
func (g Geometry) Size() int64 { return g.Runs() << g.Layout.SequenceBits() }

// Base is the UID whose bit is bit 0.
func (g Geometry) Base() uid.UID {
	return uid.UID(g.First << (g.Layout.WorkerBits() + g.Layout.SequenceBits()))
}

// Bit returns the bit of u, and false if u is outside.
func (g Geometry) Bit(u uid.UID) (int64, bool) {
	i := int64(u - g.Base())
	return i, u >= 0 && uint64(i) < uint64(g.Size())
}

// Run splits the index of a bit's run into the tick and the worker ID.
func (g Geometry) Run(run int64) (tick, workerID int64) {
	return g.First + run>>g.Layout.WorkerBits(), run & g.Layout.MaxWorkerID()
}
