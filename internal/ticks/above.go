package ticks

import (
	"fmt"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
)

// Above returns the first tick of l whose UIDs are all larger than u, under whatever worker ID: one after the tick
// that u has in l. u may be a number of any origin, such as the largest key of a column. Above returns ErrRange, with
// the numbers, when u is negative and when the layout has no such tick.
func Above(l bits.Layout, u uid.UID) (int64, error) {
	if u < 0 {
		return 0, fmt.Errorf("%w: UID %d is negative", uid.ErrRange, int64(u))
	}
	tick := int64(u) >> (l.WorkerBits() + l.SequenceBits())
	if tick >= l.MaxTick() {
		return 0, fmt.Errorf("%w: no tick of the layout %s is above UID %d: it lies in tick %d, the last one is %d",
			uid.ErrRange, l, int64(u), tick, l.MaxTick())
	}
	return tick + 1, nil
}
