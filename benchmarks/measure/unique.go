package measure

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
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
func unique(p Profile, subjects []subject.Subject) []Task {
	var cells []Task
	for _, s := range subjects {
		if s.Kind == subject.Limit {
			continue
		}
		paces := []float64{0}
		if s.Beyond == subject.Repeats {
			paces = append(paces, 0.9*s.Sustained)
		}
		for _, pace := range paces {
			cells = append(cells, Task{
				Phase: "unique", Estimate: time.Duration(2.2 * float64(time.Second) * min(1, float64(p.UniqueIDs)/1e6)),
				Run: func(r *Recorder) error {
					ids, took, err := keep(s, pace, p.UniqueIDs)
					if err != nil {
						return fmt.Errorf("IDs of %s: %w", s.Name, err)
					}
					at := "full"
					if pace > 0 {
						at = fmt.Sprintf("%.0f", pace)
					}
					return r.record(fmt.Sprintf("Unique/subject=%s/rate=%s", s.Name, at), runtime.GOMAXPROCS(0), len(ids),
						value(float64(len(ids))/took.Seconds(), "IDs/s"),
						value(float64(len(ids)), "IDs"),
						value(float64(Duplicates(ids)), "duplicates"))
				},
			})
		}
	}
	return inRounds(p.UniqueRounds, cells)
}

// keep returns the IDs drawn in one second, which begins with a second of the wall clock:
// some subjects reset their counters there.
func keep(s subject.Subject, pace float64, most int) (ids []subject.Key, took time.Duration, err error) {
	src, err := s.Open()
	if err != nil {
		return nil, 0, err
	}
	defer src.Close()
	each := most / uniqueGoroutines
	var (
		kept  = make([]subject.Key, each*uniqueGoroutines)
		drawn [uniqueGoroutines]int
		errs  [uniqueGoroutines]error
		ended sync.WaitGroup
		late  atomic.Bool
		begin = make(chan struct{})
		began time.Time
	)
	for i := range kept {
		kept[i][1] = 0 // touches the pages before they are needed
	}
	for g := range uniqueGoroutines {
		draw := src.Drawer()
		ended.Go(func() {
			mine := kept[g*each : (g+1)*each]
			<-begin
			size := 1
			for len(mine) > drawn[g] && !late.Load() && errs[g] == nil {
				if pace > 0 && float64(drawn[g])*uniqueGoroutines > pace*time.Since(began).Seconds() {
					runtime.Gosched()
					continue
				}
				at := time.Now()
				n := min(size, len(mine)-drawn[g])
				errs[g] = draw.Keys(mine[drawn[g]:][:n])
				drawn[g] += n
				if size < chunk && time.Since(at) < time.Millisecond {
					size *= 2
				}
			}
		})
	}
	const aSecond = time.Second
	if most >= 1e6 {
		time.Sleep(time.Until(time.Now().Truncate(aSecond).Add(aSecond)))
	}
	began = time.Now()
	timer := time.AfterFunc(aSecond, func() { late.Store(true) })
	close(begin)
	ended.Wait()
	took = time.Since(began)
	timer.Stop()
	ids = kept[:0]
	for g := range uniqueGoroutines {
		if errs[g] != nil {
			return nil, 0, errs[g]
		}
		ids = append(ids, kept[g*each:][:drawn[g]]...) // to the left, if it moves at all
	}
	return ids, took, nil
}
