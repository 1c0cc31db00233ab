package backfill

import (
	"fmt"
	"iter"
	"math/bits"
	"time"

	"github.com/uidgen/uid"
)

// Spread returns n UIDs of the ticks of from to that of to, both included, in ascending order of their ticks and as
// evenly as can be. Each UID is made when the loop asks for it. The sequence ends with the first error, one that At
// would return for the time of the UID's tick, or [uid.ErrRange] when from is after to, n is negative or the ticks
// cannot hold n.
func (g *Generator) Spread(from, to time.Time, n int64) iter.Seq2[uid.UID, error] {
	return func(yield func(uid.UID, error) bool) {
		first, count, err := g.spread(from, to, n)
		if err != nil {
			yield(0, err)
			return
		}
		for i := range n {
			// i · count / n, in 128 bits
			hi, lo := bits.Mul64(uint64(i), uint64(count))
			step, _ := bits.Div64(hi, lo, uint64(n))
			u, err := g.At(g.layout.TimeOf(first + int64(step)))
			if !yield(u, err) || err != nil {
				return
			}
		}
	}
}

// spread returns the first tick and the number of ticks of a Spread.
func (g *Generator) spread(from, to time.Time, n int64) (first, count int64, err error) {
	if from.After(to) || n < 0 {
		return 0, 0, fmt.Errorf("backfill: %w: %d UIDs from %s to %s", uid.ErrRange, n, stamp(from), stamp(to))
	}
	if from.Before(g.begin) || !to.Before(g.end) {
		return 0, 0, fmt.Errorf("backfill: %w: %s to %s is not within the run's times, from %s to before %s",
			uid.ErrRange, stamp(from), stamp(to), stamp(g.begin), stamp(g.end))
	}
	first = g.layout.TickAt(from)
	count = g.layout.TickAt(to) - first + 1
	if hi, lo := bits.Mul64(uint64(count), uint64(g.levels.capacity)); hi == 0 && lo < uint64(n) {
		return 0, 0, fmt.Errorf("backfill: %w: %d UIDs from %s to %s: the %d ticks have %d", uid.ErrRange, n,
			stamp(from), stamp(to), count, lo)
	}
	return first, count, nil
}
