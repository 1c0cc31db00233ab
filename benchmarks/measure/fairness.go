package measure

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
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

// fairness times the calls of the callers. The percentiles are those of all rounds together: a call
// that waits for a second is rare, and a median of rounds would hide it.
func fairness(p Profile) []Task {
	var cells []Task
	for _, s := range subject.AtCeiling() {
		cells = append(cells, fairCell(p, s))
	}
	return inRounds(p.Rounds, cells)
}

// fairCell returns a task to be run once in each round. The last one records.
func fairCell(p Profile, s subject.Subject) Task {
	all := &crowd{waits: hdrhistogram.New(1, longest, 3)}
	round := 0
	return Task{
		Phase: "fairness", Estimate: p.FairFor + callEvery,
		Run: func(r *Recorder) error {
			if err := all.compete(s, p.FairFor); err != nil {
				return fmt.Errorf("fairness of %s: %w", s.Name, err)
			}
			if round++; round < p.Rounds {
				return nil
			}
			values := append(percentiles(all.waits),
				value(float64(all.drawn)/all.took.Seconds(), "IDs/s"),
				value(float64(all.busy)/float64(all.took), ProcessorsUnit))
			return r.record("Fairness/subject="+s.Name, runtime.GOMAXPROCS(0), int(all.waits.TotalCount()), values...)
		},
	}
}

// ProcessorsUnit is how many processors a process kept busy.
const ProcessorsUnit = "processors"

// A crowd is what those who compete for the numbers of one subject have seen.
type crowd struct {
	waits *hdrhistogram.Histogram // of the callers
	drawn int64                   // by all
	took  time.Duration
	busy  time.Duration // processor time
}

// compete lets them draw for d from a new source.
func (c *crowd) compete(s subject.Subject, d time.Duration) (err error) {
	src, err := s.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	if err := src.Drawer().Draw(1); err != nil {
		return err
	}
	before, err := processorTime()
	if err != nil {
		return err
	}
	var (
		drawing, calling sync.WaitGroup
		over             atomic.Bool
		drawn            = make([]int64, greedy)
		errs             = make([]error, greedy+callers)
		waits            = make([]*hdrhistogram.Histogram, callers)
		epoch            = time.Now()
	)
	for i := range greedy {
		draw := src.Drawer()
		drawing.Go(func() {
			for !over.Load() && errs[i] == nil {
				errs[i] = draw.Draw(1)
				drawn[i]++
			}
		})
	}
	for i := range callers {
		draw := src.Drawer()
		waits[i] = hdrhistogram.New(1, longest, 3)
		calling.Go(func() {
			failed := &errs[greedy+i]
			for due := callEvery * time.Duration(i) / callers; due < d && *failed == nil; due += callEvery {
				time.Sleep(due - time.Since(epoch)) // a call that took longer makes the next one late
				called := time.Since(epoch)
				if *failed = draw.Draw(1); *failed == nil {
					*failed = waits[i].RecordValue(int64(time.Since(epoch) - called))
				}
			}
		})
	}
	// A caller that starves would wait until the greedy ones end, so they have to.
	time.Sleep(d)
	over.Store(true)
	drawing.Wait()
	took := time.Since(epoch)
	after, err := processorTime()
	calling.Wait()
	if err := errors.Join(append(errs, err)...); err != nil {
		return err
	}
	c.took += took
	c.busy += after - before
	for _, n := range drawn {
		c.drawn += n
	}
	for _, h := range waits {
		c.drawn += h.TotalCount()
		c.waits.Merge(h)
	}
	return nil
}
