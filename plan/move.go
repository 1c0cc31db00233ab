package plan

import (
	"fmt"
	"math/big"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// A Move is a change of the layout of one column's UIDs: From's workers make them until At, To's workers from then on.
type Move struct {
	From, To bits.Issuer
	// At is when the change happens. Zero is now.
	At time.Time
	// Lead is how far From's UIDs may be ahead of At: by running on, by borrowing from the future, and by clocks that
	// are off.
	Lead time.Duration
}

// A Cost is what a [Move] costs.
type Cost struct {
	// Ever says which numbers both can ever make; if nil, both may run at the same time.
	Ever *bits.Overlap
	// Repeats says which of those From (a) can have made by At and To (b) can make from then on.
	Repeats *bits.Overlap

	// Begun says that From can have made UIDs by At. Highest is the largest of them, the floor for To if nothing else
	// keeps the two apart. Full says that From has no ticks left at At.
	Begun   bool
	Highest uid.UID
	Full    bool
	// Lowest is the smallest UID that To makes from At on, without a floor.
	Lowest uid.UID

	// Above says that To makes only UIDs above all that From has made: no floor is needed, and who asks for id > last
	// misses nothing. Safe are the times from At on at which that holds, with bounds up to two ticks too strict.
	Above bool
	Safe  []Window

	// Passable says that To has UIDs above Highest. Passes is when the first tick begins whose UIDs all are: with
	// Highest as its floor a generator runs that far ahead of the clock, or waits.
	Passable bool
	Passes   time.Time
}

// A Window is a time from From (included) to To (excluded).
type Window struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Cost returns what m costs. It returns [uid.ErrRange] when an issuer is not one (see [bits.FindOverlap]), Lead is
// negative, or At is before To's epoch; and [uid.ErrExhausted] when To has no ticks left at At.
func (m Move) Cost() (Cost, error) {
	if m.At.IsZero() {
		m.At = time.Now()
	}
	m.At = m.At.UTC()
	ever, err := overlap(m.From, m.To)
	if err != nil {
		return Cost{}, err
	}
	if err := m.check(); err != nil {
		return Cost{}, err
	}
	before, after := m.From, m.To
	// The tick of At itself is still From's.
	if until := m.At.Add(m.Lead).Add(1); before.To.IsZero() || before.To.After(until) {
		before.To = until
	}
	if after.From.Before(m.At) {
		after.From = m.At
	}
	c := Cost{Ever: ever, Full: !m.At.Before(endOf(m.From.Layout))}
	made, err := overlap(after, after) // all that To makes
	if err != nil {
		return Cost{}, err
	}
	if made != nil {
		c.Lowest = made.First
	}
	end := endOf(m.To.Layout)
	if !after.To.IsZero() && after.To.Before(end) {
		end = after.To
	}
	if !before.From.Before(before.To) { // From begins after the switch
		return c.unbegun(m.At, end), nil
	}
	if made, err = overlap(before, before); err != nil {
		return Cost{}, err
	}
	if made == nil {
		return c.unbegun(m.At, end), nil
	}
	c.Begun, c.Highest = true, made.Last
	if c.Repeats, err = overlap(before, after); err != nil {
		return Cost{}, err
	}
	if made, err = overlap(m.From, m.From); err != nil {
		return Cost{}, err
	}
	c.Safe = m.safe(made.Last, end)
	c.Above = len(c.Safe) > 0 && c.Safe[0].From.Equal(m.At)
	to := m.To.Layout
	if tick := m.reaches(c.Highest); tick < to.MaxTick() && to.TimeOf(tick+1).Before(end) {
		c.Passable, c.Passes = true, to.TimeOf(tick+1)
		if c.Passes.Before(m.At) {
			c.Passes = m.At
		}
	}
	return c, nil
}

// check returns an error when the switch is at no time for it.
func (m Move) check() error {
	to := m.To.Layout
	switch {
	case m.Lead < 0:
		return fmt.Errorf("%w: a lead of %v is below 0", uid.ErrRange, m.Lead)
	case m.At.Before(to.Epoch()):
		return fmt.Errorf("%w: the switch is at %s, before the epoch %s of the new layout",
			uid.ErrRange, stamp(m.At), stamp(to.Epoch()))
	case !m.At.Before(endOf(to)):
		return fmt.Errorf("%w: the new layout %s is full at %s, before the switch at %s",
			uid.ErrExhausted, to, stamp(endOf(to)), stamp(m.At))
	}
	return nil
}

// unbegun returns c for a From that has made nothing by the switch.
func (c Cost) unbegun(at, end time.Time) Cost {
	c.Above, c.Safe = true, []Window{{at, end}}
	c.Passable, c.Passes = true, at
	return c
}

// endOf returns when the last tick of l ends.
func endOf(l bits.Layout) time.Time { return l.Expires().Add(l.Unit()) }

// overlap is bits.FindOverlap, with nil for none.
func overlap(a, b bits.Issuer) (*bits.Overlap, error) {
	o, found, err := bits.FindOverlap(a, b)
	if err != nil || !found {
		return nil, err
	}
	return &o, nil
}

// reaches returns the last tick of To whose UIDs are not all above floor.
func (m Move) reaches(floor uid.UID) int64 {
	lowest := uid.UID(m.To.FirstWorker) << m.To.Layout.SequenceBits() // of tick 0
	return int64(floor-lowest) >> tickShift(m.To.Layout)
}

func tickShift(l bits.Layout) int { return l.WorkerBits() + l.SequenceBits() }

// safe returns the times to switch at, from At to end, for which all of To is above all of
// From by then, whose last UID ever is last.
//
// Let T be the time, u the unit, e the epoch, s the tick's shift, w the least that To has
// below its tick, and h the most that From has. To's UIDs are above
//
//	((T − e)/u − 1)·2^s + w
//
// and From's are not above ((T + Lead − e)/u)·2^s + h, nor above last. With exact numbers
// each of the two makes a bound of T.
func (m Move) safe(last uid.UID, end time.Time) []Window {
	to, from := m.To.Layout, m.From.Layout
	uTo, uFrom := big.NewInt(int64(to.Unit())), big.NewInt(int64(from.Unit()))
	w := big.NewInt(m.To.FirstWorker << to.SequenceBits())
	h := big.NewInt(m.From.LastWorker<<from.SequenceBits() | from.MaxSequence())
	one := big.NewInt(1)
	pTo, pFrom := new(big.Int).Lsh(one, uint(tickShift(to))), new(big.Int).Lsh(one, uint(tickShift(from)))
	begin, finish := nanosecond(m.At), nanosecond(end)
	first := plus(nanosecond(to.Epoch()), uTo) // of the tick after To's first

	// Above what From has made by T: T·(kTo − kFrom) ≥ c.
	kTo, kFrom := times(pTo, uFrom), times(pFrom, uTo)
	c := plus(times(first, kTo), times(minus(big.NewInt(int64(m.Lead)), nanosecond(from.Epoch())), kFrom))
	c = plus(c, times(minus(h, w), times(uTo, uFrom)))
	lower, upper := begin, finish
	switch k := minus(kTo, kFrom); k.Sign() {
	case 1:
		lower = later(begin, ceilDiv(c, k))
	case -1:
		if most := plus(floorDiv(minus(new(big.Int), c), minus(new(big.Int), k)), one); most.Cmp(upper) < 0 {
			upper = most
		}
	case 0:
		if c.Sign() > 0 {
			upper = begin
		}
	}
	// Above all that From ever makes.
	beyond := later(begin, plus(first, ceilDiv(times(uTo, minus(big.NewInt(int64(last)), w)), pTo)))

	var all []Window
	add := func(from, to *big.Int) {
		if from.Cmp(to) < 0 {
			all = append(all, Window{atNanosecond(from), atNanosecond(to)})
		}
	}
	switch {
	case lower.Cmp(upper) >= 0: // the first is empty
	case upper.Cmp(beyond) < 0:
		add(lower, upper)
	case lower.Cmp(beyond) < 0: // they meet
		beyond = lower
	}
	add(beyond, finish)
	return all
}

func plus(a, b *big.Int) *big.Int     { return new(big.Int).Add(a, b) }
func minus(a, b *big.Int) *big.Int    { return new(big.Int).Sub(a, b) }
func times(a, b *big.Int) *big.Int    { return new(big.Int).Mul(a, b) }
func floorDiv(a, b *big.Int) *big.Int { return new(big.Int).Div(a, b) } // for b > 0
func ceilDiv(a, b *big.Int) *big.Int  { return floorDiv(plus(a, minus(b, big.NewInt(1))), b) }

func later(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// nanosecond returns t in nanoseconds since 1970, and atNanosecond the time of such a number.
func nanosecond(t time.Time) *big.Int {
	return plus(times(big.NewInt(t.Unix()), big.NewInt(1e9)), big.NewInt(int64(t.Nanosecond())))
}

func atNanosecond(ns *big.Int) time.Time {
	sec, rest := new(big.Int).DivMod(ns, big.NewInt(1e9), new(big.Int))
	return time.Unix(sec.Int64(), rest.Int64()).UTC()
}
