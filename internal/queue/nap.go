package queue

import "time"

// LongestNap is how long a nap may be. Sleep for what is beyond that by a timer: it ends early enough.
const LongestNap = time.Millisecond

// Nap sleeps for d, at most LongestNap, without oversleeping by much, and reports whether that time has passed. If not,
// the caller has to wait by other means: the system has no better sleep than a timer, or it is not real time
// that passes, as in a bubble of testing/synctest. Nothing can wake it. Its goroutine occupies a
// thread meanwhile, and no processor.
//
// Go's timers oversleep: on Linux the runtime waits for them in whole milliseconds, so that an idle
// process that sets a timer for the last 100 µs of a tick finds 900 µs of the next one gone. A
// generator whose ticks are milliseconds would leave a part of every other one unused.
func Nap(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	began := time.Now()
	return d <= LongestNap && nap(d) && time.Since(began) >= d
}
