package main

import (
	"testing"
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
)

// sequenceBits let a worker issue 2.6 million UIDs a second, and borrow beyond that. In the tests,
// whose processes have to get ahead of the clock with little of a processor, it is 160,000.
var sequenceBits = func() int {
	if testing.Testing() {
		return 14
	}
	return 18
}()

var soakLayout = bits.MustLayout(bits.Config{
	TimeBits: 63 - storeBits - idBits - sequenceBits, WorkerBits: storeBits + idBits, SequenceBits: sequenceBits,
	Unit:   tickUnit,
	Fields: []uid.Field{{Name: "store", Bits: storeBits}, {Name: "id", Bits: idBits}},
})
