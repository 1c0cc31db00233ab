package drivertest_test

import (
	"testing"
	"time"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/drivertest"
)

// The suite finds nothing wrong with leases and segments over a driver that is right, though it may write one record at
// a time.
func TestMemory(t *testing.T) {
	for name, of := range map[string]func(*drivers.Memory) stores.Driver{
		"at once":   func(m *drivers.Memory) stores.Driver { return m },
		"piecemeal": drivers.Piecemeal,
	} {
		t.Run(name, func(t *testing.T) {
			drivertest.Run(t, drivertest.Config{Histories: 40, Patience: 2 * time.Millisecond},
				func(*testing.T) drivertest.Subject {
					m := &drivers.Memory{}
					return drivertest.Subject{
						Open:   func() (stores.Driver, error) { return of(m), nil },
						Remove: func(key string) error { m.Set(key, ""); return nil },
						Backup: m.Backup,
					}
				})
		})
	}
}
