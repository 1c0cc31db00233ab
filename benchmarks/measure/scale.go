package measure

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uidgen/uid/benchmarks/subject"
)

// scale measures rates by goroutines and processors.
func scale(p Profile, subjects []subject.Subject) (cells []cell) {
	for _, s := range subjects {
		batchOf := batchOf(s)
		for _, l := range p.loads() {
			cells = append(cells, cell{
				name:  fmt.Sprintf("subject=%s/goroutines=%d", s.Name, l.goroutines),
				procs: l.procs, busy: alone(s, min(l.goroutines, l.procs)),
				measure: func(b *testing.B) (*histogram, error) {
					batch, err := batchOf()
					if err != nil {
						return nil, err
					}
					n, took, err := rate(s, l.goroutines, batch, p.Cell)
					b.ReportMetric(float64(took.Nanoseconds())/float64(n), "ns/op")
					b.ReportMetric(float64(n)/took.Seconds(), "IDs/s")
					return nil, err
				},
			})
		}
	}
	return cells
}

// batchTime is the least time for a batch: so long that reading the clock or a flag
// between two batches does not matter.
const batchTime = 20 * time.Microsecond

// batchOf returns a function that returns the size of a batch in IDs. Its first call
// measures it.
func batchOf(s subject.Subject) func() (int, error) {
	return sync.OnceValues(func() (n int, err error) {
		err = with(s, 1, func(draw []subject.Drawer) error {
			for n = 1; ; n *= 2 {
				// The second draw counts: the first may be slow for many reasons.
				if err := draw[0].Draw(n); err != nil {
					return err
				}
				began := time.Now()
				if err := draw[0].Draw(n); err != nil || time.Since(began) >= batchTime {
					return err
				}
			}
		})
		return n, err
	})
}

// rate lets goroutines draw batches from a new source for about d, each one at least. It
// returns how many IDs they drew, and how long it took.
func rate(s subject.Subject, goroutines, batch int, d time.Duration) (n int, took time.Duration, err error) {
	var all atomic.Int64
	err = with(s, goroutines, func(draw []subject.Drawer) (err error) {
		var stop atomic.Bool
		defer time.AfterFunc(d, func() { stop.Store(true) }).Stop()
		took, err = together(goroutines, func(i int, _ time.Time) error {
			for mine := batch; ; mine += batch {
				if err := draw[i].Draw(batch); err != nil || stop.Load() {
					all.Add(int64(mine))
					return err
				}
			}
		})
		return err
	})
	return int(all.Load()), took, err
}
