// Package segmenttest checks that a [segment.Store] keeps its contract. The author of a store
// calls [Run] in a test:
//
//	func TestStore(t *testing.T) {
//		segmenttest.Run(t, segmenttest.Config{}, func(t *testing.T) segmenttest.Subject {
//			db := connect(t) // empty, and closed by t.Cleanup
//			return segmenttest.Subject{
//				Open: func() (segment.Store, error) { return mystore.New(db) },
//			}
//		})
//	}
//
// The suite makes calls, and judges each by one history of all: what decide is offered has to be what was written
// last, all of it, and what is said to be stored has to replace what was read. First one client calls after another,
// with others that write while a decision runs, and, if the store can be made to fail, with lost replies, lost writes
// and late ones. Then many clients call at once, at random, and the suite checks that what all of them saw fits some
// order of their calls (that the history is linearizable), so that no number is given out twice and none is left
// out. It knows nothing of how a store works. Clocks may be off by up to a minute.
//
// A run that finds nothing shows that a store does well what was tried; it is no proof. The suite
// does not try what only the death of a server would show: see the method Inspect of
// [segment.Store] for what a store has to say about that.
//
// [Over] returns segments over a driver of package stores, with its faults. [Memory] is that over a database in memory,
// for tests of programs that draw numbers.
package segmenttest

import (
	"testing"

	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/segment"
)

// A Subject is an empty store under test. Only Open is required; the suite skips what needs a nil
// field, and logs that.
type Subject struct {
	// Open returns a new client. It shares nothing with other clients but the store, as if it
	// were in another process. It creates nothing.
	Open func() (segment.Store, error)

	// Fault sets the fault of the next Change of a client that Open has returned. It returns false
	// for a Fault that the store cannot be made to have. OK takes back one that is set.
	Fault func(client segment.Store, f Fault) bool

	// Deliver lets writes arrive that the Fault Delay has held back. Delay needs it.
	Deliver func()

	// Foreign draws n numbers of a tag that has a row, as programs do that know nothing of Takers,
	// and returns the first. It is called by many goroutines at once.
	Foreign func(tag string, n int64) (first int64, err error)

	// Lower sets the next number of a tag that has a row, and nothing else of it, by the tools of the
	// engine; one below 0 removes it. It is for stores that keep the number apart from the rest.
	Lower func(tag string, next int64) error

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

func run(t *testing.T, cfg Config, checks []check, open func(t *testing.T) Subject) {
	t.Helper()
	cfg = cfg.OrDefaults()
	suite.Run(t, checks, func(t *testing.T) *probe { return newProbe(t.Context(), cfg, open(t)) })
}
