// Package fake has what tests of generators need: a clock that they set, and a worker that
// does what they say and notes what it was asked.
package fake

import (
	"sync"
	"time"
)

// A Clock is a wall clock that a test sets as it likes. Otherwise it goes with real time,
// which in a synctest bubble is the bubble's. What it shows has no monotonic reading. It
// may be used by any number of goroutines.
type Clock struct {
	mu   sync.Mutex
	wall time.Time // what it showed when it was set,
	set  time.Time // which was then; zero: it stands still

	steps int // how often it was set

	steady   time.Time // what it would show had it never gone back,
	steadyAt time.Time // then
}

// NewClock returns a clock that shows at, and goes on from there.
func NewClock(at time.Time) *Clock {
	at = at.Round(0)
	return &Clock{wall: at, set: time.Now(), steady: at, steadyAt: time.Now()}
}

// NewFrozenClock returns a clock that shows at, and stands still.
func NewFrozenClock(at time.Time) *Clock {
	c := NewClock(at)
	c.wall, c.set = at.Round(0), time.Time{}
	return c
}

// Now is what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Time {
	if c.set.IsZero() {
		return c.wall
	}
	return c.wall.Add(time.Since(c.set))
}

// Step sets the clock forward, or back if d is negative.
func (c *Clock) Step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.goOn(c.now())
	c.wall = c.wall.Add(d)
	c.steps++
}

// Steps returns how often the clock was set.
func (c *Clock) Steps() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steps
}

// NeverBack returns what the clock would show had it never been set back, nor been behind
// a given time.
func (c *Clock) NeverBack(behind time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.goOn(c.now())
	c.goOn(behind)
	return c.steady
}

func (c *Clock) goOn(now time.Time) {
	c.steady = c.steady.Add(time.Since(c.steadyAt))
	c.steadyAt = time.Now()
	if now.After(c.steady) {
		c.steady = now
	}
}

// Freeze makes the clock stand still.
func (c *Clock) Freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall, c.set = c.now(), time.Time{}
}

// Thaw makes a frozen clock go on.
func (c *Clock) Thaw() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set = time.Now()
}
