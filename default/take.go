package uncached

import (
	"context"
	"errors"
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
	if g.queue.waiting.Load() > 0 {
		return g.drawSlow(ctx, n, wait)
	}
	gr, turn, hint := g.tenure.Grant(), g.turn(), g.adds.Load()
	tick, limit := g.clock.noted()
	if !serves(limit, time.Since(g.clock.born)) { // else it is what the next line returns, sooner
		tick = g.clock.tick()
	}
	if n == 1 && hint == 2*tick && tick >= gr.First && tick <= gr.Until {
		if u, ok := g.add(gr, tick); ok {
			return u, 1, nil
		}
	}
	u, n1, out := g.take(gr, tick, turn, n)
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
		} else if at&g.lowMask >= g.seqMask {
			return 0, 0, usedUp
		}
		taken := min(n, g.seqMask-next&g.seqMask+1)
		if !mark.CompareAndSwap(at, next+taken-1) {
			continue
		}
		if g.tenure.Grant() != gr {
			return 0, 0, outdated // the positions stay unused
		}
		g.beginAdds(tick)
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
	var w *waiter           // the call's place in the queue, once it waits for UIDs
	var slept time.Duration // for the clock's sake
	for {
		u, got, h := g.attempt(w, n, slept)
		err := h.err
		switch {
		case h.out == issued:
			return u, got, nil
		case h.out == outdated:
			continue
		case err != nil && (h.pause == 0 || !wait): // there is nothing to wait for, or nobody who waits
		case h.out == behind:
			h.pause = min(h.pause, maxSleep)
			err = g.sleep(ctx, h.pause, w)
			slept += h.pause
		case h.out == usedUp && !wait:
			err = g.usedUpError(h.tick, h.pause)
		case h.out == unreserved && !wait:
			err = g.awaitReservation(ctx, h, false, nil)
		case w == nil:
			w, err = g.queue.join(n), nil
			if h.out == usedUp {
				g.counts.usedUp.Add(1)
			}
			// The clock may have moved on before the call had its place.
		case !g.queue.isFirst(w):
			err = g.await(ctx, w)
		case h.out == usedUp:
			err = g.sleep(ctx, min(h.pause, maxSleep), w)
		default:
			err = g.awaitReservation(ctx, h, true, w)
		}
		if err != nil {
			return g.giveUp(w, err)
		}
	}
}

// A hurdle is why an attempt got nothing, or issued. If it is outdated, another attempt may get something at once.
type hurdle struct {
	out   outcome
	gr    *tenure.Grant // under which the tick was wanted
	tick  int64
	pause time.Duration // until there may be UIDs; 0 if no clock says when
	err   error         // for a call that does not pause, if it is known
}

var again = hurdle{out: outdated}

// attempt takes up to n positions in the clock's tick or, if that is behind, in the one that the policy chooses. w
// is the call's place in the queue, or nil.
func (g *Generator) attempt(w *waiter, n int64, slept time.Duration) (u uid.UID, got int64, h hurdle) {
	gr, turn := g.tenure.Grant(), g.turn()
	if gr.Ended != nil {
		return 0, 0, hurdle{out: unreserved, err: gr.Ended}
	}
	now := g.now()
	clock := g.tickAt(now)
	tick := clock
	u, got, out := g.takeInTurn(w, n, gr, tick, turn)
	if out == behind {
		// No call has the old tick from here on: else one that begins after a policy has
		// counted a step back could go on in that tick, and the step would count twice.
		if now = g.clock.look(); g.tickAt(now) > clock {
			return 0, 0, again // see take: a call with a later reading may have moved the mark
		}
		clock = g.tickAt(now)
		b := g.howFarBack(gr, clock, turn, now, slept)
		if b.newest > g.layout.MaxTick() {
			g.exhaust(gr)
			return 0, 0, again
		}
		g.report(b)
		var pause time.Duration
		var err error
		tick, pause, err = g.policy(g, b)
		switch {
		case errors.Is(err, uid.ErrRejectedTake):
			return 0, 0, hurdle{out: usedUp, pause: pause, err: err}
		case err != nil || pause > 0:
			return 0, 0, hurdle{out: behind, pause: pause, err: err}
		}
		u, got, out = g.takeInTurn(w, n, gr, tick, turn)
	}
	switch {
	case out == issued:
		return u, got, hurdle{}
	case out == usedUp && tick == g.layout.MaxTick(), out == unreserved && tick > g.layout.MaxTick():
		g.exhaust(gr)
	case out == usedUp && tick == clock:
		return 0, 0, hurdle{out: out, tick: tick, pause: max(g.layout.TimeOf(tick+1).Sub(now), time.Nanosecond)}
	case out == unreserved:
		return 0, 0, hurdle{out: out, gr: gr, tick: tick}
	}
	return 0, 0, again
}
