package measure

import (
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/uidgen/uid/benchmarks/subject"
)

// allocationsFor is how long allocations are counted.
const allocationsFor = 10 * time.Millisecond

// allocations counts what one goroutine allocates for an ID.
func allocations(_ Profile, subjects []subject.Subject) []cell {
	var cells []cell
	for _, s := range subjects {
		batchOf := batchOf(s)
		cells = append(cells, cell{
			name: "Allocations/subject=" + s.Name, estimate: allocationsFor + 5*time.Millisecond,
			measure: func(bool) ([]result, error) {
				batch, err := batchOf()
				if err != nil {
					return nil, err
				}
				var before, after runtime.MemStats
				n := 0
				err = with(s, 1, func(draw []subject.Drawer) error {
					err := draw[0].Draw(batch)
					runtime.ReadMemStats(&before)
					for began := time.Now(); err == nil && time.Since(began) < allocationsFor; n += batch {
						err = draw[0].Draw(batch)
					}
					runtime.ReadMemStats(&after)
					return err
				})
				return one(n, value(float64(after.Mallocs-before.Mallocs)/float64(n), "allocs/op"),
					value(float64(after.TotalAlloc-before.TotalAlloc)/float64(n), "B/op")), err
			},
		})
	}
	return cells
}

// memory measures the memory of a generator in use: its share of the heap and of the
// stacks of its goroutines.
func memory(_ Profile, subjects []subject.Subject) []cell {
	var cells []cell
	for _, s := range subjects {
		if s.Shared {
			continue
		}
		cells = append(cells, cell{
			name: "Memory/subject=" + s.Name, estimate: 15 * time.Millisecond,
			measure: func(bool) ([]result, error) {
				before, after := inUse(), uint64(0)
				err := many(s, func() error { after = inUse(); return nil })
				return one(generators, value((float64(after)-float64(before))/generators, "B/generator")), err
			},
		})
	}
	return cells
}

// watched are the generators to watch while they are idle: one of each design.
var watched = map[string]bool{
	"uid-cached": true, "uid-uncached": true, "snowflake": true,
	"sonyflake": true, "gofrs-uuid-v7": true, "nanoid": true,
	"segment-mysql": true, "packed-counter": true, NoCall.Name: true,
}

// idle measures the processor time of generators that nobody draws from any more: the
// process's total, with many of them open and with none.
func idle(p Profile, subjects []subject.Subject) []cell {
	var cells []cell
	for _, s := range append(slices.Clone(subjects), NoCall) {
		if s.Shared || !watched[s.Name] {
			continue
		}
		settle := min(2*time.Second, 10*p.Idle) // longer than a generator looks back
		cells = append(cells, cell{
			name: "Idle/subject=" + s.Name, estimate: settle + time.Duration(p.Windows)*p.Idle,
			measure: func(bool) (results []result, err error) {
				err = many(s, func() error {
					runtime.GC()
					time.Sleep(settle)
					for range p.Windows {
						busy, took, err := processorTimeOf(func() error { time.Sleep(p.Idle); return nil })
						if err != nil {
							return err
						}
						results = append(results, one(generators,
							value(float64(busy.Nanoseconds())/took.Seconds()/generators, "cpu-ns/s/generator"))...)
					}
					return nil
				})
				return results, err
			},
		})
	}
	return cells
}

// processorTimeOf returns the processor time that the process used during f, and how long that took.
func processorTimeOf(f func() error) (busy, took time.Duration, err error) {
	began := time.Now()
	before, err := processorTime()
	if err != nil {
		return 0, 0, err
	}
	if err := f(); err != nil {
		return 0, 0, err
	}
	after, err := processorTime()
	return after - before, time.Since(began), err
}

// generators is how many are opened to measure the cost of one.
const generators = 200

// opened holds sources while they are measured. It is no part of the heap or of a stack, whose
// growth is measured.
var opened [generators]struct {
	src  subject.Source
	draw subject.Drawer
}

// many calls f while many sources of a subject are open, each of which has drawn an ID.
func many(s subject.Subject, f func() error) (err error) {
	defer func() {
		for _, o := range opened {
			if o.src != nil {
				err = errors.Join(err, subject.Close(o.src))
			}
		}
		clear(opened[:])
	}()
	for i := range opened {
		src, draw, err := open(s, 1)
		if err != nil {
			return err
		}
		opened[i].src, opened[i].draw = src, draw[0]
	}
	return f()
}

func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
