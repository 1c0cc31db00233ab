package bits

import (
	"fmt"
	"time"

	"github.com/uidgen/uid"
)

// First returns the smallest UID of the tick in which t falls; all UIDs of earlier ticks are smaller. It returns
// ErrRange when t is before the epoch or after the end of the time field.
func (l Layout) First(t time.Time) (uid.UID, error) {
	tick, err := l.tickOf(t)
	if err != nil {
		return 0, err
	}
	return l.Compose(tick, 0, 0)
}

// Range returns the smallest and the largest UID, both included, of the ticks that the time from (included) to to
// (excluded) touches. In SQL:
//
//	WHERE id BETWEEN lo AND hi
//
// It returns ErrRange when from is not before to, or either lies outside the time field.
//
// Generators may be ahead of the clock by their MaxLead and behind it by their MaxLag: widen the range by these to find
// every row created in it.
func (l Layout) Range(from, to time.Time) (lo, hi uid.UID, err error) {
	if !from.Before(to) {
		return 0, 0, fmt.Errorf("%w: the range begins at %s and ends at %s", uid.ErrRange, stamp(from), stamp(to))
	}
	if lo, err = l.First(from); err != nil {
		return 0, 0, err
	}
	last, err := l.tickOf(to.Add(-1))
	if err != nil {
		return 0, 0, err
	}
	hi, err = l.Compose(last, l.MaxWorkerID(), l.MaxSequence())
	return lo, hi, err
}

// tickOf is TickAt for times that the time field can hold. It compares times, since ticks
// of a nanosecond would wrap for a time centuries away.
func (l Layout) tickOf(t time.Time) (int64, error) {
	if end := l.end(); t.Before(l.epoch) || !t.Before(end) {
		return 0, fmt.Errorf("%w: time %s is not within %s and %s, which the layout %s covers",
			uid.ErrRange, stamp(t), stamp(l.epoch), stamp(end), l)
	}
	return l.TickAt(t), nil
}
