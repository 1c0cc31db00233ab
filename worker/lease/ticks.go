package lease

import (
	"time"

	"github.com/uidgen/uid/internal/ticks"
)

// tickAt returns the tick at d after the store's time.
func (l *Lease) tickAt(now Clock, d time.Duration) int64 { return l.terms.TickAt(now.Now.Add(d)) }

// within limits a tick to the layout's last one.
func (l *Lease) within(tick int64) int64 { return min(tick, l.terms.MaxTick) }

// withSlack adds to a tick that is asked for, so that a burst needs fewer writes.
func (l *Lease) withSlack(tick int64) int64 {
	return l.within(ticks.Plus(tick, max(1, int64(l.cfg.Window/8/l.terms.Unit))))
}

// untilReach is how long it takes until a renewal can reserve a tick.
func (l *Lease) untilReach(now Clock, tick int64) time.Duration {
	return ticks.Until(l.terms, now.Now.Add(l.cfg.reach()), tick)
}

// dueAfter sets the tick at which the generator asks again.
func (l *Lease) dueAfter(h *hold) {
	pause := l.cfg.Window / 2
	if h.limit == h.base {
		pause = h.wait
	}
	h.renew = l.terms.TickAt(l.cfg.Now().Add(pause))
}
