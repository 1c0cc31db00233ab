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

// layout returns l as the policy needs it: with the rollback bits named, which no other
// policy may do. So generators whose layouts have the same text divide the worker ID field
// alike.
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

// lead is how far ahead of the clock the generator asks for ticks, beginning to beginning:
// what Generator.wish adds to a tick, and the tick by which Logical may be ahead.
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
