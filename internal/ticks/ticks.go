// Package ticks reckons with durations and ticks, the units of a layout's time field.
// Nothing in it overflows: what is too large for its type is the largest value there is.
//
// A unit is positive, and divides a second or is a multiple of one, as a layout's does.
package ticks

import (
	"math"
	"time"

	"github.com/uidgen/uid"
)

// Count returns how many ticks a duration begins: the duration in ticks, rounded up. It is 0
// for none and for a negative one.
func Count(d, unit time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d-1)/unit) + 1
}

// Span returns how long n ticks are.
func Span(n int64, unit time.Duration) time.Duration {
	switch most := int64(math.MaxInt64 / unit); {
	case n > most:
		return math.MaxInt64
	case n < -most:
		return math.MinInt64
	}
	return time.Duration(n) * unit
}

// Plus returns the tick that is n ticks, at least 0, after another one.
func Plus(tick, n int64) int64 {
	if tick > math.MaxInt64-n {
		return math.MaxInt64
	}
	return tick + n
}

// Until returns how long it is from now to the beginning of a tick, and 0 when that has
// passed.
func Until(t uid.Terms, now time.Time, tick int64) time.Duration {
	clock := t.TickAt(now)
	if tick <= clock {
		return 0
	}
	if clock < 0 && tick > math.MaxInt64+clock {
		return math.MaxInt64
	}
	span := Span(tick-clock, t.Unit)
	if span == math.MaxInt64 {
		return math.MaxInt64
	}
	return span - into(t, now)
}

// into returns how much of the tick that now lies in has passed. Unlike now.Sub it is right
// centuries from the epoch, too.
func into(t uid.Terms, now time.Time) time.Duration {
	past := now.Unix() - t.Epoch.Unix()
	part := time.Duration(now.Nanosecond() - t.Epoch.Nanosecond())
	if part < 0 {
		past, part = past-1, part+time.Second
	}
	if t.Unit < time.Second {
		return part % t.Unit
	}
	unit := int64(t.Unit / time.Second)
	past %= unit
	if past < 0 {
		past += unit
	}
	return time.Duration(past)*time.Second + part
}
