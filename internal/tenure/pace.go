package tenure

import (
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/ticks"
)

// A pace is how fast ticks are drawn, by its two latest samples.
type pace struct{ before, latest sample }

// A sample is the newest tick from which a UID was issued, at some time.
type sample struct {
	at   time.Time
	tick int64
}

// between is the shortest time between two samples.
const between = 2 * time.Second

// add adds a sample. From -1, before any UID, to the first tick is no pace.
func (p *pace) add(now time.Time, newest int64) {
	if passed := now.Sub(p.latest.at); newest >= 0 && (passed < 0 || passed >= between) {
		p.before, p.latest = p.latest, sample{now, newest}
	}
}

// left is how long the ticks up to until last: by the clock, or as they were drawn lately if that is sooner.
func (p *pace) left(t uid.Terms, until int64, now time.Time) time.Duration {
	if until < 0 {
		return 0
	}
	byClock := ticks.Until(t, now, until+1)
	if p.before.at.IsZero() || p.latest.tick < t.TickAt(now) {
		return byClock // it is not ahead of the clock
	}
	drawn, within := p.latest.tick-p.before.tick, p.latest.at.Sub(p.before.at)
	return min(byClock, ticks.Lasting(until-p.latest.tick, drawn, within, t.Unit))
}
