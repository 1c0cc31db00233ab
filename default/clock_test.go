package uncached

import (
	"sync"
	"time"
)

// clock is a wall clock that a test sets as it likes. Otherwise it goes with real
// time, which in a synctest bubble is fake.
type clock struct {
	mu   sync.Mutex
	wall time.Time // what it showed when it was set,
	set  time.Time // which was then; zero: it stands still

	steps int // how often it was set

	steady   time.Time // what it would show had it never gone back,
	steadyAt time.Time // then
}

// morning is when clocks start: on a boundary of every unit in these tests.
var morning = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)

func newClock() *clock { return newClockAt(morning) }

func newClockAt(t time.Time) *clock {
	return &clock{wall: t, set: time.Now(), steady: t, steadyAt: time.Now()}
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *clock) now() time.Time {
	if c.set.IsZero() {
		return c.wall
	}
	return c.wall.Add(time.Since(c.set))
}

// step sets the clock forward, or back if d is negative.
func (c *clock) step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.goOn(c.now())
	c.wall = c.wall.Add(d)
	c.steps++
}

func (c *clock) stepped() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steps
}

// neverBack returns what the clock would show had it never been set back, nor been
// behind a given time.
func (c *clock) neverBack(behind time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.goOn(c.now())
	c.goOn(behind)
	return c.steady
}

func (c *clock) goOn(now time.Time) {
	c.steady = c.steady.Add(time.Since(c.steadyAt))
	c.steadyAt = time.Now()
	if now.After(c.steady) {
		c.steady = now
	}
}

// freeze makes the clock stand still, and thaw go on.
func (c *clock) freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall, c.set = c.now(), time.Time{}
}

func (c *clock) thaw() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set = time.Now()
}
