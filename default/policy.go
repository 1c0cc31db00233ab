package uncached

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/tenure"
)

// DefaultWait is a limit for [Wait] that bridges a time service's usual corrections.
const DefaultWait = 10 * time.Millisecond

// The bounds of the arguments of Remember and RollbackBits.
const (
	maxRemember     = 1 << 16
	maxRollbackBits = 10
)

// A Policy is what a generator does when the wall clock is behind the newest tick from which UIDs were issued, or
// before the first tick that its worker allows, as it can be after a restart. Its zero value is Logical(); the
// package's table compares all.
//
// Every policy keeps UIDs unique while the generator lives, whatever the clock does.
type Policy struct {
	kind  kind
	limit time.Duration // of Wait
	n     int           // ticks of Remember, bits of RollbackBits
}

type kind uint8

const (
	kindLogical kind = iota
	kindFail
	kindWait
	kindRemember
	kindRollback
)

// Logical goes on from the last tick until the wall clock has caught up with it. When the tick's sequence is used up,
// calls wait until a tick's length of real time has passed, and the next tick begins.
//
// A UID's time is never more than a tick ahead of what the clock would show had it not gone back, or been behind the
// worker's first tick. A clock that was far in the future by mistake, even for one call, leaves the UIDs there. Only
// this policy starts at once where the worker's reservations begin ahead of the clock.
func Logical() Policy { return Policy{} }

// Fail fails the call, with a [uid.ClockBackError], for as long as the clock is behind. The least step back over the
// boundary of a tick fails calls; with ticks of a millisecond, expect time services to do that.
func Fail() Policy { return Policy{kind: kindFail} }

// Wait sleeps until the clock has caught up, if that takes no longer than limit in all, and else fails at once as
// [Fail] does. limit must be above 0 (see [DefaultWait]).
func Wait(limit time.Duration) Policy { return Policy{kind: kindWait, limit: limit} }

// Remember keeps how far the sequences of the newest ticks were used, so that after a step back each tick goes on where
// it stood. ticks is how many: a power of two from 2 to 65,536, of 8 bytes each. In a tick that was forgotten for a
// newer one, calls fail as under [Fail]. A call whose tick is used up waits until the clock is in one that is not. Over
// a restart nothing is remembered: calls fail until the clock has reached the worker's first tick.
func Remember(ticks int) Policy { return Policy{kind: kindRemember, n: ticks} }

// RollbackBits counts the steps back, modulo 2^bits, in the uppermost bits of the worker ID field: from 1 to 10 bits,
// and no more than the field has. A step that would visit a tick under the same count again fails calls, as [Fail]
// does, until the clock is past the ticks used under that count. The count begins at 0 with every start; then calls
// fail until the clock has reached the worker's first tick.
//
// Worker IDs too large for the rest of the field are refused. The generator's Layout names the parts "rollback" and
// "worker". If the layout names parts itself, the first must be the rollback, with just as many bits.
//
// All generators that share worker IDs must use the same number of bits, or the count of one could be the worker ID of
// another. Only a worker that compares the layout's text, such as lease.Lease, refuses another number.
func RollbackBits(bits int) Policy { return Policy{kind: kindRollback, n: bits} }

// String returns the policy as it is written in Go, such as "Wait(10ms)".
func (p Policy) String() string {
	switch p.kind {
	case kindFail:
		return "Fail()"
	case kindWait:
		return "Wait(" + p.limit.String() + ")"
	case kindRemember:
		return "Remember(" + strconv.Itoa(p.n) + ")"
	case kindRollback:
		return "RollbackBits(" + strconv.Itoa(p.n) + ")"
	}
	return "Logical()"
}

func (p Policy) check() error {
	switch {
	case p.kind == kindWait && p.limit <= 0:
		return fmt.Errorf("uncached: %v: %w: want a limit above 0", p, uid.ErrConfig)
	case p.kind == kindRemember && (p.n < 2 || p.n > maxRemember || p.n&(p.n-1) != 0):
		return fmt.Errorf("uncached: %v: %w: want a power of two from 2 to %d", p, uid.ErrConfig, maxRemember)
	case p.kind == kindRollback && (p.n < 1 || p.n > maxRollbackBits):
		return fmt.Errorf("uncached: %v: %w: want 1 to %d bits", p, uid.ErrConfig, maxRollbackBits)
	}
	return nil
}

// rollbackField is the name of the bits that count the steps back.
const rollbackField = tenure.RollbackField

// layout returns l as the policy needs it: with the rollback bits named, which no other policy may do. So generators
// whose layouts have the same text divide the worker ID field alike.
func (p Policy) layout(l bits.Layout) (bits.Layout, error) {
	if p.kind != kindRollback {
		if err := tenure.RefuseRollback(l.Fields()); err != nil {
			return l, fmt.Errorf("uncached: %v: %w", p, err)
		}
		return l, nil
	}
	if p.n > l.WorkerBits() {
		return l, fmt.Errorf("uncached: %v: %w: the layout %v has %d worker bits", p, uid.ErrConfig, l, l.WorkerBits())
	}
	if fields := l.Fields(); len(fields) > 0 {
		if want := (uid.Field{Name: rollbackField, Bits: p.n}); fields[0] != want {
			return l, fmt.Errorf("uncached: %v: %w: the first named part of the layout %v is not %s:%d",
				p, uid.ErrConfig, l, want.Name, want.Bits)
		}
		return l, nil
	}
	fields := []uid.Field{{Name: rollbackField, Bits: p.n}}
	if rest := l.WorkerBits() - p.n; rest > 0 {
		fields = append(fields, uid.Field{Name: "worker", Bits: rest})
	}
	return bits.NewLayout(bits.Config{
		TimeBits: l.TimeBits(), WorkerBits: l.WorkerBits(), SequenceBits: l.SequenceBits(),
		Epoch: l.Epoch(), Unit: l.Unit(), Fields: fields,
	})
}

// rollbackBits is how many of the worker bits count steps back.
func (p Policy) rollbackBits() int {
	if p.kind == kindRollback {
		return p.n
	}
	return 0
}

// lead is how far ahead of the clock the generator asks for ticks, beginning to beginning: what Generator.wish adds,
// and the tick by which Logical may be ahead.
func (p Policy) lead(unit time.Duration) time.Duration {
	lead := max(time.Second, unit)
	if p.kind == kindLogical {
		lead += min(unit, math.MaxInt64-lead)
	}
	return lead
}

// ticks is how many ticks' sequences are kept.
func (p Policy) ticks() int {
	if p.kind == kindRemember {
		return p.n
	}
	return 1
}

// A step is what a call does next.
type step struct {
	do    action
	tick  int64         // to take from, or to be reserved
	grant *tenure.Grant // that does not reach up to tick
	pause time.Duration // until there may be UIDs
	err   error         // to fail with; otherwise, for calls that do not wait
}

type action uint8

const (
	retry      action = iota // look at the clock again
	takeFrom                 // tick; policies alone say so
	fail                     // with err
	awaitClock               // it is behind: sleep, outside the queue
	awaitTick                // the sequence is used up: queue for the next tick
	awaitGrant               // the tick is not reserved: queue for another grant
)

// A reading is one of the clock.
type reading struct {
	grant    *tenure.Grant // in force before it
	rollback int64         // the count of steps back before it
	now      time.Time
	tick     int64 // of now
}

// A setback is a reading of a clock that is behind.
type setback struct {
	reading
	// newest is the newest tick used, or the first that may be if that is later. It is above tick, unless the policy
	// remembers several ticks.
	newest int64
	slept  time.Duration // how long this call has waited for the clock
}

func (g *Generator) howFarBack(r reading, slept time.Duration) setback {
	return setback{reading: r, newest: max(g.newest(), r.grant.First), slept: slept}
}

// untilTick is how long it takes until the clock reaches a tick.
func (g *Generator) untilTick(b setback, tick int64) time.Duration {
	return g.layout.TimeOf(tick).Sub(b.now)
}

// logEvery is the least time between two logs of a clock that is behind, on either level.
const logEvery = time.Minute

// aheadByWorker reports whether the worker's ticks began ahead of the clock, and the clock has not reached them.
func (g *Generator) aheadByWorker() bool { return g.ahead > 0 && time.Since(g.born) < g.ahead }

// report logs. After a restart within a tick the clock is behind by that: no fault of anybody's.
func (g *Generator) report(b setback) {
	level, logged, back := slog.LevelWarn, &g.counts.warned, g.untilTick(b, b.newest)
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

// A policy says what a call does next after a setback: takeFrom another tick, awaitClock, awaitTick or fail.
type policy func(g *Generator, b setback) step

func (p Policy) policy() policy {
	switch p.kind {
	case kindFail:
		return failBehind
	case kindWait:
		return p.waitBehind
	case kindRemember:
		return failForgotten
	case kindRollback:
		return countRollback
	}
	return keepToTick
}

func failBehind(g *Generator, b setback) step { return g.failStep(b, 0) }

// failStep fails a call whose policy would let the clock go back by limit.
func (g *Generator) failStep(b setback, limit time.Duration) step {
	return step{do: fail, err: &uid.ClockBackError{
		Now: b.now, Last: g.layout.TimeOf(b.newest), Back: g.untilTick(b, b.newest), Limit: limit,
	}}
}

func (p Policy) waitBehind(g *Generator, b setback) step {
	next := g.failStep(b, p.limit)
	if pause := g.untilTick(b, b.newest); b.slept+pause <= p.limit {
		next.do, next.pause = awaitClock, pause
	}
	return next
}

// failForgotten is for a tick that is no longer remembered. Remembered ones need no policy.
func failForgotten(g *Generator, b setback) step {
	return g.failBefore(b, max(b.grant.First, b.newest-g.markMask))
}

// failBefore fails a call because oldest is the oldest tick for which UIDs can still be made.
func (g *Generator) failBefore(b setback, oldest int64) step {
	return g.failStep(b, max(g.layout.TimeOf(b.newest).Sub(g.layout.TimeOf(oldest)), 0))
}

// countRollback counts a step back and goes on in the clock's tick, unless that or a later one was used under the
// new count.
func countRollback(g *Generator, b setback) step {
	g.mu.Lock()
	defer g.mu.Unlock()
	here := step{do: takeFrom, tick: b.tick}
	if g.marks[0].Load()&g.rollbackMask != b.rollback {
		return here // another call has done it; the next take checks
	}
	next := (b.rollback + g.seqMask + 1) & g.rollbackMask
	used := &g.used[next/(g.seqMask+1)]
	if b.tick < b.grant.First || b.tick <= *used {
		return g.failBefore(b, max(b.grant.First, *used+1))
	}
	g.rewindLocked(b.tick, next)
	return here
}

// rewindLocked goes on in a tick under another rollback count, under which nothing was issued from that tick on. The
// tick before may have been used under it: its mark says that it is used up.
func (g *Generator) rewindLocked(tick, rollback int64) {
	mark := &g.marks[0]
	for {
		at := mark.Load()
		if mark.CompareAndSwap(at, (tick-1)<<g.tickShift|rollback|g.seqMask) {
			g.used[at&g.rollbackMask/(g.seqMask+1)] = at >> g.tickShift
			return
		}
	}
}

// logicalTick is the tick that Logical has reached by real time, and when that began, by the monotonic clock.
// Generator.mu guards it.
type logicalTick struct {
	tick  int64
	began time.Duration
}

// keepToTick stays in the newest tick until its sequence is used up, and then goes on to the next, but no sooner than
// one unit after it began this one. A tick counts as begun at the latest when keepToTick first finds it used up.
func keepToTick(g *Generator, b setback) step {
	at := g.marks[0].Load()
	newest := at >> g.tickShift
	if newest < b.grant.First {
		return step{do: takeFrom, tick: b.grant.First}
	}
	if at&g.lowMask < g.seqMask {
		return step{do: takeFrom, tick: newest}
	}
	elapsed := time.Since(g.born)
	g.mu.Lock()
	defer g.mu.Unlock()
	l := &g.logical
	if l.tick == newest+1 {
		return step{do: takeFrom, tick: l.tick} // another call has opened it just now
	}
	if l.tick != newest {
		*l = logicalTick{tick: newest, began: elapsed}
	}
	if pause := l.began + g.unit - elapsed; pause > 0 {
		return step{do: awaitTick, pause: pause, err: g.usedUpError(newest, pause)}
	}
	l.tick++
	l.began += g.unit
	if elapsed-l.began >= g.unit {
		l.began = elapsed // idle time is not saved up
	}
	return step{do: takeFrom, tick: l.tick}
}

func (g *Generator) usedUpError(tick int64, pause time.Duration) error {
	return &usedUpError{tick, g.layout.MaxSequence(), pause}
}

// A usedUpError is an ErrRejectedTake. It is formatted when it is read: calls that wait do not read it.
type usedUpError struct {
	tick, sequence int64
	pause          time.Duration
}

func (e *usedUpError) Error() string {
	return fmt.Sprintf("%v: the sequence of tick %d is used up, up to %d; the next tick is %v away",
		uid.ErrRejectedTake, e.tick, e.sequence, e.pause)
}

func (e *usedUpError) Unwrap() error { return uid.ErrRejectedTake }
