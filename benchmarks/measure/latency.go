package measure

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"

	"github.com/uidgen/uid/benchmarks/subject"
)

// Percentiles are reported where there are enough samples for them. So is the longest call.
var Percentiles = []float64{50, 90, 99, 99.9, 99.99}

// NoCall is a subject whose call does nothing. Its time is the cost of the timer, which is
// part of every other time.
var NoCall = subject.Subject{
	Name: "nothing", Label: "nothing but the timer", Kind: subject.Limit,
	Open: func() (subject.Source, error) { return noCall{}, nil },
}

type noCall struct{}

func (s noCall) Drawer() subject.Drawer { return s }
func (noCall) Draw(int) error           { return nil }
func (noCall) Keys([]subject.Key) error { return nil }
func (noCall) Close() error             { return nil }

// latency times single calls. Each goroutine makes its next call when the last one has
// returned, so a slow call delays only those of its own goroutine.
func latency(p Profile, subjects []subject.Subject) []Task {
	procs := runtime.GOMAXPROCS(0)
	loads := []int{procs}
	if procs < 8 {
		loads = append(loads, 8)
	}
	var cells []Task
	for _, s := range append(slices.Clone(subjects), NoCall) {
		if s.Batches {
			continue // a batch is not a call that makes an ID
		}
		for _, goroutines := range loads {
			estimate := p.Latency
			if slow := s.Kind == subject.Server || s.Sustained == 25600; slow {
				estimate = p.LatencyMost
			}
			cells = append(cells, latencyCell(p, s, goroutines, procs, estimate+10*time.Millisecond))
		}
	}
	return inRounds(p.Rounds, cells)
}

// latencyCell returns a task to be run once in each round. The last one records the calls of
// all rounds together, too.
func latencyCell(p Profile, s subject.Subject, goroutines, procs int, estimate time.Duration) Task {
	all, round := make(merged), 0
	return Task{
		Phase: "latency", Estimate: estimate,
		Run: func(r *Recorder) error {
			var h *hdrhistogram.Histogram
			said, err := supervised.run(s, min(goroutines, procs), func() (err error) {
				h, err = timed(s, goroutines, p)
				return err
			})
			if err != nil {
				return fmt.Errorf("latency of %s: %w", s.Name, err)
			}
			all.add(h)
			const name = "Latency"
			rest := fmt.Sprintf("/subject=%s/goroutines=%d", s.Name, goroutines)
			if err := r.record(name+rest, procs, int(h.TotalCount()), append(percentiles(h), said...)...); err != nil {
				return err
			}
			if round++; round < p.Rounds {
				return nil
			}
			return all.record(r, name, rest, procs)
		},
	}
}

// percentiles returns those with at least one sample above them, and the longest call.
func percentiles(h *hdrhistogram.Histogram) []benchfmt.Value {
	var values []benchfmt.Value
	for _, q := range Percentiles {
		if float64(h.TotalCount())*(100-q) >= 100*(1-1e-9) {
			values = append(values, value(float64(h.ValueAtPercentile(q)), PercentileUnit(q)))
		}
	}
	return append(values, value(float64(h.Max()), LongestUnit))
}

// LongestUnit is the unit of the longest call of a round.
const LongestUnit = "max-ns"

// PercentileUnit returns the unit of a percentile.
func PercentileUnit(q float64) string {
	return "p" + strconv.FormatFloat(q, 'f', -1, 64) + "-ns"
}

// longest is the longest call that a histogram can hold: an hour.
const longest = int64(time.Hour)

func timed(s subject.Subject, goroutines int, p Profile) (*hdrhistogram.Histogram, error) {
	src, err := s.Open()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if err := src.Drawer().Draw(1); err != nil {
		return nil, err
	}
	var (
		ended sync.WaitGroup
		of    = make([]*hdrhistogram.Histogram, goroutines)
		errs  = make([]error, goroutines)
		begin = make(chan struct{})
		epoch time.Time // one monotonic clock for all
	)
	for i := range of {
		of[i] = hdrhistogram.New(1, longest, 3)
		draw := src.Drawer()
		ended.Go(func() {
			h := of[i]
			<-begin
			for {
				before := time.Since(epoch)
				err := draw.Draw(1)
				after := time.Since(epoch)
				if err == nil {
					err = h.RecordValue(int64(after - before))
				}
				if err != nil {
					errs[i] = err
					return
				}
				if after >= p.LatencyMost || after >= p.Latency && h.TotalCount() >= int64(p.LatencySamples/goroutines) {
					return
				}
			}
		})
	}
	epoch = time.Now()
	close(begin)
	ended.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, err
		}
		if i > 0 {
			of[0].Merge(of[i])
		}
	}
	return of[0], nil
}
