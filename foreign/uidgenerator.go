package foreign

import (
	"fmt"
	"math"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// A uidGenerator reads all that Baidu's UidGenerator makes, also after its time field was
// full. Its cached generator does not look whether it is: the seconds then run over into
// the sign, and UIDs are negative. Those of the original layout have been since
// 2024-11-20T13:24:16Z, and end on 2033-05-24, when they would begin anew at 0.
//
// A negative UID has the time that UidGenerator's own parseUID gives it. As signed numbers
// the negative ones are below all others, though they are younger, and a uid.UID refuses
// them: read such a column as an int64, and sort it as uint64.
type uidGenerator struct {
	layout bits.Layout
}

// original is that of the preset.
var original = uidGenerator{bits.MustParseLayout("uidgenerator")}

// newUidGenerator returns the format of a UidGenerator with other settings: timeBits,
// workerBits, seqBits, and epochStr, which Java reads in the zone of its JVM. It returns
// ErrConfig when the widths do not add up to 63, or ticks are not seconds.
func newUidGenerator(l bits.Layout) (uidGenerator, error) {
	if sum := l.TimeBits() + l.WorkerBits() + l.SequenceBits(); sum != 63 || l.Unit() != time.Second {
		return uidGenerator{}, fmt.Errorf("%w: a UidGenerator has 63 bits and ticks of a second, not %d bits and %v",
			uid.ErrConfig, sum, l.Unit())
	}
	return uidGenerator{l}, nil
}

func (g uidGenerator) Name() string   { return "uidgenerator" }
func (g uidGenerator) String() string { return g.Name() + " " + g.layout.String() }

// Layout returns the layout of the UIDs that are not negative.
func (g uidGenerator) Layout() bits.Layout { return g.layout }

// Fields returns time, worker and sequence. The time has one bit more than in the layout,
// the sign.
func (g uidGenerator) Fields() []uid.Field {
	return []uid.Field{{Name: "time", Bits: g.layout.TimeBits() + 1}, {Name: "worker", Bits: g.layout.WorkerBits()},
		{Name: "sequence", Bits: g.layout.SequenceBits()}}
}

// Parse takes id apart, negative or not. It never fails.
func (g uidGenerator) Parse(id int64) (Parts, error) {
	l := g.layout
	p, err := l.Parse(uid.UID(id & math.MaxInt64))
	if err != nil {
		return Parts{}, err // not of 63 bits
	}
	tick := int64(uint64(id) >> (l.WorkerBits() + l.SequenceBits()))
	return Parts{ID: id, Time: l.TimeOf(tick), Machine: p.WorkerID, Sequence: p.Sequence}, nil
}
