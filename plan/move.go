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

	// Above says that To makes only UIDs above all that From has made: no floor is needed, and a reader that asks for
	// id > last misses nothing. Safe are the times from At on at which that holds, with bounds up to two ticks too
	// strict.
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
	m.At = m.At.Round(0).UTC()
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
	end := endOf(m.To.Layout)
	if !after.To.IsZero() && after.To.Before(end) {
		end = after.To
	}
	c := Cost{Ever: ever, Full: !m.At.Before(endOf(m.From.Layout))}
	all, err := overlap(after, after)
	if err != nil {
		return Cost{}, err
	}
	if all != nil {
		c.Lowest = all.First
	}
	if before.From.Before(before.To) {
		if all, err = overlap(before, before); err != nil {
			return Cost{}, err
		}
		c.Begun = all != nil
	}
	if !c.Begun {
		c.Above, c.Safe, c.Passable, c.Passes = true, []Window{{m.At, end}}, true, m.At
		return c, nil
	}
	c.Highest = all.Last
	if c.Repeats, err = overlap(before, after); err != nil {
		return Cost{}, err
	}
	if all, err = overlap(m.From, m.From); err != nil {
		return Cost{}, err
	}
	c.Safe = m.safe(all.Last, end)
	c.Above = len(c.Safe) > 0 && c.Safe[0].From.Equal(m.At)
	c.Passes, c.Passable = m.passes(c.Highest, end)
	return c, nil
}

// passes returns when the first tick of To begins, from At on and before its end, whose UIDs are all above highest.
func (m Move) passes(highest uid.UID, end time.Time) (at time.Time, ok bool) {
	to := m.To.Layout
	lowest := uid.UID(m.To.FirstWorker) << to.SequenceBits() // of tick 0
	tick := int64(highest-lowest) >> shift(to)               // the last whose UIDs are not all above highest
	if tick >= to.MaxTick() || !to.TimeOf(tick+1).Before(end) {
		return time.Time{}, false
	}
	if at = to.TimeOf(tick + 1); at.Before(m.At) {
		at = m.At
	}
	return at, true
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

// endOf returns when the last tick of l ends.
func endOf(l bits.Layout) time.Time { return l.Expires().Add(l.Unit()) }

// shift is how many bits of a UID are below its tick.
func shift(l bits.Layout) int { return l.WorkerBits() + l.SequenceBits() }

// overlap is bits.FindOverlap, with nil for none.
func overlap(a, b bits.Issuer) (*bits.Overlap, error) {
	o, found, err := bits.FindOverlap(a, b)
	if err != nil || !found {
		return nil, err
	}
	return &o, nil
}

// safe returns the times to switch at, from At to end, for which all of To is above all of
// From by then, whose last UID ever is last.
//
// Let T be the time, u the unit, e the epoch, s the tick's shift, w the least that To has
// below its tick, and h the most that From has. To's UIDs are above
//
//	((T − e)/u − 1)·2^s + w
//
// and From's are not above ((T + Lead − e)/u)·2^s + h, nor above last. All three are straight lines, so
// that the first is above either of the others before or after one time.
func (m Move) safe(last uid.UID, end time.Time) (all []Window) {
	to, from := m.To.Layout, m.From.Layout
	least, most := m.To.FirstWorker<<to.SequenceBits(), m.From.LastWorker<<from.SequenceBits()|from.MaxSequence()
	made := func(at time.Time) *big.Rat { return line(from, at, m.Lead, most) }
	ever := func(time.Time) *big.Rat { return new(big.Rat).SetInt64(int64(last)) }
	for _, high := range []func(at time.Time) *big.Rat{made, ever} {
		w := span(func(at time.Time) bool { return line(to, at, -to.Unit(), least).Cmp(high(at)) >= 0 }, m.At, end)
		switch {
		case !w.From.Before(w.To): // never
		case len(all) > 0 && !all[0].To.Before(w.From): // they meet, and this one lasts to the end
			if w.From.Before(all[0].From) {
				all[0].From = w.From
			}
			all[0].To = w.To
		default:
			all = append(all, w)
		}
	}
	return all
}

// line returns the number that a layout's ticks reach a while after a time, if the number grows evenly.
func line(l bits.Layout, at time.Time, after time.Duration, plus int64) *big.Rat {
	nanosecond := func(t time.Time) *big.Int {
		ns := new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(1e9))
		return ns.Add(ns, big.NewInt(int64(t.Nanosecond())))
	}
	since := new(big.Int).Sub(nanosecond(at), nanosecond(l.Epoch()))
	since.Add(since, big.NewInt(int64(after))).Lsh(since, uint(shift(l)))
	r := new(big.Rat).SetFrac(since, big.NewInt(int64(l.Unit())))
	return r.Add(r, new(big.Rat).SetInt64(plus))
}

// span returns the times from begin to end at which a rule holds that changes once at most.
func span(holds func(time.Time) bool, begin, end time.Time) Window {
	first, before, after := holds(begin), begin, end
	for after.Sub(before) > 1 {
		// (A layout may last longer than a Duration.)
		mid := time.Unix(before.Unix()+(after.Unix()-before.Unix())/2, 0).UTC()
		if !mid.After(before) || !mid.Before(after) {
			mid = before.Add(after.Sub(before) / 2)
		}
		if holds(mid) == first {
			before = mid
		} else {
			after = mid
		}
	}
	if first {
		return Window{begin, after}
	}
	return Window{after, end}
}
