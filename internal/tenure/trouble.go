package tenure

import "time"

// The pauses between Extends without progress double, from minPause up to maxPause after a failure, and up to
// idlePause when the worker answers but has no more to give for now.
var minPause, idlePause, maxPause = 100 * time.Millisecond, 500 * time.Millisecond, 5 * time.Second

// Hasten has all tenures of a program pause for less than d: for tests in real time, before any generator is made.
func Hasten(d time.Duration) {
	minPause, idlePause, maxPause = min(minPause, d), min(idlePause, d), min(maxPause, d)
}

// trouble is the record of renewals that fail.
type trouble struct {
	err      error         // why the last renewal failed, nil if it did not
	total    uint64        // attempts that failed, ever
	attempts int64         // in a row
	since    time.Time     // when the first of them failed
	whole    time.Duration // how long the ticks lasted then
	spent    bool          // a call has failed for want of ticks, though some may be left by the clock
	logged   stage         // the stage that was logged last
	timer    *time.Timer   // for the next stage; nil before the first trouble
}

// A stage is how far trouble has developed. Each is logged once.
type stage int

const (
	fine  stage = iota
	begun       // a renewal has failed
	half        // half of the ticks that were left when it began are left
	over        // nothing is left
)

// add adds a renewal that failed.
func (r *trouble) add(err error, now time.Time, left time.Duration) {
	if r.err == nil {
		r.attempts, r.since, r.whole, r.spent = 0, now, left, false
	}
	r.err = err
	r.total++
	r.attempts++
}

// stage is how far the trouble has developed.
func (r *trouble) stage(left time.Duration) stage {
	switch {
	case r.err == nil:
		return fine
	case r.spent || left <= 0:
		return over
	case left <= r.whole/2:
		return half
	}
	return begun
}

// schedule sets the timer for the next stage, if there is one.
func (r *trouble) schedule(now stage, left time.Duration, report func()) {
	if r.timer != nil {
		r.timer.Stop()
	}
	next := left
	switch now {
	case fine, over:
		return
	case begun:
		next = left - r.whole/2
	}
	next = max(next, minPause) // a clock that stands still
	if r.timer == nil {
		r.timer = time.AfterFunc(next, report)
		return
	}
	r.timer.Reset(next)
}
