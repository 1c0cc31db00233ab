package storetest

import (
	"context"
	"errors"

	"github.com/uidgen/uid/worker"
)

// A Fault is what goes wrong with a call of a store.
type Fault int

const (
	// OK leaves the call alone.
	OK Fault = iota
	// Refuse fails it before anything is read: the server cannot be reached.
	Refuse
	// LoseWrite fails it after decide has run, with nothing stored.
	LoseWrite
	// LoseReply stores what decide has agreed to, and fails all the same.
	LoseReply
	// Delay fails it after decide has run. Its write is on its way, and is stored when it is
	// delivered ([Memory.Deliver]), unless the row was written again by then.
	Delay
)

func (f Fault) String() string {
	return [...]string{"OK", "Refuse", "LoseWrite", "LoseReply", "Delay"}[f]
}

var (
	errRefused = worker.Transient(errors.New("storetest: the store cannot be reached"))
	errLost    = worker.Transient(errors.New("storetest: the connection was lost, the outcome is not known"))
)

// Fault sets the faults of the client's next calls of Take, Change and Init, one for each, after
// those that are set already. Later calls succeed again.
func (c *Client) Fault(next ...Fault) { c.faults.Add(next...) }

// refused returns the error of a call that does not reach the store. The caller holds m.mu.
func (m *Memory) refused(ctx context.Context, fault Fault) error {
	switch {
	case ctx.Err() != nil:
		return ended(ctx)
	case m.down || fault == Refuse:
		return errRefused
	}
	return nil
}

// Outage begins or ends an outage: all calls of all clients fail, and nothing is stored.
func (m *Memory) Outage(begins bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = begins
}

// Deliver stores the writes that Delay has held back, in their order, except those whose rows
// were written since. It returns how many it stored.
func (m *Memory) Deliver() (stored int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, ch := range m.late {
		if m.newest(ch) {
			m.store(ch)
			stored++
		}
	}
	m.late = nil
	return stored
}
