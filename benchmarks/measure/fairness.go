package measure

import (
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/uidgen/uid/benchmarks/subject"
)

// At the ceiling greedy goroutines draw as fast as they can, so that there is never a number left
// over, and callers ask for one now and then.
const (
	greedy    = 2
	callers   = 8
	callEvery = 50 * time.Millisecond
)

// ProcessorsUnit is how many processors a process kept busy.
const ProcessorsUnit = "processors"

// fairness times the calls of the callers. The percentiles are those of all rounds together: a call
// that waits for a second is rare, and a median of rounds would hide it.
func fairness(p Profile, _ []subject.Subject) []cell {
	var cells []cell
	for _, s := range subject.AtCeiling() {
		all := &crowd{waits: newCalls()}
		cells = append(cells, cell{
			name: "Fairness/subject=" + s.Name, estimate: p.FairFor + callEvery,
			measure: func(last bool) ([]result, error) {
				if err := all.compete(s, p.FairFor); err != nil || !last {
					return nil, err
				}
				return one(int(all.waits.TotalCount()), append(percentiles(all.waits),
					value(float64(all.drawn.Load())/all.took.Seconds(), "IDs/s"),
					value(float64(all.busy)/float64(all.took), ProcessorsUnit))...), nil
			},
		})
	}
	return cells
}

// A crowd is what those who compete for the numbers of one subject have seen.
type crowd struct {
	waits *hdrhistogram.Histogram // of the callers
	drawn atomic.Int64            // by all
	took  time.Duration
	busy  time.Duration // processor time
}

// compete lets them draw for d from a new source.
func (c *crowd) compete(s subject.Subject, d time.Duration) error {
	of := make([]*hdrhistogram.Histogram, callers)
	for i := range of {
		of[i] = newCalls()
	}
	var busy, took time.Duration
	err := with(s, greedy+callers, func(draw []subject.Drawer) (err error) {
		busy, took, err = processorTimeOf(func() error {
			// A caller that starves would wait until the greedy ones end, so they have to.
			var over atomic.Bool
			defer time.AfterFunc(d, func() { over.Store(true) }).Stop()
			_, err := together(greedy+callers, func(i int, began time.Time) (err error) {
				n := int64(0)
				defer func() { c.drawn.Add(n) }()
				for ; i < greedy && err == nil && !over.Load(); n++ {
					err = draw[i].Draw(1)
				}
				if i < greedy {
					return err
				}
				for due := callEvery * time.Duration(i-greedy) / callers; due < d && err == nil; due += callEvery {
					time.Sleep(due - time.Since(began)) // a call that took longer makes the next one late
					_, err = call(draw[i], of[i-greedy], began)
					n++
				}
				return err
			})
			return err
		})
		return err
	})
	c.took += took
	c.busy += busy
	for _, h := range of {
		c.waits.Merge(h)
	}
	return err
}
