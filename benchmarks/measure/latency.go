package measure

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/uidgen/uid/benchmarks/subject"
)

// latency times single calls. Each goroutine makes its next call when the last one has
// returned, so a slow call delays only those of its own goroutine.
func latency(p Profile, subjects []subject.Subject) (cells []cell) {
	procs := runtime.GOMAXPROCS(0)
	for _, s := range append(slices.Clone(subjects), NoCall) {
		if s.Batches {
			continue // a batch is not a call that makes an ID
		}
		for _, goroutines := range slices.Compact([]int{procs, max(8, procs)}) {
			cells = append(cells, cell{
				name:    fmt.Sprintf("subject=%s/goroutines=%d", s.Name, goroutines),
				busy:    alone(s, min(goroutines, procs)),
				measure: func(*testing.B) (*histogram, error) { return timed(s, goroutines, p) },
			})
		}
	}
	return cells
}

func timed(s subject.Subject, goroutines int, p Profile) (all *histogram, err error) {
	err = with(s, goroutines, func(draw []subject.Drawer) (err error) {
		all, _, err = calling(goroutines, func(i int, h *histogram, began time.Time) error {
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
