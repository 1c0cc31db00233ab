package main

import (
	"fmt"
	"math"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// Every layout of the harness splits the worker ID: each store of worker IDs has a share.
const (
	storeBits = 3
	idBits    = 8
	// tickUnit is short, so that processes come and go within a lease of a few ticks.
	tickUnit = 100 * time.Millisecond
	// sequenceBits let a worker issue 2.6 million UIDs a second, and borrow beyond that.
	sequenceBits = 18
)

var soakLayout = bits.MustLayout(bits.Config{
	TimeBits: 63 - storeBits - idBits - sequenceBits, WorkerBits: storeBits + idBits, SequenceBits: sequenceBits,
	Unit:   tickUnit,
	Fields: []bits.Field{{Name: "store", Bits: storeBits}, {Name: "id", Bits: idBits}},
})

// A geometry gives each UID of a range of ticks a bit of its own; see the package's doc.
type geometry struct {
	layout       bits.Layout
	first, ticks int64
}

// newGeometry covers the ticks from one time to another, or says why they are too many.
func newGeometry(layout bits.Layout, from, to time.Time) (geometry, error) {
	g := geometry{layout: layout, first: layout.TickAt(from)}
	g.ticks = layout.TickAt(to) - g.first + 1
	width := layout.WorkerBits() + layout.SequenceBits()
	// A byte takes eight of the bits; the tables beside them take less than that again.
	if most := int64(math.MaxInt/4) >> width; g.ticks < 1 || g.ticks > most {
		return g, fmt.Errorf("soak: %d ticks of %v: between 1 and %d ticks of %d worker IDs with %d UIDs each fit the addresses of this machine",
			g.ticks, layout.Unit(), most, layout.MaxWorkerID()+1, layout.MaxSequence()+1)
	}
	return g, nil
}

// runs is how many pairs of a tick and a worker ID there are, and size how many UIDs.
func (g geometry) runs() int64 { return g.ticks << g.layout.WorkerBits() }
func (g geometry) size() int64 { return g.runs() << g.layout.SequenceBits() }

// base is the UID whose bit is bit 0.
func (g geometry) base() uid.UID {
	return uid.UID(g.first << (g.layout.WorkerBits() + g.layout.SequenceBits()))
}

// bit returns the bit of u, and false if u is outside.
func (g geometry) bit(u uid.UID) (int64, bool) {
	i := int64(u - g.base())
	return i, u >= 0 && uint64(i) < uint64(g.size())
}

// run splits the index of a bit's run into the tick and the worker ID.
func (g geometry) run(run int64) (tick, workerID int64) {
	return g.first + run>>g.layout.WorkerBits(), run & g.layout.MaxWorkerID()
}
