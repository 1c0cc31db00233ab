package main

import (
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// Every layout of the harness splits the worker ID: each space of worker IDs has a share.
const (
	shareBits = 3
	idBits    = 8
	// tickUnit is short, so that processes come and go within a lease of a few ticks.
	tickUnit = 100 * time.Millisecond
)

// How many bits of a UID are its sequence's.
const (
	wide   = 18 // 2.6 million UIDs a second of a worker ID, and what it borrows beyond that
	medium = 13 // 80,000, of which two servers soon draw the same
	narrow = 10 // 10,000, so that processes get ahead of the clock with little of a processor
)

// layout is that of all UIDs. Who starts the processes chooses it.
var layout = newLayout(wide)

func newLayout(sequenceBits int) bits.Layout {
	return bits.MustLayout(bits.Config{
		TimeBits: 63 - shareBits - idBits - sequenceBits, WorkerBits: shareBits + idBits, SequenceBits: sequenceBits,
		Unit:   tickUnit,
		Fields: []uid.Field{{Name: "share", Bits: shareBits}, {Name: "id", Bits: idBits}},
	})
}
