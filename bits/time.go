package bits

import (
	"time"

	"github.com/uidgen/uid"
)

// Expires returns the instant at which the last tick of the time field begins; it
// is the latest time that a UID can carry. One Unit later no UID can be made any
// more. For the default layout it is 2034-07-04 21:24:15 UTC.
func (l Layout) Expires() time.Time {
	return l.TimeOf(l.MaxTick())
}

// end is the instant at which the last tick is over. (There may be no number for
// the tick that would begin then.)
func (l Layout) end() time.Time {
	return l.Expires().Add(l.unit)
}

// TickAt returns the tick in which t falls. It is negative before the epoch and
// not limited to MaxTick: a clock may be anywhere. It is exact for times up to 292
// years from the epoch, whatever the unit; with a unit of a second or more, for
// all times.
func (l Layout) TickAt(t time.Time) int64 {
	return uid.TickAt(l.epoch, l.unit, t)
}

// TimeOf returns the instant, in UTC, at which the given tick begins. Every tick
// of the layout has one. Ticks beyond are not refused: they are counted on as far
// as a time.Time reaches, and the result is meaningless from there.
func (l Layout) TimeOf(tick int64) time.Time {
	if l.unit >= time.Second {
		return time.Unix(l.epoch.Unix()+tick*int64(l.unit/time.Second), int64(l.epoch.Nanosecond())).UTC()
	}
	if l.unit <= 0 {
		return l.epoch // the zero Layout
	}
	perSecond := int64(time.Second / l.unit)
	return time.Unix(l.epoch.Unix()+tick/perSecond, int64(l.epoch.Nanosecond())+tick%perSecond*int64(l.unit)).UTC()
}

// Terms returns what a generator of this layout tells its [uid.Worker]. MaxLead
// and Revoke are left zero, for the generator to fill in.
func (l Layout) Terms() uid.Terms {
	return uid.Terms{
		Layout:      l.String(),
		Epoch:       l.epoch,
		Unit:        l.unit,
		MaxTick:     l.MaxTick(),
		MaxWorkerID: l.MaxWorkerID(),
	}
}

// stamp is a time in an error text or a layout's.
func stamp(t time.Time) string {
	return t.UTC().Format(time.RFC3339Nano)
}
