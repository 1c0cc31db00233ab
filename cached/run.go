package cached

import (
	"time"

	"github.com/uidgen/uid/internal/queue"
)

// run tends the ring between calls: it moves the ring on when the clock has left it
// behind, shuts it when nobody draws, and wakes calls that wait for the clock. It sleeps
// without a timer while the ring is shut and nobody waits.
func (g *Generator) run() {
	defer close(g.done)
	timer := time.NewTimer(g.patienceFrom(g.now()))
	defer timer.Stop()
	for {
		timedOut := false
		select {
		case <-g.quit:
			return
		case <-g.wake:
		case <-timer.C:
			timedOut = true
		}
		g.mu.Lock()
		after, rejected := g.tend(timedOut)
		waiting := g.queue.Waiting() > 0
		g.mu.Unlock()
		if rejected >= 0 && g.cfg.OnRejectedPut != nil {
			g.handlers.Call("OnRejectedPut", func() { g.cfg.OnRejectedPut(rejected) })
		}
		switch {
		case after < 0:
			timer.Stop()
		case !waiting:
			timer.Reset(after)
		case queue.Nap(after):
			timer.Reset(0)
		default:
			// Timers may oversleep, and with short ticks much of the next one would be
			// gone: the last of the time is for a nap.
			if after > queue.LongestNap {
				after -= queue.LongestNap
			}
			timer.Reset(after)
		}
	}
}

// tend is one turn of run's loop. g.mu is held. It returns how long run may sleep, or a
// negative duration for "until woken", and the tick that the ring rejected, or -1.
func (g *Generator) tend(timedOut bool) (after time.Duration, rejected int64) {
	s := &g.state
	if g.closed() || s.parked {
		return -1, -1
	}
	if timedOut && g.queue.Waiting() == 0 && g.ring.Position() == s.seen {
		// Nobody drew since the last look. The next taker reads the clock itself, so its
		// UID is of its own time, and this goroutine need not wake until then.
		g.park()
		return -1, -1
	}
	now := g.now()
	if rejected = g.refill(now); rejected >= 0 {
		g.counts.rejectedPuts.Add(1)
	}
	if at := g.ring.Tick(g.ring.Position()); g.floor.Load() != allStale {
		g.setFloor(g.floorAt(now, at))
	}
	s.seen = g.ring.Position()
	if g.queue.Waiting() > 0 {
		return g.untilNextTick(), rejected
	}
	return g.patienceFrom(now), rejected
}

// park shuts an idle ring. Everything that Lanes hold becomes stale.
func (g *Generator) park() {
	g.ring.Shut()
	g.setFloor(allStale)
	g.state.parked = true
}

// patienceFrom returns the time from now to the tick at which to look at the ring again.
// It ends at the boundary of a tick: just after that the ring can move to a tick that has
// only begun.
func (g *Generator) patienceFrom(now time.Time) time.Duration {
	return g.until(g.tickAt(now)+g.patience, now)
}

// untilNextTick returns how long it is until the steady clock leaves the tick that the
// last refill used. (A new reading might already be in the next tick, and the waiting
// calls would miss it.)
func (g *Generator) untilNextTick() time.Duration {
	steady := g.state.steady
	return g.until(g.tickAt(steady)+1, steady)
}

func (g *Generator) until(tick int64, now time.Time) time.Duration {
	return max(g.layout.TimeOf(tick).Sub(now), time.Nanosecond)
}

// kick wakes run.
func (g *Generator) kick() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}
