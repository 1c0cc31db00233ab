package uncached

import (
	"context"
	"fmt"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/tenure"
)

// maxSleep is how long a sleep may be before the clock is looked at again. Timers run by
// a clock of their own: the wall clock may be set forward meanwhile, or the machine
// suspended.
const maxSleep = time.Second

// drawSlow brings a draw that could not take at once to an end.
func (g *Generator) drawSlow(ctx context.Context, n int64, wait bool) (uid.UID, int64, error) {
	var slept time.Duration // for the clock's sake
	for {
		gr, turn := g.tenure.Grant(), g.turn()
		if gr.Ended != nil {
			return 0, 0, gr.Ended
		}
		now := g.now()
		clock := g.tickAt(now)
		tick := clock
		u, n1, out := g.take(gr, tick, turn, n)
		if out == behind {
			if now = g.now(); g.tickAt(now) > clock {
				continue // see take: the mark may have been moved by a later reading
			}
			clock = g.tickAt(now)
			b := g.howFarBack(gr, clock, turn, now, slept)
			if b.newest > g.layout.MaxTick() {
				g.exhaust(gr)
				continue
			}
			g.report(b)
			var pause time.Duration
			var err error
			tick, pause, err = g.policy(g, b)
			if pause > 0 && wait {
				pause = min(pause, maxSleep)
				if err := g.sleep(ctx, pause); err != nil {
					return 0, 0, err
				}
				slept += pause
				continue
			}
			if err != nil {
				return 0, 0, err
			}
			u, n1, out = g.take(gr, tick, turn, n)
		}
		var err error
		switch out {
		case issued:
			return u, n1, nil
		case usedUp:
			switch {
			case tick == g.layout.MaxTick():
				g.exhaust(gr)
			case tick == clock:
				err = g.awaitTick(ctx, tick+1, now, wait)
			}
		case unreserved:
			if tick > g.layout.MaxTick() {
				g.exhaust(gr)
			} else {
				err = g.awaitReservation(ctx, gr, tick, wait)
			}
		}
		if err != nil {
			return 0, 0, err
		}
	}
}

// awaitTick sleeps until the clock may have entered a tick whose predecessor, now's own,
// is used up.
func (g *Generator) awaitTick(ctx context.Context, tick int64, now time.Time, wait bool) error {
	pause := g.layout.TimeOf(tick).Sub(now)
	if !wait {
		return g.usedUpError(tick-1, pause)
	}
	g.counts.usedUp.Add(1)
	return g.sleep(ctx, min(pause, maxSleep))
}

func (g *Generator) usedUpError(tick int64, pause time.Duration) error {
	return fmt.Errorf("%w: the sequence of tick %d is used up, up to %d; the next tick is %v away",
		uid.ErrRejectedTake, tick, g.layout.MaxSequence(), pause)
}

// sleep returns after d, or when the generator is closed, or with ctx's error.
func (g *Generator) sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-g.quit:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// awaitReservation waits until a grant that does not reach up to tick may have been
// replaced, or says why it could not be.
func (g *Generator) awaitReservation(ctx context.Context, gr *tenure.Grant, tick int64, wait bool) error {
	news, err := g.tenure.Await(gr, tick, g.wish(tick), wait)
	if err != nil || news == nil {
		return err
	}
	select {
	case <-news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// exhaust ends the generator because the time field is full: for good, even if the clock
// goes back.
func (g *Generator) exhaust(gr *tenure.Grant) {
	g.tenure.End(gr, fmt.Errorf("%w: the last tick of the layout %s was at %s",
		uid.ErrExhausted, g.layout, g.layout.Expires().Format(time.RFC3339Nano)))
}
