package drivertest

import (
	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/stores"
)

// NewMemory returns the driver of a new database in memory: for tests and examples. It loses everything when the
// program ends: do not issue real UIDs on it.
func NewMemory() stores.Driver { return &drivers.Memory{} }
