package uncached

import (
	"fmt"
	"math"
	"strconv"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/tenure"
)

// DefaultWait is a limit for [Wait] that bridges what a time service corrects in
// passing, and is soon over when there is more to it.
const DefaultWait = 10 * time.Millisecond

// The bounds of what Remember and RollbackBits take.
const (
	maxRemember     = 1 << 16
	maxRollbackBits = 10
)

// A Policy is what a generator does when the wall clock is behind the newest tick
// that UIDs were issued of, or before the first tick that its worker allows. It is
// made by [Logical], [Fail], [Wait], [Remember] or [RollbackBits]; the zero Policy is
// Logical().
//
// Every policy keeps UIDs unique while the generator lives, whatever the clock does.
// They differ in what they give up instead: order, the true time, or the call.
//
// A step back that stays within one tick cannot be seen, and does no harm: the tick's
// sequence goes on.
//
// After a restart nothing is left of what the generator knew. A clock that is behind
// the last UIDs of the process before is noticed by the worker or by nobody: one that
// keeps on disk or in a database how far ticks were reserved begins its reservation
// above that, and the policy then deals with the ticks below as stated for each. With
// a worker that keeps nothing (worker.Static, say) a clock set back over a restart
// can give the same UIDs again, under every policy.
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

// Logical goes on from the last tick: the clock of the UIDs stands still until the wall
// clock has caught up with it. When the tick's sequence is used up, the next tick is
// begun once as much real time has passed as it is long.
//
// Guarantees: UIDs are unique and strictly increasing; no call fails, and none waits but
// for the next tick when its own is used up, just as with a clock that goes right: the rate
// that the layout sustains stays the same. The time of a UID is never more than a tick ahead of what the
// clock would show had it not gone back (nor, at the start, been behind the worker's first
// tick), and the lead shrinks whenever fewer UIDs are drawn than the layout sustains.
//
// Costs: UIDs that carry a time ahead of the clock, for as long as the step back was;
// while that lasts a call reads the clock three times. A clock that was far in the
// future by mistake, even for one call, leaves the UIDs there.
//
// Across a restart: UIDs begin at the first tick that the worker allows, however far
// ahead of the clock it is. It is the only policy that starts at once with a worker
// whose reservations always begin somewhat ahead.
func Logical() Policy { return Policy{} }

// Fail fails the call, with a [uid.ClockBackError] that says how far back the clock is,
// for as long as it is behind.
//
// Guarantees: UIDs are unique and strictly increasing, and carry the very tick that the
// clock showed during the call.
//
// Costs: no UIDs until the clock has caught up. The least step back over the boundary of
// a tick fails calls; with ticks of a millisecond, expect time services to do that.
//
// Across a restart: calls fail until the clock has reached the first tick that the
// worker allows.
func Fail() Policy { return Policy{kind: kindFail} }

// Wait sleeps until the clock has caught up, if that takes no longer than limit, which
// has to be above 0 (see [DefaultWait]), and else fails at once as Fail does. A call
// whose clock goes back again while it sleeps does not wait longer than limit in all.
// GetUIDContext gives up when its context ends.
//
// Guarantees: those of Fail; and no call fails for a step back of up to limit, as long
// as the clock then goes on.
//
// Costs: each such step stalls all calls for as long as it was.
//
// Across a restart: the same, until the first tick that the worker allows.
func Wait(limit time.Duration) Policy { return Policy{kind: kindWait, limit: limit} }

// Remember keeps how far the sequences of the newest ticks were used, for a number of
// ticks that is a power of two from 2 to 65,536, so that after a step back each tick
// goes on where it stood. Further back calls fail, as under Fail, in each tick that had
// to be forgotten for a newer one, and go on in those that no UID was issued of.
//
// Guarantees: UIDs are unique and carry the very tick that the clock showed during the
// call. A step back of fewer than that many ticks fails no call, and delays none but those
// whose tick had been used up: they wait until the clock is in one that was not.
//
// Costs: UIDs made after a step back are smaller than those made before it; 8 bytes for
// each tick.
//
// Across a restart: nothing is remembered. Calls fail until the clock has reached the
// first tick that the worker allows.
func Remember(ticks int) Policy { return Policy{kind: kindRemember, n: ticks} }

// RollbackBits counts the steps back in the uppermost bits of the worker ID field,
// which are from 1 to 10 and no more than the field has: after each step the count is
// up by one, modulo 2^bits, and UIDs follow the clock. Only the rest of the field is left for worker
// IDs; larger ones are refused. The generator's Layout names the two parts of the field
// "rollback" and "worker". If the layout names parts itself, the first one has to be the
// rollback, with just as many bits. Under other policies, and in package cached, a layout
// with a part of that name is refused.
//
// Guarantees: UIDs are unique and carry the very tick that the clock showed during the
// call, through any number of steps back of any length, as long as no tick is visited
// under one count again: a step that would do so fails calls, as Fail does, until the
// clock is past what was used under that count. So 2^bits-1 steps back are always free.
//
// Costs: worker IDs, and order: UIDs made after a step back are smaller than those made
// before it.
//
// What the count tells of a UID is that its process had seen so many steps back by
// then, modulo 2^bits. It cannot tell how far or when the clock went back, nor whether
// two UIDs with the same count come from the same time between steps. The count begins
// at 0 with every start of the process.
//
// All generators that share worker IDs have to use the same number of bits, lest the
// count of one is the worker ID of another. The layout's text shows the number, so that
// a worker that compares it, such as lease.Lease, refuses a generator with another one.
//
// Across a restart: the count is forgotten. Calls fail until the clock has reached the
// first tick that the worker allows.
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

// layout returns l as the policy needs it: with the rollback bits named, which no other
// policy may do. Generators whose layouts have the same text thereby divide the worker ID
// field alike.
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
		if want := (bits.Field{Name: rollbackField, Bits: p.n}); fields[0] != want {
			return l, fmt.Errorf("uncached: %v: %w: the first named part of the layout %v is not %s:%d",
				p, uid.ErrConfig, l, want.Name, want.Bits)
		}
		return l, nil
	}
	fields := []bits.Field{{Name: rollbackField, Bits: p.n}}
	if rest := l.WorkerBits() - p.n; rest > 0 {
		fields = append(fields, bits.Field{Name: "worker", Bits: rest})
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

// lead is how far ahead of the clock ticks are asked for, beginning to beginning: what
// Generator.wish adds to a tick, and the tick by which Logical may be ahead.
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
