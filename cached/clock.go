package cached

import (
	"math"
	"time"

	"github.com/uidgen/uid/internal/tick"
)

// leadLimit returns the last tick that MaxLead allows. It uses the steady clock: a wall
// clock that was set back must not stop a generator until it has caught up.
func (g *Generator) leadLimit(now time.Time) int64 {
	tick := max(g.tickAt(g.steady(now)), 0)
	if tick > math.MaxInt64-g.lead {
		return math.MaxInt64
	}
	return tick + g.lead
}

// steady returns the wall clock while that goes forward. While it does not, it returns
// the last such time plus the time that has passed since.
func (g *Generator) steady(now time.Time) time.Time {
	s := &g.state
	at := time.Since(g.born)
	// Drop the monotonic reading: by it a wall clock that was set forward would not be
	// after one that was not.
	now = now.Round(0)
	if s.steady.IsZero() {
		s.steady, s.steadyAt = now, at
	}
	s.steady = s.steady.Add(at - s.steadyAt)
	s.steadyAt = at
	if now.After(s.steady) {
		s.steady = now
	}
	return s.steady
}

// tickAt is Layout.TickAt without the layout, a copy of which would take room on the stack.
func (g *Generator) tickAt(t time.Time) int64 { return tick.At(g.epoch, g.unit, t) }
