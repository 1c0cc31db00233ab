package bits

import (
	"fmt"
	"time"

	"github.com/uidgen/uid"
)

// First returns the smallest UID of the tick in which t falls; all UIDs of earlier ticks
// are smaller. It returns ErrRange when t is before the epoch or after the end of the time
// field.
func (l Layout) First(t time.Time) (uid.UID, error) {
	tick, err := l.tickOf(t)
	if err != nil {
		return 0, err
	}
	return l.Compose(tick, 0, 0)
}

// Range returns the smallest and the largest UID, both included, of the ticks that
// the time from (included) to to (excluded) touches. In SQL:
//
//	WHERE id BETWEEN lo AND hi
//
// If from or to lies inside a tick, the range covers that whole tick. It returns ErrRange
// when from is not before to, or either lies outside the time field.
//
// The time of a UID is that of its tick, not the instant of its creation. Generators may
// be ahead of the clock by their MaxLead and behind it by their MaxLag: widen the range by
// these to find every row created in it.
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

// Convert returns the UID that has the same time, worker ID and sequence in layout to as
// u has in layout from. Converting it back gives u: no two UIDs become one. It returns
// ErrRange when u does not belong to from, and when to cannot hold the same: no tick of
// it begins at just that time, or the worker ID or the sequence does not fit.
//
// A converted UID can still equal one that is made in layout to under the same worker ID.
// Convert ignores named parts of the worker ID.
func Convert(u uid.UID, from, to Layout) (uid.UID, error) {
	p, err := from.Parse(u)
	if err != nil {
		return 0, err
	}
	tick, err := to.tickOf(p.Time)
	if err != nil {
		return 0, fmt.Errorf("convert %d: %w", u, err)
	}
	if begin := to.TimeOf(tick); !begin.Equal(p.Time) {
		return 0, fmt.Errorf("convert %d: %w: its time %s lies within the tick that begins at %s",
			u, uid.ErrRange, stamp(p.Time), stamp(begin))
	}
	v, err := to.Compose(tick, p.WorkerID, p.Sequence)
	if err != nil {
		return 0, fmt.Errorf("convert %d: %w", u, err)
	}
	return v, nil
}
