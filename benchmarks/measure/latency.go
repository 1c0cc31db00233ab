package measure

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/uidgen/uid/benchmarks/subject"
)

// latency times single calls. Each goroutine makes its next call when the last one has
// returned, so a slow call delays only those of its own goroutine.
func latency(p Profile, subjects []subject.Subject) []cell {
	procs := runtime.GOMAXPROCS(0)
	var cells []cell
	for _, s := range append(slices.Clone(subjects), NoCall) {
		if s.Batches {
			continue // a batch is not a call that makes an ID
		}
		estimate := p.Latency
		if slow := s.Kind == subject.Server || s.Sustained == 25600; slow {
			estimate = p.LatencyMost
		}
		for _, goroutines := range slices.Compact([]int{procs, max(8, procs)}) {
			cells = append(cells, cell{
				name: fmt.Sprintf("Latency/subject=%s/goroutines=%d", s.Name, goroutines),
				busy: alone(s, min(goroutines, procs)), estimate: estimate + 10*time.Millisecond,
				measure: func(bool) ([]result, error) {
					h, err := timed(s, goroutines, p)
					return []result{{calls: h}}, err
				},
			})
		}
	}
	return cells
}

func timed(s subject.Subject, goroutines int, p Profile) (all *hdrhistogram.Histogram, err error) {
	err = with(s, goroutines, func(draw []subject.Drawer) (err error) {
		all, _, err = calling(goroutines, func(i int, h *hdrhistogram.Histogram, began time.Time) error {
			for {
				end, err := call(draw[i], h, began)
				if err != nil || end >= p.LatencyMost ||
					end >= p.Latency && h.TotalCount() >= int64(p.LatencySamples/goroutines) {
					return err
				}
			}
		})
		return err
	})
	return all, err
}
