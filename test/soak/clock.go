package main

import (
	"slices"
	"time"
)

// A clock continues the system's clock from the start of the process, with steps added. This is how
// processes get the schedule's steps. The system's clock stays as it is.
type clock struct {
	started time.Time // with a monotonic reading
	steps   []step    // in order
}

// A step sets a clock to an offset from the right time, from an instant on.
type step struct {
	At     time.Time
	Offset time.Duration
}

func newClock(steps []step) *clock { return &clock{time.Now(), steps} }

// elapsed is the time since the clock's start, the argument of the other methods.
func (c *clock) elapsed() time.Duration { return time.Since(c.started) }

// at returns what a clock without steps shows.
func (c *clock) at(elapsed time.Duration) time.Time { return c.started.Round(0).Add(elapsed) }

// now is what the clock shows.
func (c *clock) now() time.Time {
	e := c.elapsed()
	return c.at(e + c.offset(e))
}

func (c *clock) offset(elapsed time.Duration) time.Duration {
	for _, s := range slices.Backward(c.steps) {
		if !s.At.After(c.at(elapsed)) {
			return s.Offset
		}
	}
	return 0
}

// low returns the earliest time that the clock can have shown between two instants.
func (c *clock) low(from, to time.Duration) time.Time {
	least := c.offset(from)
	for _, s := range c.steps {
		if s.At.After(c.at(from)) && !s.At.After(c.at(to)) {
			least = min(least, s.Offset)
		}
	}
	return c.at(from + least)
}

// ahead returns the largest offset that the process has seen so far.
func (c *clock) ahead(elapsed time.Duration) time.Duration {
	most := c.offset(0)
	for _, s := range c.steps {
		if s.At.After(c.started) && !s.At.After(c.at(elapsed)) {
			most = max(most, s.Offset)
		}
	}
	return most
}
