package segment

import (
	"math"
	"time"
)

// A pace is how fast numbers are drawn, by the two latest marks.
type pace struct{ before, latest mark }

type mark struct {
	at     time.Time
	issued uint64
}

// shortest is the shortest time by which a pace is judged.
const shortest = time.Second

// mark notes how many numbers were issued. Marks that are close to each other count as one.
func (p *pace) mark(now time.Time, issued uint64) {
	if !p.latest.at.IsZero() && now.Sub(p.latest.at) < shortest {
		return
	}
	p.before, p.latest = p.latest, mark{now, issued}
}

// rate returns how many numbers are drawn a second; false when too little is known.
func (p *pace) rate(now time.Time, issued uint64) (float64, bool) {
	from := p.latest
	if now.Sub(from.at) < shortest && !p.before.at.IsZero() {
		from = p.before
	}
	passed := now.Sub(from.at)
	if from.at.IsZero() || passed < shortest {
		return 0, false
	}
	return float64(issued-from.issued) / passed.Seconds(), true
}

// lasts returns how long n numbers last at the present rate; false when too little is known, or
// when they last for ever.
func (p *pace) lasts(now time.Time, issued uint64, n int64) (time.Duration, bool) {
	rate, known := p.rate(now, issued)
	if !known || rate <= 0 {
		return 0, false
	}
	return time.Duration(min(float64(n)/rate*float64(time.Second), math.MaxInt64/2)), true
}
