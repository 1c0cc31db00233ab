package cached_test

import (
	"context"
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
// UIDs. It returns their sum, so that none is computed for nothing.
type subject struct {
	name string
	make func(b *testing.B) (draw func(n int) uint64)
}

// bareAdd is what everything else is compared with: a counter that all goroutines add
// to, alone on its cache line. It must not be inlined: the compiler turns the add in a
// closure of an inlined function into a call, which would flatter whatever is compared.
//
//go:noinline
func bareAdd(*testing.B) func(int) uint64 {
	x := new(struct {
		_ cpu.CacheLinePad
		n atomic.Uint64
		_ cpu.CacheLinePad
	})
	return func(n int) (sum uint64) {
		for range n {
			sum += x.n.Add(1)
		}
		return sum
	}
}

func generator(b *testing.B) *cached.Generator {
	return start(b, &fake.Worker{ID: 7}, nil, cached.Config{MaxLead: cached.Unbounded})
}

var subjects = []subject{
	{"GetUID", func(b *testing.B) func(int) uint64 {
		g := generator(b)
		return func(n int) (sum uint64) {
			for range n {
				id, err := g.GetUID()
				if err != nil {
					panic(err)
				}
				sum += uint64(id)
			}
			return sum
		}
	}},
	{"GetUIDContext", inContext(func(*testing.B) context.Context { return context.Background() })},
	{"GetUIDContext-WithCancel", inContext(func(b *testing.B) context.Context {
		ctx, cancel := context.WithCancel(context.Background())
		b.Cleanup(cancel)
		return ctx
	})},
	{"Lane", func(b *testing.B) func(int) uint64 {
		g := generator(b)
		return func(n int) (sum uint64) {
			l := g.Lane()
			for range n {
				id, err := l.GetUID()
				if err != nil {
					panic(err)
				}
				sum += uint64(id)
			}
			return sum
		}
	}},
	{"Fill64", fillOf(64)},
	{"Fill1024", fillOf(1024)},
	{"Unordered", func(b *testing.B) func(int) uint64 {
		o := generator(b).Unordered()
		return func(n int) (sum uint64) {
			for range n {
				id, err := o.GetUID()
				if err != nil {
					panic(err)
				}
				sum += uint64(id)
			}
			return sum
		}
	}},
}

// inContext is GetUIDContext with a context of one kind.
func inContext(make func(*testing.B) context.Context) func(*testing.B) func(int) uint64 {
	return func(b *testing.B) func(int) uint64 {
		g, ctx := generator(b), make(b)
		return func(n int) (sum uint64) {
			for range n {
				id, err := g.GetUIDContext(ctx)
				if err != nil {
					panic(err)
				}
				sum += uint64(id)
			}
			return sum
		}
	}
}

// fillOf is Fill of a slice of one length.
func fillOf(length int) func(*testing.B) func(int) uint64 {
	return func(b *testing.B) func(int) uint64 {
		g := generator(b)
		return func(n int) (sum uint64) {
			dst := make([]uid.UID, length)
			for range n / length {
				if _, err := g.Fill(dst); err != nil {
					panic(err)
				}
				sum += uint64(dst[0] + dst[length-1]) // the others are in memory, where Fill must put them
			}
			return sum
		}
	}
}

// sink keeps what was drawn.
var sink atomic.Uint64

// timed returns how long it takes several goroutines to draw n UIDs in all.
func timed(goroutines, n int, draw func(int) uint64) time.Duration {
	began := time.Now()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() { sink.Add(draw(n / goroutines)) })
	}
	wg.Wait()
	return time.Since(began)
}

// BenchmarkRatio reports what a UID costs as a multiple of a bare atomic add by the same
// number of goroutines. Adds and draws alternate, so that a machine that becomes faster
// or slower does so for both; the median of the rounds is reported, and their range.
// -benchtime says how many rounds: each is 262,144 adds and as many UIDs, a millisecond or a few,
// in which a busy machine often does nothing else.
func BenchmarkRatio(b *testing.B) {
	const n = 1 << 18
	for _, goroutines := range []int{1, 2, 8, 32} {
		for _, s := range subjects {
			b.Run(fmt.Sprintf("%s/goroutines=%d", s.name, goroutines), func(b *testing.B) {
				add, draw := bareAdd(b), s.make(b)
				timed(goroutines, n/8, add) // the first calls fetch what the others find
				timed(goroutines, n/8, draw)
				var ratios, adds, draws []float64
				for range b.N {
					a := timed(goroutines, n, add)
					d := timed(goroutines, n, draw)
					ratios = append(ratios, float64(d)/float64(a))
					adds = append(adds, float64(a)/n)
					draws = append(draws, float64(d)/n)
				}
				b.ReportMetric(median(ratios), "×add")
				if b.N > 1 {
					b.ReportMetric(slices.Min(ratios), "×add-min")
					b.ReportMetric(slices.Max(ratios), "×add-max")
				}
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
		call func() uint64
	}{
		{"clock", func() uint64 { return 0 }},
		{"add", func() uint64 { return x.Add(1) }},
		{"GetUID", func() uint64 {
			id, err := g.GetUID()
			if err != nil {
				panic(err)
			}
			return uint64(id)
		}},
	} {
		b.Run(s.name, func(b *testing.B) {
			took := make([][]time.Duration, goroutines)
			var wg sync.WaitGroup
			for i := range took {
				wg.Go(func() {
					out, sum := make([]time.Duration, n/goroutines), uint64(0)
					for k := range out {
						began := time.Now()
						sum += s.call()
						out[k] = time.Since(began)
					}
					sink.Add(sum)
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
	g := start(b, &fake.Worker{}, nil, cached.Config{Layout: millis, MaxLead: cached.Unbounded})
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
