package segmenttest

import "github.com/uidgen/uid/internal/storetest"

// A Fault is what goes wrong with a Change. It is the type of storetest, so that what lays faults
// in the way of an engine's requests serves both suites.
type Fault = storetest.Fault

const (
	// OK leaves the call alone.
	OK = storetest.OK
	// Refuse fails it before anything is read: the server cannot be reached.
	Refuse = storetest.Refuse
	// LoseWrite fails it after decide has run, with nothing stored.
	LoseWrite = storetest.LoseWrite
	// LoseReply stores what decide has agreed to, and fails all the same.
	LoseReply = storetest.LoseReply
	// Delay fails it after decide has run. Its write is on its way, and is stored when it is
	// delivered ([Memory.Deliver]), unless the row was written again by then.
	Delay = storetest.Delay
)

// Fault sets the faults of the client's next calls of Change, one for each, after those that are
// set already. Later calls succeed again.
func (c *Client) Fault(next ...Fault) { c.faults.Add(next...) }
