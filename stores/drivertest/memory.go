package drivertest

import (
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/memory"
)

// NewMemory returns the driver of a new database in memory: for tests, and for examples. It loses everything when
// the program ends: do not issue real UIDs on it.
func NewMemory() stores.Driver { return &memory.Driver{} }
