// Package ticks converts between durations and ticks, the units of a layout's time field. Nothing
// in it overflows: results that are too large become the largest value of their type.
//
// A unit is positive, and divides a second or is a multiple of one, as a layout's does.
package ticks

import (
	"math"
	"time"

	"github.com/uidgen/uid"
)

// Count returns the number of ticks in a duration, rounded up. It is 0 for a duration of 0 or
// less.
func Count(d, unit time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d-1)/unit) + 1
}

// Span returns how long n ticks are, where n is at least 0.
func Span(n int64, unit time.Duration) time.Duration {
	if n > int64(math.MaxInt64/unit) {
		return math.MaxInt64
	}
	return time.Duration(n) * unit
}

// Plus returns tick + n, where n is at least 0.
func Plus(tick, n int64) int64 {
	if tick > math.MaxInt64-n {
		return math.MaxInt64
	}
	return tick + n
}

// Lasting returns how long left ticks last where drawn of them went in the time over: one goes by with each
// unit at least.
func Lasting(left, drawn int64, over, unit time.Duration) time.Duration {
	if left <= 0 {
		return 0
	}
	span := Span(left, unit)
	sooner := float64(left) / float64(drawn) * float64(over)
	if drawn > int64(over/unit) && over > 0 && sooner < float64(span) {
		return time.Duration(sooner)
	}
	return span
}

// Until returns the time from now to the beginning of a tick, or 0 when that has passed.
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

// into returns how much of now's tick has passed. Unlike now.Sub it is right even centuries from
// the epoch.
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
