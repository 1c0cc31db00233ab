package bits

import (
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/tick"
)

// Expires returns the instant at which the last tick begins: one Unit later the layout is full.
func (l Layout) Expires() time.Time {
	return l.TimeOf(l.MaxTick())
}

// end is the instant at which the last tick ends.
func (l Layout) end() time.Time {
	return l.Expires().Add(l.unit)
}

// TickAt returns the tick in which t falls. It is negative before the epoch and not limited to MaxTick. With a unit
// below a second it is exact up to 292 years from the epoch.
func (l Layout) TickAt(t time.Time) int64 {
	return tick.At(l.epoch, l.unit, t)
}

// TimeOf returns the instant, in UTC, at which the given tick begins. It accepts ticks beyond the layout's as well;
// beyond what a time.Time can hold the result is meaningless.
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

// Time returns when the tick of u begins, in UTC, and ErrRange as Parse does.
func (l Layout) Time(u uid.UID) (time.Time, error) {
	tick, err := l.Tick(u)
	if err != nil {
		return time.Time{}, err
	}
	return l.TimeOf(tick), nil
}

// Terms returns what a generator of this layout tells its [uid.Worker], but for MaxLead and Revoke, which are the
// generator's.
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
