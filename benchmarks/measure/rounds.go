// Package measure measures subjects with go test -bench, whose output is in the Go benchmark
// format, which benchstat reads.
//
// It measures in rounds. Each round measures everything once, in an order of its own, so
// that a change in the machine's speed affects all subjects alike.
package measure

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A cell is what is measured once in each round.
type cell struct {
	name  string // in the results: "subject=xid/goroutines=8"
	procs int    // GOMAXPROCS; 0 leaves it as it is
	busy  int    // how many processors must be free for it; 0 if nobody looks
	// measure reports what it has found, and returns the calls that it has timed, nil if none.
	measure func(*testing.B) (*histogram, error)
}

// inRounds measures the cells in rounds, each in another order. The orders are the same in every run.
func inRounds(b *testing.B, rounds int, cells []cell) {
	for round := range rounds {
		for _, i := range rand.New(rand.NewPCG(uint64(round), 0)).Perm(len(cells)) {
			c := cells[i]
			c.procs = cmp.Or(c.procs, runtime.GOMAXPROCS(0))
			b.Run(fmt.Sprintf("round=%d/%s/gomaxprocs=%d", round+1, c.name, c.procs), c.run)
		}
	}
}

func (c cell) run(b *testing.B) {
	b.ReportMetric(0, "ns/op") // which says nothing: not shown
	var calls *histogram
	err := supervised.run(b, c.busy, func() (err error) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.procs))
		calls, err = c.measure(b)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	if calls != nil {
		percentiles(b, calls)
		name := strings.SplitN(b.Name(), "/", 3) // the second is the round
		of := name[0] + "/" + name[2]
		if pools[of] == nil {
			pools[of] = make(merged)
		}
		pools[of].add(calls)
	}
}

// pools are the calls of all rounds, by benchmark and cell.
var pools = make(map[string]merged)

// allRounds reports the calls that a benchmark has timed in all its rounds.
func allRounds(b *testing.B) {
	benchmark := strings.TrimSuffix(b.Name(), MergedSuffix) + "/"
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		if cell, is := strings.CutPrefix(name, benchmark); is {
			b.Run("round=all/"+cell, func(b *testing.B) {
				b.ReportMetric(0, "ns/op")
				percentiles(b, pools[name].histogram())
			})
		}
	}
}
