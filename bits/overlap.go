package bits

import (
	"fmt"
	"time"

	"github.com/uidgen/uid"
)

// An Issuer is a set of workers that make UIDs under a layout, perhaps only for a time. [Layout.Issuer] returns one of
// all workers for all time; narrow its fields.
type Issuer struct {
	Layout Layout
	// FirstWorker and LastWorker are the lowest and the highest worker ID, both included.
	FirstWorker, LastWorker int64
	// From (included) and To (excluded) bound the times of the UIDs; a tick that they touch counts as a whole. Zero
	// stands for the epoch, and for the end of the time field. Widen the bounds by what the generators may be ahead of
	// the clock, or behind it.
	From, To time.Time
}

// Issuer returns the issuer of all UIDs that l holds.
func (l Layout) Issuer() Issuer {
	return Issuer{Layout: l, LastWorker: l.MaxWorkerID()}
}

// An Overlap says which numbers two issuers, a and b, can both make.
type Overlap struct {
	// First and Last are the smallest and the largest such number.
	First, Last uid.UID
	// FirstA and LastA are their times under the layout of a, FirstB and LastB under that of b.
	FirstA, LastA, FirstB, LastB time.Time
}

// FindOverlap reports whether a and b can ever make the same number, and if so which, and when. It is exact. It returns
// ErrRange when a worker ID does not fit its layout, and when a range or a span of time ends before it begins. It takes
// some tens of microseconds.
func FindOverlap(a, b Issuer) (o Overlap, found bool, err error) {
	numbersA, someA, err := a.numbers()
	if err != nil {
		return Overlap{}, false, err
	}
	numbersB, someB, err := b.numbers()
	if err != nil || !someA || !someB {
		return Overlap{}, false, err
	}
	c := common{a: numbersA, b: numbersB}
	c.solve()
	if o.First, found = c.pick(0); !found {
		return Overlap{}, false, nil
	}
	o.Last, _ = c.pick(1)
	at := func(l Layout, u uid.UID) time.Time {
		return l.TimeOf(int64(u) >> ((l.workerBits + l.sequenceBits) & 63))
	}
	o.FirstA, o.LastA = at(a.Layout, o.First), at(a.Layout, o.Last)
	o.FirstB, o.LastB = at(b.Layout, o.First), at(b.Layout, o.Last)
	return o, true, nil
}

// numbers are those whose tick and worker ID each lie within bounds, with any sequence: the
// fields of lo are the lower bounds, those of hi the upper ones.
type numbers struct {
	lo, hi uint64
	shift  int // of the tick; the bits below it are worker ID and sequence
}

// numbers checks i and returns the numbers that it can make, and whether there are any.
func (i Issuer) numbers() (n numbers, some bool, err error) {
	l := i.Layout
	if l.IsZero() {
		return numbers{}, false, errZero
	}
	if i.FirstWorker < 0 || i.FirstWorker > i.LastWorker || i.LastWorker > l.MaxWorkerID() {
		return numbers{}, false, fmt.Errorf("%w: worker IDs %d to %d are no range within 0 and %d, "+
			"the most that %d/%d/%d bits hold",
			uid.ErrRange, i.FirstWorker, i.LastWorker, l.MaxWorkerID(), l.timeBits, l.workerBits, l.sequenceBits)
	}
	if !i.From.IsZero() && !i.To.IsZero() && !i.From.Before(i.To) {
		return numbers{}, false, fmt.Errorf("%w: the span begins at %s and ends at %s",
			uid.ErrRange, stamp(i.From), stamp(i.To))
	}
	first, last := int64(0), l.MaxTick()
	if !i.From.IsZero() && i.From.After(l.epoch) {
		if !i.From.Before(l.end()) {
			return numbers{}, false, nil
		}
		first = l.TickAt(i.From)
	}
	if !i.To.IsZero() && i.To.Before(l.end()) {
		if !i.To.After(l.epoch) {
			return numbers{}, false, nil
		}
		last = l.TickAt(i.To.Add(-1))
	}
	n.shift = int(l.workerBits + l.sequenceBits)
	n.lo = uint64(first)<<n.shift | uint64(i.FirstWorker)<<l.sequenceBits
	n.hi = uint64(last)<<n.shift | uint64(i.LastWorker)<<l.sequenceBits | (l.sequences - 1)
	return n, true, nil
}

// A bound says which bounds of its field the bits of a number have met so far: while all
// bits equal those of a bound, the next one must not pass it.
type bound uint8

const (
	atLo bound = 1 << iota
	atHi
	bounds = 4 // of them there are
)

// next returns the bound after a further bit, at position i, and whether the bit may be so.
func (n numbers) next(at bound, i int, bit uint64) (bound, bool) {
	if i+1 == n.shift {
		at = atLo | atHi // the worker ID begins
	}
	lo, hi := n.lo>>i&1, n.hi>>i&1
	if at&atLo != 0 && bit < lo || at&atHi != 0 && bit > hi {
		return 0, false
	}
	if bit != lo {
		at &^= atLo
	}
	if bit != hi {
		at &^= atHi
	}
	return at, true
}

// common finds the numbers that are among both a and b, bit by bit from the highest down.
type common struct {
	a, b numbers
	// can says for a position and the bounds met above it whether there are lower bits,
	// from the one below the position on, that make the number one of both.
	can [maxBits + 1][bounds][bounds]bool
}

// next returns the bounds after a further bit, at position i, and whether a number of both
// may have it.
func (c *common) next(a, b bound, i int, bit uint64) (nextA, nextB bound, ok bool) {
	nextA, okA := c.a.next(a, i, bit)
	nextB, okB := c.b.next(b, i, bit)
	return nextA, nextB, okA && okB && c.can[i][nextA][nextB]
}

// solve fills in can, from the lowest position up.
func (c *common) solve() {
	for a := range bound(bounds) {
		for b := range bound(bounds) {
			c.can[0][a][b] = true
		}
	}
	for i := range maxBits {
		for a := range bound(bounds) {
			for b := range bound(bounds) {
				for bit := range uint64(2) {
					if _, _, ok := c.next(a, b, i, bit); ok {
						c.can[i+1][a][b] = true
					}
				}
			}
		}
	}
}

// pick returns the smallest number of both if it is to prefer bits of 0, the largest if
// bits of 1, and whether there is any.
func (c *common) pick(prefer uint64) (u uid.UID, ok bool) {
	a, b := atLo|atHi, atLo|atHi
	if !c.can[maxBits][a][b] {
		return 0, false
	}
	for i := maxBits - 1; i >= 0; i-- {
		for _, bit := range [2]uint64{prefer, 1 - prefer} {
			if nextA, nextB, ok := c.next(a, b, i, bit); ok {
				a, b, u = nextA, nextB, u|uid.UID(bit)<<i
				break
			}
		}
	}
	return u, true
}
