package measure

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/uidgen/uid/benchmarks/subject"
)

// allocations counts what one goroutine allocates for an ID.
func allocations(subjects []subject.Subject) (cells []cell) {
	for _, s := range subjects {
		cells = append(cells, cell{
			name: "subject=" + s.Name,
			measure: func(b *testing.B) (*histogram, error) {
				var before, after runtime.MemStats
				return nil, with(s, 1, func(draw []subject.Drawer) error {
					for n := 1; ; n *= 2 {
						runtime.ReadMemStats(&before)
						began := time.Now()
						if err := draw[0].Draw(n); err != nil {
							return err
						}
						took := time.Since(began)
						runtime.ReadMemStats(&after)
						if took >= 5*time.Millisecond {
							b.ReportAllocs()
							b.ReportMetric(math.Round(float64(after.Mallocs-before.Mallocs)/float64(n)), "allocs/op")
							b.ReportMetric(math.Round(float64(after.TotalAlloc-before.TotalAlloc)/float64(n)), "B/op")
							return nil
						}
					}
				})
			},
		})
	}
	return cells
}

// memory measures the memory of a generator in use: its share of the heap and of the
// stacks of its goroutines.
func memory(subjects []subject.Subject) (cells []cell) {
	for _, s := range subjects {
		if s.Shared {
			continue
		}
		cells = append(cells, cell{
			name: "subject=" + s.Name,
			measure: func(b *testing.B) (*histogram, error) {
				before := inUse()
				return nil, many(s, func() error {
					b.ReportMetric((float64(inUse())-float64(before))/generators, "B/generator")
					return nil
				})
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
// process's total, with many of them open and with none. It watches each several times.
func idle(b *testing.B, p Profile, subjects []subject.Subject) {
	for _, s := range append(slices.Clone(subjects), NoCall) {
		if s.Shared || !watched[s.Name] {
			continue
		}
		b.Run("round=1/subject="+s.Name, func(b *testing.B) {
			err := many(s, func() error {
				runtime.GC()
				time.Sleep(min(2*time.Second, 10*p.Idle)) // longer than a generator looks back
				for window := range p.Windows {
					b.Run(fmt.Sprintf("window=%d", window+1), func(b *testing.B) {
						busy, took, err := processorTimeOf(func() error { time.Sleep(p.Idle); return nil })
						b.ReportMetric(0, "ns/op")
						b.ReportMetric(float64(busy.Nanoseconds())/took.Seconds()/generators, "cpu-ns/s/generator")
						if err != nil {
							b.Fatal(err)
						}
					})
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
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
