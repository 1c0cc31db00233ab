package cached

import (
	"math"
	"time"
)

// leadLimit returns the last tick that MaxLead allows. It goes by the steady clock: a
// wall clock that is set back must not make a generator stand still until the time is
// reached again.
func (g *Generator) leadLimit(now time.Time) int64 {
	tick := max(g.layout.TickAt(g.steady(now)), 0)
	if tick > math.MaxInt64-g.lead {
		return math.MaxInt64
	}
	return tick + g.lead
}

// steady returns the wall clock as far as it goes forward, and the time that has
// passed since it last did, as far as it does not.
func (g *Generator) steady(now time.Time) time.Time {
	s := &g.state
	at := time.Since(g.born)
	// Without its monotonic reading, by which a wall clock that was set forward would
	// not be after one that was not.
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
