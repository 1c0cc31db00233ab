package lease

import (
	"time"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/ticks"
)

// tickAt returns the tick at d after the store's time.
func (l *lease) tickAt(now storage.Clock, d time.Duration) int64 {
	return l.terms.TickAt(now.Now.Add(d))
}

// within limits a tick to the layout's last one.
func (l *lease) within(tick int64) int64 { return min(tick, l.terms.MaxTick) }

// reach is how far beyond the store's clock this owner may reserve, whatever the store can lose: a [Burn] by any other
// clock goes further.
func (l *lease) reach(now storage.Clock) time.Duration {
	return Burn - max(l.cfg.MaxClockSkew, 2*now.Error)
}

// target returns the last tick that a write reserves: 3/2 Window beyond the clock, or further if the
// generator asks for ticks up to through.
func (l *lease) target(now storage.Clock, through, slacks int64) int64 {
	slack := slacks * max(1, int64(l.cfg.Window/8/l.terms.Unit)) // so that a burst needs fewer writes
	return l.within(min(max(l.tickAt(now, l.cfg.ahead()), ticks.Plus(through, slack)), l.tickAt(now, l.reach(now))))
}

// slacks is how many slacks the write of a burst adds, if so many writes in a row came before
// they were due, this one included. The number doubles up to 16: a long burst needs few writes.
func slacks(early int) int64 { return 1 << min(max(early-1, 0), 4) }

// untilMore is how long it takes until a write can reserve more than the ticks up to limit.
func (l *lease) untilMore(now storage.Clock, limit int64) time.Duration {
	return ticks.Until(l.terms, now.Now.Add(l.reach(now)), limit+1)
}

// dueAfter sets when the hold is renewed next, and the tick at which the generator asks again.
// Renewals are due 3/8 to 1/2 Window apart, at random: a fleet that started at once would come
// back in step otherwise.
func (l *lease) dueAfter(h *hold) {
	h.pause = l.cfg.Window/2 - time.Duration(l.chance(int64(l.cfg.Window/8)+1))
	pause := h.pause
	if h.unreserved() {
		pause = h.wait
	}
	h.renew = l.terms.TickAt(l.now().Add(pause))
}

// due reports whether to ask the store. A generator at the end of its reservation calls again and
// again.
func (l *lease) due(through int64) bool {
	h, since := l.hold, l.clock().Sub(l.hold.at)
	switch {
	case since >= h.pause:
		return true
	case h.unreserved():
		return since >= h.wait
	case through <= h.limit:
		return false
	case h.early > 0: // the write of a burst stays away from the one before
		return since >= max(h.wait, min(100*time.Millisecond, l.cfg.Window/16))
	}
	return since >= h.wait
}
