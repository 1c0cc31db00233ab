package cached_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/cpu"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
)

// A subject is something to draw from; draw returns what one goroutine does to draw n
// UIDs.
type subject struct {
	name string
	make func(b *testing.B) (draw func(n int))
}

// bareAdd is what everything else is compared with: a counter that all goroutines add
// to, alone on its cache line.
func bareAdd(*testing.B) func(int) {
	x := new(struct {
		_ cpu.CacheLinePad
		n atomic.Uint64
		_ cpu.CacheLinePad
	})
	return func(n int) {
		for range n {
			x.n.Add(1)
		}
	}
}

func generator(b *testing.B) *cached.Generator {
	return start(b, &fake.Worker{ID: 7}, nil, cached.Config{MaxLead: cached.Unbounded})
}

var subjects = []subject{
	{"GetUID", func(b *testing.B) func(int) {
		g := generator(b)
		return func(n int) {
			for range n {
				if _, err := g.GetUID(); err != nil {
					panic(err)
				}
			}
		}
	}},
	{"Lane", func(b *testing.B) func(int) {
		g := generator(b)
		return func(n int) {
			l := g.Lane()
			for range n {
				if _, err := l.GetUID(); err != nil {
					panic(err)
				}
			}
		}
	}},
	{"Fill1024", func(b *testing.B) func(int) {
		g := generator(b)
		return func(n int) {
			dst := make([]uid.UID, 1024)
			for range n / len(dst) {
				if _, err := g.Fill(dst); err != nil {
					panic(err)
				}
			}
		}
	}},
	{"Unordered", func(b *testing.B) func(int) {
		o := generator(b).Unordered()
		return func(n int) {
			for range n {
				if _, err := o.GetUID(); err != nil {
					panic(err)
				}
			}
		}
	}},
}

// timed returns how long it takes several goroutines to draw n UIDs in all.
func timed(goroutines, n int, draw func(int)) time.Duration {
	began := time.Now()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() { draw(n / goroutines) })
	}
	wg.Wait()
	return time.Since(began)
}

// BenchmarkRatio reports what a UID costs as a multiple of a bare atomic add by the same
// number of goroutines. Adds and draws alternate, so that a machine that becomes faster
// or slower does so for both; the median of the rounds is reported, and their range.
// Run it with -benchtime=1x; a round draws 8 million UIDs.
func BenchmarkRatio(b *testing.B) {
	const rounds, n = 15, 8 << 20
	for _, goroutines := range []int{1, 2, 8, 32} {
		for _, s := range subjects {
			b.Run(fmt.Sprintf("%s/goroutines=%d", s.name, goroutines), func(b *testing.B) {
				add, draw := bareAdd(b), s.make(b)
				var ratios, adds, draws []float64
				for range rounds {
					a := timed(goroutines, n, add)
					d := timed(goroutines, n, draw)
					ratios = append(ratios, float64(d)/float64(a))
					adds = append(adds, float64(a)/n)
					draws = append(draws, float64(d)/n)
				}
				slices.Sort(ratios)
				b.ReportMetric(ratios[rounds/2], "×add")
				b.ReportMetric(ratios[0], "×add-min")
				b.ReportMetric(ratios[rounds-1], "×add-max")
				b.ReportMetric(median(adds), "ns/add")
				b.ReportMetric(median(draws), "ns/UID")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// BenchmarkLatency times every single call of 8 goroutines, and a bare atomic add in the
// same way. The times hold two reads of the clock, which the subject "clock" has alone.
func BenchmarkLatency(b *testing.B) {
	const goroutines, n = 8, 4 << 20
	x := new(atomic.Uint64)
	g := generator(b)
	for _, s := range []struct {
		name string
		call func()
	}{
		{"clock", func() {}},
		{"add", func() { x.Add(1) }},
		{"GetUID", func() {
			if _, err := g.GetUID(); err != nil {
				panic(err)
			}
		}},
	} {
		b.Run(s.name, func(b *testing.B) {
			took := make([][]time.Duration, goroutines)
			var wg sync.WaitGroup
			for i := range took {
				wg.Go(func() {
					out := make([]time.Duration, n/goroutines)
					for k := range out {
						began := time.Now()
						s.call()
						out[k] = time.Since(began)
					}
					took[i] = out
				})
			}
			wg.Wait()
			all := slices.Concat(took...)
			slices.Sort(all)
			for _, p := range []float64{50, 99, 99.9, 99.99} {
				b.ReportMetric(float64(all[int(float64(len(all))*p/100)]), fmt.Sprintf("ns-p%v", p))
			}
			b.ReportMetric(float64(all[len(all)-1]), "ns-max")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkRefill times what one tick costs: a ring of runs of one UID, of which every
// take enters a run.
func BenchmarkRefill(b *testing.B) {
	layout := millis
	g := start(b, &fake.Worker{}, nil, cached.Config{Layout: layout, MaxLead: cached.Unbounded})
	dst := make([]uid.UID, 16)
	for b.Loop() {
		if _, err := g.Fill(dst); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemory reports what a generator with a zero Config costs, its goroutine's
// stack included.
func BenchmarkMemory(b *testing.B) {
	b.ReportMetric(memoryOf(b, 1000), "B/generator")
	b.ReportMetric(0, "ns/op")
}
