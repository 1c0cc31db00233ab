package bits

import (
	"fmt"
	"math"
	"time"

	"github.com/uidgen/uid"
)

// slack is how far from now a UID's time may be without raising doubt: generators borrow
// from the future, and clocks differ.
const slack = 24 * time.Hour

// Doubt says in a sentence why u was probably not made under l, seen from the time now: l cannot hold it, or its time
// is more than a day in the future, or more than a day ago and within the first day after the epoch, where UIDs of
// narrower layouts end up. It is empty otherwise.
func (l Layout) Doubt(u uid.UID, now time.Time) string {
	p, err := l.Parse(u)
	if err != nil {
		return err.Error()
	}
	switch ahead := p.Time.Sub(now); { // saturates at 292 years
	case ahead > slack:
		return fmt.Sprintf("its time, %s, is %s in the future: it may be of another layout", stamp(p.Time), span(ahead))
	case ahead < -slack && p.Time.Sub(l.epoch) < slack:
		return fmt.Sprintf("its time, %s, is only %v after the layout's epoch: it may be of another layout",
			stamp(p.Time), p.Time.Sub(l.epoch))
	}
	return ""
}

// span returns a duration of more than a day in words.
func span(d time.Duration) string {
	switch days := int64(d / (24 * time.Hour)); {
	case d == math.MaxInt64:
		return "more than 292 years"
	case days >= 2*365:
		return fmt.Sprintf("%d years", days/365)
	case days > 1:
		return fmt.Sprintf("%d days", days)
	default:
		return "a day"
	}
}
