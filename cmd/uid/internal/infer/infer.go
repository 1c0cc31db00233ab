// Package infer finds the layout of IDs by the times at which their rows were made.
//
// An ID that begins with a time is its time field, in ticks since an epoch, times 2^shift, and something below. Where
// shift and tick are right, a row's time less the field's is the epoch, and some moments more that the row was written
// later. Where they are wrong the differences are spread over much of the time between the rows. So the widths of the
// field and the tick are those by which the differences are closest.
package infer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/presets"
)

// ErrUnclear is returned where the rows do not tell the layout.
var ErrUnclear = errors.New("the rows do not tell the layout")

// A Row is an ID and when it was made, as far as that is known.
type Row struct {
	ID int64
	At time.Time
}

// A Result is what rows tell of the layout of their IDs.
type Result struct {
	Layout bits.Layout
	// Name is that of a preset that is the same, or empty. Without one the layout has no worker ID: times do not tell
	// where that ends and the sequence begins.
	Name string
	// Zone is how far the rows' times are from UTC if the layout is the preset.
	Zone time.Duration
	// Spread is how far apart the epochs are that single rows tell.
	Spread time.Duration
}

const (
	minRows = 3
	// slack is how much later than its ID a row may be made: whole seconds, and a transaction that takes a moment.
	slack = 5 * time.Second
	// maxShift leaves the time 16 bits.
	maxShift = 47
)

// units are the ticks in use.
var units = []time.Duration{
	time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute,
}

// A candidate is a shift and a tick, and the epochs that they give.
type candidate struct {
	shift          int
	unit           time.Duration
	earliest, last time.Time
}

func (c candidate) spread() time.Duration { return c.last.Sub(c.earliest) }

// Layout returns the layout of the rows' IDs. It returns ErrUnclear, with the reason, when there are fewer than three
// rows, when they are too close to one another, and when the IDs do not begin with a time.
func Layout(rows []Row) (Result, error) {
	if len(rows) < minRows {
		return Result{}, fmt.Errorf("%w: %d of them are too few, there have to be %d", ErrUnclear, len(rows), minRows)
	}
	for _, r := range rows {
		if r.ID < 0 {
			return Result{}, fmt.Errorf("%w: the ID %d is below 0", ErrUnclear, r.ID)
		}
	}
	span := between(rows)
	var all []candidate
	for shift := range maxShift + 1 {
		for _, unit := range units {
			if c, ok := try(rows, span, shift, unit); ok {
				all = append(all, c)
			}
		}
	}
	// The tick counts: where the rows' times are exact, each millisecond of a tick of a second is as good.
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(a.spread()+a.unit, b.spread()+b.unit) })
	switch {
	case len(all) == 0:
		return Result{}, fmt.Errorf("%w: by no width of a time field do the IDs rise with the times, over %v",
			ErrUnclear, span)
	case len(all) > 1 && all[1].spread()-all[0].spread() < slack:
		return Result{}, fmt.Errorf("%w: they lie within %v, and a time of %d bits of %v fits as well as one of "+
			"%d bits of %v; add rows that are days older", ErrUnclear, span,
			63-all[0].shift, all[0].unit, 63-all[1].shift, all[1].unit)
	}
	return all[0].result()
}

// try tells whether all rows give about the same epoch.
func try(rows []Row, span time.Duration, shift int, unit time.Duration) (c candidate, ok bool) {
	c = candidate{shift: shift, unit: unit}
	varies := false
	for i, r := range rows {
		ticks := r.ID >> shift
		if ticks > int64(200*365*24*time.Hour/unit) {
			return c, false // no generator's epoch is 200 years ago
		}
		varies = varies || ticks != rows[0].ID>>shift
		epoch := r.At.Add(-time.Duration(ticks) * unit)
		if i == 0 || epoch.Before(c.earliest) {
			c.earliest = epoch
		}
		if i == 0 || epoch.After(c.last) {
			c.last = epoch
		}
	}
	return c, varies && c.spread() <= slack+unit+span/10
}

func between(rows []Row) time.Duration {
	at := func(a, b Row) int { return a.At.Compare(b.At) }
	return slices.MaxFunc(rows, at).At.Sub(slices.MinFunc(rows, at).At)
}

// result names the layout if it is a known one.
func (c candidate) result() (Result, error) {
	if c.spread() > slack+c.unit {
		return Result{}, fmt.Errorf("%w: the best, a time of %d bits of %v, is up to %v beside the rows' times",
			ErrUnclear, 63-c.shift, c.unit, c.spread())
	}
	r := Result{Spread: c.spread()}
	for _, p := range presets.Layouts() {
		l := bits.MustParseLayout(p.Name)
		if l.Unit() != c.unit || l.WorkerBits()+l.SequenceBits() != c.shift {
			continue
		}
		zone := c.earliest.Sub(l.Epoch()).Round(15 * time.Minute)
		if off := c.earliest.Sub(l.Epoch()) - zone; off.Abs() <= slack && zone.Abs() <= 14*time.Hour {
			if zone == 0 || r.Name == "" {
				r.Layout, r.Name, r.Zone = l, p.Name, zone
			}
			if zone == 0 {
				return r, nil
			}
		}
	}
	if r.Name != "" {
		return r, nil
	}
	// People choose a midnight, which is a full quarter of an hour in all zones. Others are found to a second or two.
	epoch := c.earliest.Round(time.Second)
	if quarter := epoch.Round(15 * time.Minute); quarter.Sub(epoch).Abs() <= 2*time.Second {
		epoch = quarter
	}
	l, err := bits.NewLayout(bits.Config{
		TimeBits: 63 - c.shift, SequenceBits: c.shift, Unit: c.unit, Epoch: epoch,
	})
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnclear, err)
	}
	r.Layout = l
	return r, nil
}
