// Package tick numbers the units of a layout's time field.
package tick

import "time"

// At returns the number of whole units between epoch and at, rounded down: it is
// negative before the epoch. Unit must be positive, and divide a second or be a
// multiple of one, as a layout's does. Unlike time.Time.Sub, At does not saturate
// after 292 years.
func At(epoch time.Time, unit time.Duration, at time.Time) int64 {
	sec := at.Unix() - epoch.Unix()
	nsec := int64(at.Nanosecond() - epoch.Nanosecond())
	if nsec < 0 {
		sec, nsec = sec-1, nsec+int64(time.Second)
	}
	if unit >= time.Second {
		unitSec := int64(unit / time.Second)
		q := sec / unitSec
		if sec%unitSec < 0 {
			q--
		}
		return q
	}
	return sec*int64(time.Second/unit) + nsec/int64(unit)
}
