package tenure

import (
	"time"

	"github.com/uidgen/uid/internal/ticks"
)

// A pace is how fast ticks are drawn, by the two latest marks. Tenure.mu guards it.
type pace struct{ before, latest mark }

// A mark is the newest tick from which a UID was issued, at some time.
type mark struct {
	at   time.Time
	tick int64
}

// between is the shortest time between two marks.
const between = 2 * time.Second

// mark notes what was drawn so far. No lock is held: the generator takes its own.
func (t *Tenure) mark() {
	if t.cfg.Newest == nil {
		return
	}
	now, newest := t.cfg.Now(), t.cfg.Newest()
	if newest < 0 {
		return // from -1 to the first tick is no pace
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &t.pace
	if passed := now.Sub(p.latest.at); passed < 0 || passed >= between {
		p.before, p.latest = p.latest, mark{now, newest}
	}
}

// leftLocked is how long the reserved ticks last: by the clock, or as they were drawn lately if that is sooner.
func (t *Tenure) leftLocked(now time.Time) time.Duration {
	held(&t.mu)
	until := t.grant.Load().Until
	if until < 0 {
		return 0
	}
	byClock := ticks.Until(t.cfg.Terms, now, until+1)
	p := t.pace
	if p.before.at.IsZero() || p.latest.tick < t.cfg.Terms.TickAt(now) {
		return byClock // it is not ahead of the clock
	}
	drawn, over := p.latest.tick-p.before.tick, p.latest.at.Sub(p.before.at)
	return min(byClock, ticks.Lasting(until-p.latest.tick, drawn, over, t.cfg.Terms.Unit))
}
