package measure

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/uidgen/uid/benchmarks/subject"
)

// watched are the generators to measure: one of each design.
var watched = map[string]bool{
	"uid-cached": true, "uid-uncached": true, "snowflake": true, "sonyflake": true, "gofrs-uuid-v7": true, "nanoid": true,
	"segment-mysql": true, "packed-counter": true, NoCall.Name: true,
}

// idle measures the processor time of generators that nobody draws from any more: the
// process's total, with many of them open and with none.
func idle(p Profile, subjects []subject.Subject) []Task {
	var tasks []Task
	for _, s := range append(slices.Clone(subjects), NoCall) {
		if s.Shared || !watched[s.Name] {
			continue
		}
		settle := min(2*time.Second, 10*p.Idle) // longer than a generator looks back
		tasks = append(tasks, Task{
			Phase: "idle", Estimate: settle + time.Duration(p.Windows)*p.Idle,
			Run: func(r *Recorder) error {
				open, err := openMany(s)
				if err == nil {
					runtime.GC()
					time.Sleep(settle)
					for range p.Windows {
						if err = watch(r, s, p.Idle); err != nil {
							break
						}
					}
				}
				if closeErr := closeAll(open); err == nil {
					err = closeErr
				}
				if err != nil {
					return fmt.Errorf("idle %s: %w", s.Name, err)
				}
				return nil
			},
		})
	}
	return tasks
}

func watch(r *Recorder, s subject.Subject, d time.Duration) error {
	before, err := processorTime()
	if err != nil {
		return err
	}
	began := time.Now()
	time.Sleep(d)
	after, err := processorTime()
	if err != nil {
		return err
	}
	took := time.Since(began)
	return r.record("Idle/subject="+s.Name, runtime.GOMAXPROCS(0), generators,
		value(float64((after-before).Nanoseconds())/took.Seconds()/generators, "cpu-ns/s/generator"))
}
