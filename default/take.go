package uncached

import (
	"context"
	"math/rand/v2"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/tenure"
)

// outcome says what became of a take.
type outcome uint8

const (
	issued     outcome = iota
	usedUp             // the tick's sequence is used up
	behind             // the mark, or the first tick that may be issued, is beyond the tick
	unreserved         // the tick is beyond the last one that may be issued
	outdated           // the grant or the turn is another one by now: look at the clock again
)

// draw returns the first of up to n consecutive UIDs, and how many they are, at least
// one. With wait false it fails where it would have to wait.
func (g *Generator) draw(ctx context.Context, n int64, wait bool) (uid.UID, int64, error) {
	gr, turn := g.tenure.Grant(), g.turn()
	u, n1, out := g.take(gr, g.tickAt(g.now()), turn, n)
	if out != issued {
		return g.drawSlow(ctx, n, wait)
	}
	return u, n1, nil
}

// turn returns the count of steps back, in its place in a mark. Read it before the clock.
func (g *Generator) turn() int64 {
	if g.turnMask == 0 {
		return 0
	}
	return g.marks[0].Load() & g.turnMask
}

// take takes up to n positions of a tick in a given turn, and turns them into UIDs under a
// grant that was read before. A mark holds the newest position taken. It only goes up,
// except when another turn starts, so a call that moves it owns the positions that it
// moved over.
//
// The clock is read before the mark. So a mark beyond the tick need not mean that the clock
// went back: another call may have read the clock later and been quicker. Only another
// reading of the clock, after this, can tell.
func (g *Generator) take(gr *tenure.Grant, tick, turn, n int64) (uid.UID, int64, outcome) {
	if tick < gr.First {
		return 0, 0, behind
	}
	if tick > gr.Until {
		return 0, 0, unreserved
	}
	mark := &g.marks[tick&g.markMask]
	for {
		at := mark.Load()
		if at&g.turnMask != turn {
			return 0, 0, outdated
		}
		newest := at >> g.tickShift
		if tick < newest {
			return 0, 0, behind
		}
		next := at + 1
		if tick > newest {
			next = tick<<g.tickShift | turn | g.sequenceStart()
		} else if at&g.seqMask == g.seqMask {
			return 0, 0, usedUp
		}
		taken := min(n, g.seqMask-next&g.seqMask+1)
		if !mark.CompareAndSwap(at, next+taken-1) {
			continue
		}
		if g.tenure.Grant() != gr {
			return 0, 0, outdated // the positions stay unused
		}
		if tick > newest && tick >= gr.Renew {
			g.tenure.Want(g.wish(tick))
		}
		return uid.UID(next&^g.seqMask<<g.idShift | gr.WorkerID<<g.seqBits | next&g.seqMask), taken, issued
	}
}

// wish returns the tick up to which to ask the worker to reserve when tick is needed: about
// a second's worth.
func (g *Generator) wish(tick int64) int64 {
	return min(tick+max(1, int64(time.Second/g.unit)), g.layout.MaxTick())
}

// sequenceStart returns the sequence with which a tick begins.
func (g *Generator) sequenceStart() int64 {
	if !g.cfg.RandomStart || g.seqMask == 0 {
		return 0
	}
	return rand.Int64N((g.seqMask + 1) / 2)
}

// drawSlow completes a draw that could not take at once.
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
				continue // see take: a call with a later reading may have moved the mark
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
