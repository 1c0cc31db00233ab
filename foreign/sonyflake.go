package foreign

import (
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/tick"
)

// A sonyflake reads the IDs of github.com/sony/sonyflake, versions 1 and 2: the time since a
// start, then the sequence, then the machine ID.
type sonyflake struct {
	// layout has the sequence where UIDs have the worker ID, and the machine ID where
	// they have the sequence.
	layout bits.Layout
}

const (
	sonyflakeBits        = 63
	sonyflakeLeastTime   = 32
	sonyflakeMostOther   = 30
	sonyflakeDefaultUnit = 10 * time.Millisecond
)

// The format of version 1 unless its StartTime is set (it is full in 2188), and of version 2 with its default settings.
var (
	sonyflakeV1 = mustSonyflake(time.Date(2014, time.September, 1, 0, 0, 0, 0, time.UTC))
	sonyflakeV2 = mustSonyflake(time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC))
)

// newSonyflake makes a Sonyflake of the layout of its fields. Sonyflake rounds its StartTime down to a multiple of its
// TimeUnit since 1970, and so does this.
func newSonyflake(l bits.Layout) (sonyflake, error) {
	t, s, m := l.TimeBits(), l.WorkerBits(), l.SequenceBits()
	if s < 1 || s > sonyflakeMostOther || m < 1 || m > sonyflakeMostOther ||
		t < sonyflakeLeastTime || t+s+m != sonyflakeBits {
		return sonyflake{}, fmt.Errorf("%w: a Sonyflake of %d/%d/%d bits of time, sequence and machine: "+
			"at least %d, 1 to %d and 1 to %[6]d, %d in all",
			uid.ErrConfig, t, s, m, sonyflakeLeastTime, sonyflakeMostOther, sonyflakeBits)
	}
	if l.Unit() < time.Millisecond {
		return sonyflake{}, fmt.Errorf("%w: a Sonyflake's unit of %v is below 1ms", uid.ErrConfig, l.Unit())
	}
	if parts := l.Fields(); len(parts) > 0 {
		return sonyflake{}, fmt.Errorf("%w: a Sonyflake has no named parts such as %s:%d",
			uid.ErrConfig, parts[0].Name, parts[0].Bits)
	}
	if start := roundDown(l.Epoch(), l.Unit()); start != l.Epoch() {
		rounded, err := bits.NewLayout(bits.Config{TimeBits: t, WorkerBits: s, SequenceBits: m, Unit: l.Unit(),
			Epoch: start})
		if err != nil {
			return sonyflake{}, fmt.Errorf("sonyflake: %w", err)
		}
		l = rounded
	}
	return sonyflake{l}, nil
}

func mustSonyflake(start time.Time) sonyflake {
	l := bits.MustLayout(bits.Config{TimeBits: 39, WorkerBits: 8, SequenceBits: 16, Unit: sonyflakeDefaultUnit,
		Epoch: start})
	return sonyflake{l}
}

// roundDown returns t, rounded down to a multiple of unit since 1970.
func roundDown(t time.Time, unit time.Duration) time.Time {
	tick := tick.At(time.Unix(0, 0), unit, t)
	if unit >= time.Second {
		return time.Unix(tick*int64(unit/time.Second), 0).UTC()
	}
	perSecond := int64(time.Second / unit)
	return time.Unix(tick/perSecond, tick%perSecond*int64(unit)).UTC()
}

func (s sonyflake) Name() string {
	if s == sonyflakeV2 {
		return "sonyflake2"
	}
	return "sonyflake"
}

func (s sonyflake) String() string { return s.Name() + " " + s.layout.String() }

// Layout returns the layout that has Sonyflake's sequence as worker ID, and its machine ID
// as sequence.
func (s sonyflake) Layout() bits.Layout { return s.layout }

// Fields returns time, sequence and machine.
func (s sonyflake) Fields() []uid.Field {
	return []uid.Field{{Name: "time", Bits: s.layout.TimeBits()}, {Name: "sequence", Bits: s.layout.WorkerBits()},
		{Name: "machine", Bits: s.layout.SequenceBits()}}
}

// Parse takes id apart. It returns ErrRange when id is negative.
func (s sonyflake) Parse(id int64) (Parts, error) {
	p, err := s.layout.Parse(uid.UID(id))
	if err != nil {
		return Parts{}, err
	}
	return Parts{ID: id, Time: p.Time, Machine: p.Sequence, Sequence: p.WorkerID}, nil
}
