package measure

import (
	"fmt"
	"runtime"
	"time"

	"github.com/uidgen/uid/benchmarks/subject"
)

// allocationsFor is how long allocations are counted.
const allocationsFor = 10 * time.Millisecond

// allocations counts what one goroutine allocates for an ID.
func allocations(p Profile, subjects []subject.Subject) []Task {
	var cells []Task
	for _, s := range subjects {
		batch := batchOf(s)
		cells = append(cells, Task{
			Phase: "allocations", Estimate: allocationsFor + 5*time.Millisecond,
			Run: func(r *Recorder) error {
				k, err := batch()
				if err != nil {
					return err
				}
				src, err := s.Open()
				if err != nil {
					return err
				}
				defer src.Close()
				d := src.Drawer()
				if err := d.Draw(k); err != nil { // connections, buffers
					return err
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				n := 0
				for began := time.Now(); time.Since(began) < allocationsFor; n += k {
					if err := d.Draw(k); err != nil {
						return fmt.Errorf("allocations of %s: %w", s.Name, err)
					}
				}
				runtime.ReadMemStats(&after)
				return r.record("Allocations/subject="+s.Name, runtime.GOMAXPROCS(0), n,
					value(float64(after.Mallocs-before.Mallocs)/float64(n), "allocs/op"),
					value(float64(after.TotalAlloc-before.TotalAlloc)/float64(n), "B/op"))
			},
		})
	}
	return inRounds(p.Rounds, cells)
}

// generators is how many are opened to measure the cost of one.
const generators = 200

// memory measures the memory of a generator in use: its share of the heap and of the
// stacks of its goroutines.
func memory(p Profile, subjects []subject.Subject) []Task {
	var cells []Task
	for _, s := range subjects {
		if s.Shared {
			continue
		}
		cells = append(cells, Task{
			Phase: "memory", Estimate: 15 * time.Millisecond,
			Run: func(r *Recorder) error {
				before := inUse()
				open, err := openMany(s)
				bytes := float64(inUse()) - float64(before)
				runtime.KeepAlive(open)
				closeErr := closeAll(open)
				if err != nil {
					return fmt.Errorf("memory of %s: %w", s.Name, err)
				}
				if closeErr != nil {
					return closeErr
				}
				return r.record("Memory/subject="+s.Name, runtime.GOMAXPROCS(0), generators, value(bytes/generators, "B/generator"))
			},
		})
	}
	return inRounds(p.Rounds, cells)
}

// An opened is a source that has drawn its first ID.
type opened struct {
	src  subject.Source
	draw subject.Drawer
}

func openMany(s subject.Subject) ([]opened, error) {
	var out []opened
	for range generators {
		src, err := s.Open()
		if err != nil {
			return out, err
		}
		o := opened{src, src.Drawer()}
		out = append(out, o)
		if err := o.draw.Draw(1); err != nil {
			return out, err
		}
	}
	return out, nil
}

func closeAll(open []opened) (err error) {
	for _, o := range open {
		if e := o.src.Close(); e != nil {
			err = e
		}
	}
	return err
}

func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
