package lease

import (
	"time"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/ticks"
)

// reach is how far beyond the store's clock this owner may reserve, whatever the store can lose: a [Burn] by any other
// clock goes further.
func (l *lessee) reach(now storage.Clock) time.Duration { return Burn - l.apart(now) }

// apart is how far two clocks of the store can be apart: those of servers, or of clients.
func (l *lessee) apart(now storage.Clock) time.Duration { return max(l.cfg.MaxClockSkew, 2*now.Error) }

// target returns the last tick that a write reserves: 3/2 Window beyond the clock, or further if the
// generator asks for ticks up to through.
func (l *lessee) target(now storage.Clock, through, slacks int64) int64 {
	slack := slacks * max(1, int64(l.cfg.Window/8/l.terms.Unit)) // so that a burst needs fewer writes
	asked := max(l.tickAt(now, l.cfg.ahead()), ticks.Plus(through, slack))
	return min(asked, l.tickAt(now, l.reach(now)), l.terms.MaxTick)
}

// slacks is how many slacks the write of a burst adds, if so many writes in a row came before
// they were due, this one included. The number doubles up to 16: a long burst needs few writes.
func slacks(early int) int64 { return 1 << min(max(early-1, 0), 4) }

// schedule sets when the lease is due for a renewal, once a write at held.clock is acknowledged.
func (l *lessee) schedule(held *lease) {
	held.at = l.clock()
	// At random 3/8 to 1/2 Window: a fleet that started at once would come back in step otherwise.
	held.pause = l.cfg.Window/2 - time.Duration(l.chance(int64(l.cfg.Window/8)+1))
	held.more = ticks.Until(l.terms, held.clock.Now.Add(l.reach(held.clock)), max(held.reserved, held.before)+1)
	in, _ := l.due(held, held.reserved)
	held.renew = l.terms.TickAt(l.now().Add(in))
}

// due returns in how long the lease is to be written again, if its generator needs the ticks up to through, and why:
// early, because ticks are needed, or because pause is over. No write comes before it can reserve more, and in a burst
// none at once after the one before: a generator at the end of its reservation calls again and again.
func (l *lessee) due(held *lease, through int64) (in time.Duration, early bool) {
	since, after := l.clock().Sub(held.at), held.pause
	switch needs := held.unreserved() || through > held.reserved; {
	case !needs || since >= held.pause:
	case held.early > 0 && !held.unreserved():
		after = min(after, max(held.more, min(100*time.Millisecond, l.cfg.Window/16)))
	default:
		after = min(after, held.more)
	}
	return after - since, after < held.pause
}
