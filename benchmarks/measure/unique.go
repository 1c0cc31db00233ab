package measure

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uidgen/uid/benchmarks/subject"
)

// uniqueGoroutines is how many goroutines draw the IDs to search for duplicates.
const uniqueGoroutines = 8

// chunk is how many IDs a goroutine draws at a time: enough for Fill to be of use, and few
// enough for a slow subject to end in time.
const chunk = 1024

// unique keeps every ID that several goroutines draw within one second of the clock, or as
// many as there is room for, and counts duplicates. If a subject repeats IDs above some
// rate, unique measures it at nine tenths of that rate, too.
func unique(p Profile, subjects []subject.Subject) (cells []cell) {
	for _, s := range subjects {
		paces := []float64{0}
		switch {
		case s.Kind == subject.Limit:
			continue
		case s.Beyond == subject.Repeats:
			paces = append(paces, math.Round(0.9*s.Sustained))
		}
		for _, pace := range paces {
			cells = append(cells, cell{
				name: fmt.Sprintf("subject=%s/rate=%s", s.Name, PaceLabel(pace)),
				measure: func(b *testing.B) (*histogram, error) {
					ids, took, err := keep(s, pace, p.UniqueIDs)
					b.ReportMetric(float64(len(ids))/took.Seconds(), "IDs/s")
					b.ReportMetric(float64(len(ids)), "IDs")
					b.ReportMetric(float64(duplicates(ids)), "duplicates")
					return nil, err
				},
			})
		}
	}
	return cells
}

// keep returns the IDs drawn in one second, which begins with a second of the wall clock:
// some subjects reset their counters there.
func keep(s subject.Subject, pace float64, most int) (ids []subject.Key, took time.Duration, err error) {
	const aSecond = time.Second
	each := most / uniqueGoroutines
	kept := make([]subject.Key, each*uniqueGoroutines)
	clear(kept) // touches the pages before they are needed
	var drawn [uniqueGoroutines]int
	err = with(s, uniqueGoroutines, func(draw []subject.Drawer) (err error) {
		if most >= 1e6 {
			time.Sleep(time.Until(time.Now().Truncate(aSecond).Add(aSecond)))
		}
		var late atomic.Bool
		defer time.AfterFunc(aSecond, func() { late.Store(true) }).Stop()
		took, err = together(uniqueGoroutines, func(g int, began time.Time) error {
			mine := kept[g*each : (g+1)*each]
			for n, size := 0, 1; n < len(mine) && !late.Load(); drawn[g] = n {
				if pace > 0 && float64(n)*uniqueGoroutines > pace*time.Since(began).Seconds() {
					runtime.Gosched()
					continue
				}
				at, now := time.Now(), min(size, len(mine)-n)
				if err := draw[g].Keys(mine[n:][:now]); err != nil {
					return err
				}
				n += now
				if size < chunk && time.Since(at) < time.Millisecond {
					size *= 2
				}
			}
			return nil
		})
		return err
	})
	ids = kept[:0]
	for g, n := range drawn {
		ids = append(ids, kept[g*each:][:n]...) // to the left, if it moves at all
	}
	return ids, took, err
}
