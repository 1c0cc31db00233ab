// Package storetest checks that a [lease.Store] keeps its contract. The author of a store calls
// [Run] in a test:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, storetest.Config{}, func(t *testing.T) storetest.Subject {
//			db := connect(t) // empty, and closed by t.Cleanup
//			return storetest.Subject{
//				Open: func(namespace string) (lease.Store, error) { return mystore.New(db, namespace) },
//			}
//		})
//	}
//
// The suite makes calls, and judges each by one history of all: what decide is offered has to be what was written
// last, all of it, the row that Take offers the first one that it can, and what is said to be stored has to replace
// what was read. First one client calls after another, with others that write while a decision runs, and, if the
// store can be made to fail, with lost replies, lost writes and late ones. Then several clients call the store at
// random on few rows, and the suite checks that what all of them saw fits some order of their calls (that the history
// is linearizable). It knows nothing of how a store works. The store's clock, or the clients', may have an Error of up
// to half a minute.
//
// [RunRegistry] does the same for a [registry.Store], which holds many namespaces.
//
// A run that finds nothing shows that a store does well what was tried; it is no proof. The suite
// does not try what only the death of a server would show: see the method Inspect of
// [lease.Store] for what a store has to say about that.
//
// [Over] returns leases over a driver of package stores, with its faults. [Memory] is that over a database in memory,
// for tests of programs that hold leases.
package storetest

import (
	"testing"
	"time"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker/lease"
)

// A Subject is an empty store under test. Only Open is required, and Registry for RunRegistry; the
// suite skips what needs a nil field, and logs that.
type Subject struct {
	// Open returns a new client of a namespace. It shares nothing with other clients but the
	// store, as if it were in another process. It creates nothing.
	Open func(namespace string) (lease.Store, error)

	// Registry returns a new client of all namespaces, which shares as little, and creates
	// nothing. It may be nil for Run.
	Registry func() (registry.Store, error)

	// Steps says that a Take or Change may store the namespace, and rows of new IDs as nobody has had them, before the
	// row: a call that fails may leave these alone, and so may each run of decide but the last.
	Steps bool

	// Sample is how many rows a Take reads at first; of more it may look at some. 0 says all that the suite makes.
	Sample int64

	// Fault sets the fault of the next call of a client that Open has returned. It returns false
	// for a Fault that the store cannot be made to have. OK takes back one that is set.
	Fault func(client lease.Store, f Fault) bool

	// Deliver lets writes arrive that the Fault Delay has held back. Delay needs it.
	Deliver func()

	// Advance turns the store's clock forward.
	Advance func(by time.Duration)

	// RemoveNamespace removes a namespace from the store and leaves the rows of its IDs.
	RemoveNamespace func(namespace string) error

	// RemoveRow removes the row of a worker ID, as a person who deletes it by hand does.
	RemoveRow func(namespace string, id int64) error

	// SetGiven sets the Given of a namespace that has all worker IDs, as a person who puts back
	// an older row of the namespace, and no older rows of IDs.
	SetGiven func(namespace string, given int64) error

	// Backup returns a function that puts the store back to its state now: writes since are lost,
	// as in a failover to a server that lagged behind.
	Backup func() (restore func())

	// Secret is a text that the clients know (a password), and that must not be in any error or
	// name, nor in what Inspect returns. If it is empty the suite looks for nothing.
	Secret string
}

// A Config says how much the suite tries.
type Config = suite.Settings

// Run runs each check in a subtest of its own, on a store of its own: open returns an empty one.
func Run(t *testing.T, cfg Config, open func(t *testing.T) Subject) {
	t.Helper()
	run(t, cfg, checks, open)
}

// Histories runs the last of the checks alone, for a store whose requests fail at random: [Run] has its own faults.
func Histories(t *testing.T, cfg Config, open func(t *testing.T) Subject) {
	t.Helper()
	run(t, cfg, checks[len(checks)-1:], open)
}

// RunRegistry does for a [registry.Store] what [Run] does for each of its namespaces: it runs
// each check in a subtest of its own, on a store of its own, which open returns empty. The
// Subject's Registry is required, and each of its clients has to see what the others have done.
func RunRegistry(t *testing.T, cfg Config, open func(t *testing.T) Subject) {
	t.Helper()
	run(t, cfg, registryChecks, open)
}

func run(t *testing.T, cfg Config, checks []check, open func(t *testing.T) Subject) {
	t.Helper()
	cfg = cfg.OrDefaults()
	suite.Run(t, checks, func(t *testing.T) *probe { return newProbe(t.Context(), cfg, open(t)) })
}
