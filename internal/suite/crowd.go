package suite

import "time"

// A Crowd lets decisions meet that a store runs at the same time. A store that locks runs one at
// a time, so none waits longer than Patience.
type Crowd struct {
	Patience time.Duration
	met      chan struct{}
}

// Crowd returns a new one.
func (p *Probe) Crowd() *Crowd { return &Crowd{Patience: p.Patience, met: make(chan struct{})} }

// Meet waits for another one.
func (c *Crowd) Meet() {
	timer := time.NewTimer(c.Patience)
	defer timer.Stop()
	select {
	case c.met <- struct{}{}:
	case <-c.met:
	case <-timer.C:
	}
}
