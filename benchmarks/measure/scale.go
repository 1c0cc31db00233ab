package measure

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/sys/cpu"

	"github.com/uidgen/uid/benchmarks/subject"
)

// scale measures rates by goroutines and processors.
func scale(p Profile, subjects []subject.Subject) []Task {
	var cells []Task
	for _, s := range subjects {
		batch := batchOf(s)
		for _, l := range p.loads() {
			cells = append(cells, Task{
				Phase: "scale", Estimate: p.Cell + 5*time.Millisecond,
				Run: func(r *Recorder) error {
					var n int
					var took time.Duration
					said, err := supervised.run(s, min(l.goroutines, l.procs), func() error {
						return withProcs(l.procs, func() (err error) {
							n, took, err = rate(s, l.goroutines, batch, p.Cell)
							return err
						})
					})
					if err != nil {
						return fmt.Errorf("rate of %s: %w", s.Name, err)
					}
					return r.record(fmt.Sprintf("Scale/subject=%s/goroutines=%d", s.Name, l.goroutines), l.procs, n, append([]benchfmt.Value{
						value(float64(took.Nanoseconds())/float64(n), "ns/op"),
						value(float64(n)/took.Seconds(), "IDs/s"),
					}, said...)...)
				},
			})
		}
	}
	return inRounds(p.Rounds, cells)
}

// batchTime is the least time for a batch: so long that reading the clock or a flag
// between two batches does not matter.
const batchTime = 20 * time.Microsecond

// batchOf returns a function that returns the size of a batch in IDs. Its first call
// measures it.
func batchOf(s subject.Subject) func() (int, error) {
	return sync.OnceValues(func() (int, error) {
		src, err := s.Open()
		if err != nil {
			return 0, err
		}
		defer src.Close()
		d := src.Drawer()
		for n := 1; ; n *= 2 {
			// The second draw counts: the first may be slow for many reasons.
			if err := d.Draw(n); err != nil {
				return 0, err
			}
			began := time.Now()
			if err := d.Draw(n); err != nil {
				return 0, err
			}
			if time.Since(began) >= batchTime {
				return n, nil
			}
		}
	})
}

// A tally belongs to one goroutine. Two of them share no cache line.
type tally struct {
	n   int
	err error
	_   cpu.CacheLinePad
}

// rate lets goroutines draw from a new source for about d. It returns how many IDs they
// drew, and the time from their start until the last one was done.
func rate(s subject.Subject, goroutines int, batchOf func() (int, error), d time.Duration) (n int, took time.Duration, err error) {
	batch, err := batchOf()
	if err != nil {
		return 0, 0, err
	}
	src, err := s.Open()
	if err != nil {
		return 0, 0, err
	}
	defer src.Close()
	if err := src.Drawer().Draw(1); err != nil {
		return 0, 0, err
	}
	var (
		stop  atomic.Bool
		tally = make([]tally, goroutines)
		begin = make(chan struct{})
		ended sync.WaitGroup
	)
	for i := range tally {
		t, draw := &tally[i], src.Drawer()
		ended.Go(func() {
			<-begin
			// At least once: a short d may be over before every goroutine ran.
			for first := true; first || !stop.Load() && t.err == nil; first = false {
				t.err = draw.Draw(batch)
				t.n += batch
			}
		})
	}
	began := time.Now()
	close(begin)
	time.Sleep(d)
	stop.Store(true)
	ended.Wait()
	took = time.Since(began)
	for i := range tally {
		n += tally[i].n
		if tally[i].err != nil {
			return 0, 0, tally[i].err
		}
	}
	return n, took, nil
}
