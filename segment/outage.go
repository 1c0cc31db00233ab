package segment

import "time"

// outage is what is known of attempts to take numbers that fail.
type outage struct {
	failed     error       // why the last attempt failed, nil if it did not
	failures   int         // attempts in a row that failed
	failedEver uint64      // attempts that failed, ever
	since      time.Time   // the first of those in a row
	heldThen   int64       // the numbers held then
	logged     stage       // the last stage that was logged
	retry      *time.Timer // pending; nil while there is none
}

// tellAfter is how long attempts fail before the log tells of it, unless half of what was left is
// used sooner, or what is left lasts less than a minute.
const tellAfter = 5 * time.Second

// A stage is how far failures have come. Each is logged once.
type stage int

const (
	fine  stage = iota
	begun       // attempts fail, and there are numbers left
	half        // half of those that were left when it began are left
	over        // none are left
)

// stage is how far the failures have come by now.
func (o *outage) stage(now time.Time, buffered int64, lasts time.Duration, known bool) stage {
	switch {
	case buffered == 0:
		return over
	case buffered <= o.heldThen/2:
		return half
	case now.Sub(o.since) >= tellAfter || known && lasts < time.Minute:
		return begun
	}
	return fine
}
