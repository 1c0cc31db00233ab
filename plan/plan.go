// Package plan finds layouts that are large enough: [Layouts] says which fit a [Need] and what each gives, or, if none
// fits, what to give up. [Move] says what a change of layouts costs.
package plan

import (
	"cmp"
	"fmt"
	"math"
	mathbits "math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/presets"
	"github.com/uidgen/uid/internal/tick"
)

// meanYear is the mean length of a calendar year, 365.25 days, the unit of Need.Years.
const meanYear = 8766 * time.Hour

// uidBits is the width of a UID without its sign.
const uidBits = 63

// usualWorkers is what Need.Workers stands for when it is zero. With as many IDs again for their
// successors that makes 16, the fewest of a preset (javascript).
const usualWorkers = 8

// jsSafeBits is the width of JavaScript's Number.MAX_SAFE_INTEGER.
const jsSafeBits = 53

const day = 24 * time.Hour

// Need is what a fleet of workers needs of a layout. Rate, Burst and RestartsPerDay are those of the busiest worker.
type Need struct {
	// Rate is how many UIDs a second each worker sustains, 0 to 1e12.
	Rate float64
	// Burst is how many UIDs may be drawn from a worker at once, in addition to Rate: 0 to 1e15, borrowed from the
	// future.
	Burst float64
	// Workers is how many run at the same time, up to 1e15. Zero is 8.
	Workers int64
	// RestartsPerDay is each worker's, 0 to 1e6.
	RestartsPerDay float64
	// Years is how long the layout must last from From on: more than 0, at most 250, of 365.25 days each.
	Years float64
	// JSSafe asks for UIDs of at most 53 bits, which a JavaScript number holds exactly.
	JSSafe bool

	// Epoch is the layouts' epoch; zero is 2026-01-01T00:00:00Z. From is when the years begin, not before Epoch; zero
	// is now.
	Epoch, From time.Time
	// MaxLead is the most that a burst may borrow. Zero is a day.
	MaxLead time.Duration
	// Hold is how long the leased worker ID of a dead worker stays out of use, quarantine included. Zero is an hour.
	Hold time.Duration
}

// An Option is a layout that fits a [Need], with what it gives.
type Option struct {
	// Name is the preset's name, "" for other layouts. A preset has its own epoch.
	Name   string
	Layout bits.Layout

	// Sustained is how many UIDs a second each worker can make.
	Sustained float64

	// WorkerIDs is how many there are, 0 included.
	WorkerIDs int64
	// DisposableRestarts is how many restarts of all workers together disposable worker IDs last.
	DisposableRestarts int64
	// DisposableDays is how many days they last from Need.From on. Disposable says whether that is all of Need.Years.
	DisposableDays float64
	Disposable     bool
	// LeasedRestartsPerDay is how many such restarts a day leased worker IDs allow.
	LeasedRestartsPerDay float64

	// Full is when the last tick begins.
	Full time.Time

	// Lead is how far a burst borrows, and GiveBack how long giving that back takes at Need.Rate.
	Lead, GiveBack time.Duration
}

// planUnits are the lengths of a tick, in milliseconds, that Layouts tries: all that divide a second.
// It always tries the first two, and the others, in case one just fits, until one does.
var planUnits = []time.Duration{1000, 1, 500, 250, 200, 125, 100, 50, 40, 25, 20, 10, 8, 5, 4, 2}

// Layouts returns layouts that fit n: presets first, then layouts that use all of the 63 (or 53) bits, with the spare
// bits given to all fields alike, or to the sequence, the worker ID or the time. A layout fits if
//
//   - each worker sustains Rate, and more if there is a Burst to give back;
//   - a Burst borrows no more than MaxLead, and is given back within a year;
//   - there are worker IDs for all workers and those on Hold, and with a bit to spare for twice as many as Workers;
//   - the time field is not full before From + Years, a burst at the end included.
//
// It returns a [*NoFitError] when no layout fits, and [uid.ErrConfig] when a number of n is out of its range.
func Layouts(n Need) ([]Option, error) {
	return layouts(n, time.Now())
}

func layouts(n Need, now time.Time) ([]Option, error) {
	n, err := n.complete(now)
	if err != nil {
		return nil, err
	}
	var options []Option
	add := func(name string, l bits.Layout) {
		o, ok := n.judge(l)
		o.Name = name
		same := func(o Option) bool { return o.Layout == l }
		if ok && !slices.ContainsFunc(options, same) {
			options = append(options, o)
		}
	}
	for _, p := range presets.Layouts() {
		if !p.Foreign {
			add(p.Name, bits.MustParseLayout(p.Name))
		}
	}
	found := false
	for i, ms := range planUnits {
		if i >= 2 && found {
			break
		}
		for _, w := range n.spread(ms * time.Millisecond) {
			found = true
			add("", bits.MustLayout(bits.Config{TimeBits: w[0], WorkerBits: w[1], SequenceBits: w[2], Epoch: n.Epoch,
				Unit: ms * time.Millisecond}))
		}
	}
	if len(options) == 0 {
		return nil, n.noFit()
	}
	return options, nil
}

// complete checks n and fills in the defaults.
func (n Need) complete(now time.Time) (Need, error) {
	n.Workers = cmp.Or(n.Workers, usualWorkers)
	for _, c := range []struct {
		what           string
		v, least, most float64
		from           string
	}{
		{"rate", n.Rate, 0, 1e12, "from 0"},
		{"burst", n.Burst, 0, 1e15, "from 0"},
		{"workers", float64(n.Workers), 1, 1e15, "from 1"},
		{"restarts per day", n.RestartsPerDay, 0, 1e6, "from 0"},
		{"years", n.Years, math.SmallestNonzeroFloat64, 250, "above 0"},
	} {
		if !(c.v >= c.least && c.v <= c.most) { // so that NaN fails
			return n, fmt.Errorf("%w: %s %v: it has to be %s and at most %v",
				uid.ErrConfig, c.what, c.v, c.from, c.most)
		}
	}
	if n.MaxLead < 0 || n.Hold < 0 {
		return n, fmt.Errorf("%w: a lead of %v and a hold of %v: neither may be below 0",
			uid.ErrConfig, n.MaxLead, n.Hold)
	}
	n.MaxLead, n.Hold = cmp.Or(n.MaxLead, day), cmp.Or(n.Hold, time.Hour)
	if n.Epoch.IsZero() {
		n.Epoch = bits.Default().Epoch()
	}
	if n.From.IsZero() {
		n.From = now
	}
	if n.Epoch.Unix() < 0 || n.Epoch.After(now) {
		return n, fmt.Errorf("%w: epoch %s is not within 1970 and the present, %s",
			uid.ErrConfig, stamp(n.Epoch), stamp(now))
	}
	if n.From.Before(n.Epoch) || n.From.Year() > 9999 {
		return n, fmt.Errorf("%w: the years begin at %s: not before the epoch %s, nor after the year 9999",
			uid.ErrConfig, stamp(n.From), stamp(n.Epoch))
	}
	return n, nil
}

// limit is how many bits there are.
func (n Need) limit() int {
	if n.JSSafe {
		return jsSafeBits
	}
	return uidBits
}

// judge returns what l gives for n, and whether l fits. All that Layouts returns has passed
// it.
func (n Need) judge(l bits.Layout) (Option, bool) {
	o := Option{Layout: l, WorkerIDs: l.MaxWorkerID() + 1, Full: l.Expires()}
	var ok bool
	if o.Sustained, o.Lead, o.GiveBack, ok = n.borrow(l.Unit(), l.SequenceBits()); !ok ||
		l.TimeBits()+l.WorkerBits()+l.SequenceBits() > n.limit() ||
		o.WorkerIDs < n.leasedIDs() ||
		l.Epoch().After(n.From) || o.Full.Before(n.end(o.Lead)) {
		return o, false
	}
	o.DisposableRestarts = max(0, o.WorkerIDs-1-n.Workers)
	o.DisposableDays = float64(o.Full.Sub(n.From)) / float64(day) // saturates at 292 years
	if perDay := float64(n.Workers) * n.RestartsPerDay; o.WorkerIDs-1 < n.Workers {
		o.DisposableDays = 0
	} else if perDay > 0 {
		o.DisposableDays = min(o.DisposableDays, float64(o.DisposableRestarts)/perDay)
	}
	o.Disposable = float64(o.WorkerIDs-1) >= n.starts()
	o.LeasedRestartsPerDay = float64(o.WorkerIDs-n.Workers) * float64(day) / float64(n.Hold)
	return o, true
}

// borrow returns how many UIDs a second one worker has with a sequence of that width, the lead of a burst, how
// long it takes to give it back, and whether that is enough for Rate and Burst.
func (n Need) borrow(unit time.Duration, sequenceBits int) (perSecond float64, lead, giveBack time.Duration, ok bool) {
	perSecond = math.Ldexp(float64(time.Second)/float64(unit), sequenceBits)
	if n.Burst == 0 {
		return perSecond, 0, 0, perSecond >= n.Rate
	}
	// Of perSecond UIDs that become due in a second, perSecond - Rate are left to give
	// back with; if none are, it takes +Inf.
	ahead := math.Ceil(math.Ldexp(n.Burst, -sequenceBits)) * float64(unit)
	back := ahead * (perSecond / (perSecond - n.Rate))
	ok = perSecond >= n.Rate && ahead <= float64(n.MaxLead) && back <= float64(meanYear)
	if !ok {
		return perSecond, 0, 0, false
	}
	return perSecond, time.Duration(ahead), time.Duration(math.Ceil(back)), true
}

// leasedIDs is how many worker IDs leases need: those at work and, on average,
// those on hold.
func (n Need) leasedIDs() int64 {
	onHold := float64(n.Workers) * n.RestartsPerDay * float64(n.Hold) / float64(day)
	return n.Workers + int64(math.Ceil(min(onHold, 1<<62)))
}

// starts is how many times workers start in all the years.
func (n Need) starts() float64 {
	return float64(n.Workers) * (1 + n.RestartsPerDay*n.Years*float64(meanYear)/float64(day))
}

// end is the time that the layout must reach.
func (n Need) end(lead time.Duration) time.Time {
	return n.From.Add(time.Duration(n.Years * float64(meanYear))).Add(lead)
}

// least returns the least widths that fit at the given unit. Their sum is the least as
// well: one more bit of sequence halves a burst's lead, which saves at most one bit of
// time. It reports false if no width of the sequence is enough.
func (n Need) least(unit time.Duration) (w widths, ok bool) {
	for s := range uidBits {
		_, lead, _, ok := n.borrow(unit, s)
		if !ok {
			continue
		}
		last := tick.At(n.Epoch, unit, n.end(lead).Add(unit-1)) // the first that does not begin before the end
		return widths{max(1, mathbits.Len64(uint64(last))), mathbits.Len64(uint64(n.leasedIDs() - 1)), s}, true
	}
	return w, false
}

// widths are the bits of time, worker ID and sequence.
type widths [3]int

func (w widths) sum() int { return w[0] + w[1] + w[2] }

// spread returns widths that fit at the given unit, with the spare bits given to all
// fields one after the other, or, as far as it makes sense, to the sequence, the worker ID or the
// time. It returns none if nothing fits.
func (n Need) spread(unit time.Duration) []widths {
	least, ok := n.least(unit)
	if !ok || least.sum() > n.limit() {
		return nil
	}
	if 1<<least[1] < 2*n.Workers && least.sum() < n.limit() {
		least[1]++ // so that all can be replaced before the ID of one is free
	}
	// More than a thousand years, 32 bits of sequence, or more worker IDs than starts
	// are of no use. Together the three have room for all 63 bits.
	disposable := math.Ilogb(n.starts()+1) + 1
	most := widths{mathbits.Len64(uint64(1000 * (meanYear / unit))), max(32, disposable), 32}
	var all []widths
	for _, favourite := range []int{-1, 2, 1, 0} {
		w := least
		for turn := 0; w.sum() < n.limit(); turn++ {
			if favourite >= 0 && w[favourite] < most[favourite] {
				w[favourite]++
			} else if f := 2 - turn%3; w[f] < most[f] {
				w[f]++
			}
		}
		all = append(all, w)
	}
	return all
}

// best returns the widths whose sum is the least at any unit, and the unit: 0 if no sequence is wide enough.
func (n Need) best() (w widths, unit time.Duration) {
	for _, ms := range planUnits {
		if v, ok := n.least(ms * time.Millisecond); ok && (unit == 0 || v.sum() < w.sum()) {
			w, unit = v, ms*time.Millisecond
		}
	}
	return w, unit
}

// fits reports whether any layout that Layouts can make fits.
func (n Need) fits() bool {
	w, unit := n.best()
	return unit > 0 && w.sum() <= n.limit()
}

// NoFitError is what [Layouts] returns when no layout fits. It wraps [uid.ErrConfig].
type NoFitError struct {
	// TimeBits, WorkerBits and SequenceBits are the least that each field needs, at the Unit for which their sum is
	// smallest. All four are 0 if no sequence is wide enough.
	TimeBits, WorkerBits, SequenceBits int
	Unit                               time.Duration
	// Limit is how many bits there are: 63, or 53.
	Limit int
	// GiveUp are changes each of which alone makes a layout fit.
	GiveUp []Change
}

// A Change is one number of a [Need], lowered until a layout fits.
type Change struct {
	// Text is, for example, "a rate of at most 131000 UIDs a second per worker".
	Text string
	// Need is the changed need.
	Need Need
}

func (e *NoFitError) Unwrap() error { return uid.ErrConfig }

func (e *NoFitError) Error() string {
	var b strings.Builder
	if e.Unit == 0 {
		fmt.Fprintf(&b, "%v: no layout holds: no sequence is wide enough for the burst", uid.ErrConfig)
	} else {
		fmt.Fprintf(&b,
			"%v: no layout holds: at ticks of %v it takes %d bits of time, %d of worker ID and %d of sequence, "+
				"%d in all of %d", uid.ErrConfig, e.Unit, e.TimeBits, e.WorkerBits, e.SequenceBits,
			e.TimeBits+e.WorkerBits+e.SequenceBits, e.Limit)
	}
	if len(e.GiveUp) == 0 {
		b.WriteString("; lowering one number is not enough, lower several")
	}
	separator := "; give up one of: "
	for _, c := range e.GiveUp {
		b.WriteString(separator + c.Text)
		separator = "; "
	}
	return b.String()
}

func (n Need) noFit() error {
	w, unit := n.best()
	e := &NoFitError{TimeBits: w[0], WorkerBits: w[1], SequenceBits: w[2], Unit: unit, Limit: n.limit()}
	if c := n; n.JSSafe {
		if c.JSSafe = false; c.fits() {
			e.GiveUp = append(e.GiveUp, Change{"numbers that are safe in JavaScript", c})
		}
	}
	for _, number := range []struct {
		from   float64
		digits int
		above0 bool // none is of no use
		text   string
		set    func(c *Need, v float64)
	}{
		{n.Rate, 3, true, "a rate of at most %.0f UIDs a second per worker", func(c *Need, v float64) { c.Rate = v }},
		{n.Burst, 3, false, "a burst of at most %.0f UIDs per worker", func(c *Need, v float64) { c.Burst = v }},
		{float64(n.Workers), 0, true, "at most %.0f workers",
			func(c *Need, v float64) { c.Workers = int64(max(1, v)) }},
		{n.RestartsPerDay, 3, false, "at most %v restarts a day per worker",
			func(c *Need, v float64) { c.RestartsPerDay = v }},
		{n.Years, 2, true, "at most %v years", func(c *Need, v float64) { c.Years = v }},
	} {
		c := n
		v := lower(number.from, number.digits, func(v float64) bool { number.set(&c, v); return c.fits() })
		number.set(&c, v)
		if (v > 0 || !number.above0) && c.fits() {
			e.GiveUp = append(e.GiveUp, Change{fmt.Sprintf(number.text, v), c})
		}
	}
	return e
}

// lower returns the largest number from 0 to v for which ok holds, 0 if there is none. If
// ok holds for a number, it must hold for all smaller ones. The result is rounded down to
// that many significant digits, or for 0 digits to a whole number.
func lower(v float64, digits int, ok func(float64) bool) float64 {
	low, high := 0.0, v
	for range 64 {
		if mid := low + (high-low)/2; ok(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	if digits == 0 {
		return math.Floor(low)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(low, 'e', -1, 64), "e")
	round, err := strconv.ParseFloat(mantissa[:min(len(mantissa), 1+digits)]+"e"+exponent, 64)
	if err != nil {
		panic(err) // not for a number that FormatFloat wrote
	}
	return round
}

// stamp is a time in an error text.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
