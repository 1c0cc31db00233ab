package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// clockEnv sets the clock of a process: an instant, then steps, each the time since that
// instant and the clock's offset from then on, as in
//
//	2026-11-21T08:00:00.5Z 12.5s:-2s 40s:1.5s
//
// This is how processes get the schedule's steps. The system's clock stays as it is.
const clockEnv = "UID_SOAK_CLOCK"

// A clock continues the system's clock from the start of the process, with steps added.
type clock struct {
	started time.Time // with a monotonic reading
	steps   []step    // in order; the first one is at or before the start
}

// A step sets a clock.
type step struct {
	at     time.Duration // since the clock's start
	offset time.Duration // from the right time, from then on
}

// newClock returns a clock with the steps of a text as in clockEnv; "" has none.
func newClock(text string) (*clock, error) {
	c := &clock{started: time.Now(), steps: []step{{}}}
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return c, nil
	}
	from, err := time.Parse(time.RFC3339Nano, fields[0])
	if err != nil {
		return nil, fmt.Errorf("soak: %s: %w", clockEnv, err)
	}
	past := from.Sub(c.started)
	for _, field := range fields[1:] {
		at, offset, _ := strings.Cut(field, ":")
		var s step
		if s.at, err = time.ParseDuration(at); err == nil {
			s.offset, err = time.ParseDuration(offset)
		}
		if err != nil {
			return nil, fmt.Errorf("soak: %s: %w", clockEnv, err)
		}
		s.at += past
		if last := c.steps[len(c.steps)-1]; s.at < last.at && s.at > 0 {
			return nil, fmt.Errorf("soak: %s: the step %s comes after a later one", clockEnv, field)
		}
		if s.at <= 0 {
			c.steps = c.steps[:0] // it is over
			s.at = 0
		}
		c.steps = append(c.steps, s)
	}
	return c, nil
}

// clockFromEnv returns the clock of this process.
func clockFromEnv() (*clock, error) { return newClock(os.Getenv(clockEnv)) }

// clockText is what clockEnv has to be for steps counted from an instant.
func clockText(from time.Time, steps []step) string {
	var b strings.Builder
	b.WriteString(from.UTC().Format(time.RFC3339Nano))
	for _, s := range steps {
		fmt.Fprintf(&b, " %v:%v", s.at, s.offset)
	}
	return b.String()
}

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
		if s.at <= elapsed {
			return s.offset
		}
	}
	return 0
}

// low returns the earliest time that the clock can have shown between two instants.
func (c *clock) low(from, to time.Duration) time.Time {
	least := c.offset(from)
	for _, s := range c.steps {
		if from < s.at && s.at <= to {
			least = min(least, s.offset)
		}
	}
	return c.at(from + least)
}

// ahead returns the largest offset so far.
func (c *clock) ahead(elapsed time.Duration) time.Duration {
	most := c.steps[0].offset
	for _, s := range c.steps {
		if s.at <= elapsed {
			most = max(most, s.offset)
		}
	}
	return most
}
