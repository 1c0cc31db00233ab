package measure

import (
	"sync/atomic"
	"testing"
	"time"

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

// fairness times the calls of the callers, from a new source in each round.
func fairness(p Profile) (cells []cell) {
	for _, s := range subject.AtCeiling() {
		cells = append(cells, cell{
			name:    "subject=" + s.Name,
			measure: func(b *testing.B) (*histogram, error) { return compete(b, s, p.FairFor) },
		})
	}
	return cells
}

// compete returns the calls of the callers.
func compete(b *testing.B, s subject.Subject, d time.Duration) (calls *histogram, err error) {
	var drawn atomic.Int64 // by all
	err = with(s, greedy+callers, func(draw []subject.Drawer) error {
		busy, took, err := processorTimeOf(func() (err error) {
			// A caller that starves would wait until the greedy ones end, so they have to.
			var over atomic.Bool
			defer time.AfterFunc(d, func() { over.Store(true) }).Stop()
			calls, _, err = calling(greedy+callers,
				func(i int, h *histogram, began time.Time) (err error) {
					n := int64(0)
					defer func() { drawn.Add(n) }()
					for ; i < greedy && err == nil && !over.Load(); n++ {
						err = draw[i].Draw(1)
					}
					if i < greedy {
						return err
					}
					for due := callEvery * time.Duration(i-greedy) / callers; due < d && err == nil; due += callEvery {
						time.Sleep(due - time.Since(began)) // a call that took longer makes the next one late
						_, err = call(draw[i], h, began)
						n++
					}
					return err
				})
			return err
		})
		b.ReportMetric(float64(drawn.Load())/took.Seconds(), "IDs/s")
		b.ReportMetric(float64(busy)/float64(took), ProcessorsUnit)
		return err
	})
	return calls, err
}
