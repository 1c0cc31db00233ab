// Package drivertest checks that a [stores.Driver], and leases and segments over it, keep their contracts. The author
// of a driver calls [Run] in a test:
//
//	func TestDriver(t *testing.T) {
//		drivertest.Run(t, drivertest.Config{}, func(t *testing.T) drivertest.Subject {
//			db := connect(t) // empty, and closed by t.Cleanup
//			return drivertest.Subject{
//				Open:   func() (stores.Driver, error) { return mydriver.New(db), nil },
//				Remove: func(key string) error { return db.Delete(key) },
//			}
//		})
//	}
//
// The suite tries lost and late writes, and lost replies, too. It is no proof, and without [Subject.Backup] does not
// try what the death of a server would show.
package drivertest

import (
	"testing"
	"time"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/stores"
)

// A Subject is an empty database under test. Only Open is required; the suite skips what needs a nil field,
// and logs that.
type Subject struct {
	// Open returns a new client, which shares nothing with others but the database.
	Open func() (stores.Driver, error)

	// Remove removes a key by hand, if it is there.
	Remove func(key string) error

	// Advance turns all clients' clock forward.
	Advance func(by time.Duration)

	// Backup returns a function that puts the database back to its state now: writes since are lost.
	Backup func() (restore func())

	// Secret is what the clients know (a password), and no error or name may have; "" for none.
	Secret string
}

// A Config says how much the suite tries.
type Config struct {
	Histories int           // random ones; the default is 20
	Seed      uint64        // of these; a failure logs it
	Patience  time.Duration // for another call: more than one takes; the default is 20 ms
}

// Run runs each check in a subtest, on a database of its own: open returns an empty one.
func Run(t *testing.T, cfg Config, open func(t *testing.T) Subject) {
	t.Helper()
	settings := suite.Settings(cfg).OrDefaults()
	suite.Run(t, checks, func(t *testing.T) *probe {
		s := open(t)
		return &probe{suite.NewProbe(t.Context(), settings, s.Secret), s}
	})
	leases := func(t *testing.T) storetest.Subject { return storetest.Over(drivers.Database(open(t))) }
	t.Run("leases", func(t *testing.T) { storetest.Run(t, settings, leases) })
	t.Run("namespaces", func(t *testing.T) { storetest.RunRegistry(t, settings, leases) })
	t.Run("segments", func(t *testing.T) {
		segmenttest.Run(t, settings, func(t *testing.T) segmenttest.Subject {
			return segmenttest.Over(drivers.Database(open(t)))
		})
	})
}
