package uncached

import (
	"context"
	"log/slog"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/tenure"
	"github.com/uidgen/uid/internal/tick"
)

// A setback is a reading of a clock that is behind.
type setback struct {
	now  time.Time // what the clock shows,
	tick int64     // and its tick
	turn int64     // read before the clock was
	// newest is the newest tick used, or the first that may be if that is later. It
	// is above tick, unless the policy remembers several ticks.
	newest, first int64
	slept         time.Duration // how long this call has waited for the clock
}

func (g *Generator) howFarBack(gr *tenure.Grant, tick, turn int64, now time.Time, slept time.Duration) setback {
	return setback{
		now: now, tick: tick, turn: turn,
		newest: max(g.newest(), gr.First), first: gr.First,
		slept: slept,
	}
}

// behind is how long it takes until the clock reaches a tick.
func (g *Generator) behind(b setback, tick int64) time.Duration {
	return g.layout.TimeOf(tick).Sub(b.now)
}

func (g *Generator) setbackError(b setback, limit time.Duration) error {
	return &uid.ClockBackError{
		Now: b.now, Last: g.layout.TimeOf(b.newest), Back: g.behind(b, b.newest),
		Limit: limit,
	}
}

// farthest is how far the clock could have gone back, if tick is the oldest for which UIDs
// can still be made.
func (g *Generator) farthest(b setback, tick int64) time.Duration {
	return max(g.layout.TimeOf(b.newest).Sub(g.layout.TimeOf(tick)), 0)
}

// logEvery is the least time between two logs of a clock that is behind, on either level.
const logEvery = time.Minute

// report counts and logs. A clock that is behind by a tick at most is no fault of anybody's: so it is after
// each restart within a tick.
func (g *Generator) report(b setback) {
	if g.ahead > 0 && time.Since(g.born) < g.ahead {
		return // the worker has said so
	}
	g.counts.behind.Add(1)
	level, logged, back := slog.LevelWarn, &g.counts.warned, g.behind(b, b.newest)
	if back <= g.layout.Unit() {
		level, logged = slog.LevelDebug, &g.counts.noted
	}
	at := int64(time.Since(g.born)) + 1 // never 0
	last := logged.Load()
	if last != 0 && at-last < int64(logEvery) || !logged.CompareAndSwap(last, at) {
		return
	}
	g.cfg.Logger.Log(context.Background(), level, "uid: the clock is behind", "back", back, "now", b.now,
		"last", g.layout.TimeOf(b.newest), "policy", g.cfg.ClockBack.String())
}

// A policy says how to go on after a setback: with a take of another tick; or after a pause,
// or with an error if the call does not pause; or, without a pause, with an error.
type policy func(g *Generator, b setback) (tick int64, pause time.Duration, err error)

func (p Policy) policy() policy {
	switch p.kind {
	case kindFail:
		return failBehind
	case kindWait:
		return p.waitBehind
	case kindRemember:
		return failForgotten
	case kindRollback:
		return turnBack
	}
	return keepToTick
}

func failBehind(g *Generator, b setback) (int64, time.Duration, error) {
	return 0, 0, g.setbackError(b, 0)
}

func (p Policy) waitBehind(g *Generator, b setback) (int64, time.Duration, error) {
	pause := g.behind(b, b.newest)
	if b.slept+pause > p.limit {
		return 0, 0, g.setbackError(b, p.limit)
	}
	return 0, pause, g.setbackError(b, p.limit)
}

// failForgotten is for a tick that is no longer remembered. Remembered ones need no policy.
func failForgotten(g *Generator, b setback) (int64, time.Duration, error) {
	return 0, 0, g.setbackError(b, g.farthest(b, max(b.first, b.newest-g.markMask)))
}

func (g *Generator) tickAt(now time.Time) int64 { return tick.At(g.epoch, g.unit, now) }
