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
func (l *Lease) withSlack(tick int64) int64 { return l.withSlacks(tick, 1) }

// withSlacks adds n times as much.
func (l *Lease) withSlacks(tick, n int64) int64 {
	return l.within(ticks.Plus(tick, n*max(1, int64(l.cfg.Window/8/l.terms.Unit))))
}

// slacks is how many slacks the write of a burst adds, if so many writes in a row came before
// they were due, this one included. The number doubles up to 16: a long burst needs few writes.
func slacks(early int) int64 { return 1 << min(max(early-1, 0), 4) }

// untilReach is how long it takes until a renewal can reserve a tick.
func (l *Lease) untilReach(now Clock, tick int64) time.Duration {
	return ticks.Until(l.terms, now.Now.Add(l.cfg.reach()), tick)
}

// dueAfter sets when the hold is renewed next, and the tick at which the generator asks again.
// Renewals are due 3/8 to 1/2 Window apart, at random: a fleet that started at once would come
// back in step otherwise.
func (l *Lease) dueAfter(h *hold) {
	h.pause = l.cfg.Window/2 - time.Duration(l.chance(int64(l.cfg.Window/8)+1))
	pause := h.pause
	if h.unreserved() {
		pause = h.wait
	}
	h.renew = l.terms.TickAt(l.cfg.Now().Add(pause))
}

// floor is how long the write of a burst stays away from the last write, however often the
// generator asks. Where writes can be lost each reserves as far as it may, which only grows as
// time passes.
func (l *Lease) floor(h *hold) time.Duration {
	switch {
	case !l.cfg.DurableStore:
		return min(time.Second, l.cfg.Window/16)
	case h.early == 0:
		return 0
	}
	return min(100*time.Millisecond, l.cfg.Window/16)
}
