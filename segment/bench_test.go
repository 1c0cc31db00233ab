package segment_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
)

// timed returns how long it takes several goroutines to draw n numbers in all.
func timed(goroutines, n int, draw func() (uid.UID, error)) time.Duration {
	began := time.Now()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			var sum uid.UID
			for range n / goroutines {
				u, err := draw()
				if err != nil {
					panic(err)
				}
				sum ^= u
			}
			used(sum)
		})
	}
	wg.Wait()
	return time.Since(began)
}

//go:noinline
func used(uid.UID) {}

// BenchmarkRatio reports what a number costs as a multiple of a UID of package cached, by the same
// number of goroutines. The two alternate; the median of the rounds is reported, and their range.
// Run it with -benchtime=1x.
func BenchmarkRatio(b *testing.B) {
	const rounds, n = 15, 8 << 20
	for _, goroutines := range []int{1, 2, 8} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			timely := cached.MustNew(worker.Static(7, rand.Text()), cached.Config{MaxLead: cached.Unbounded})
			b.Cleanup(func() { _ = timely.Close() })
			// Steps of the default size, which at this pace are used up in milliseconds.
			g := segment.MustNew(segmenttest.NewMemory().Client(), "a", segment.Config{Create: true})
			b.Cleanup(func() { _ = g.Close() })
			var ratios, base, own []float64
			for range rounds {
				c := timed(goroutines, n, timely.GetUID)
				s := timed(goroutines, n, g.GetUID)
				ratios = append(ratios, float64(s)/float64(c))
				base, own = append(base, float64(c)/n), append(own, float64(s)/n)
			}
			for _, all := range [][]float64{ratios, base, own} {
				slices.Sort(all)
			}
			b.ReportMetric(ratios[rounds/2], "×cached")
			b.ReportMetric(ratios[0], "×cached-min")
			b.ReportMetric(ratios[rounds-1], "×cached-max")
			b.ReportMetric(base[rounds/2], "cached-ns")
			b.ReportMetric(own[rounds/2], "own-ns")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// bottomless is a store that keeps nothing.
type bottomless struct{}

func (bottomless) Change(_ context.Context, tag string, decide func(*segmentstore.Row) error) error {
	return decide(&segmentstore.Row{Tag: tag, Next: 1, Step: 1})
}
func (bottomless) Rows(context.Context, string, int) ([]segmentstore.Row, error) { return nil, nil }
func (bottomless) Inspect(context.Context) ([]string, error)                     { return nil, nil }
func (bottomless) Name() string                                                  { return "nothing" }

// BenchmarkTag reports what a tag of a registry costs that was drawn from once. Run it with
// -benchtime=1000000x for a million tags.
func BenchmarkTag(b *testing.B) {
	tags := make([]string, b.N)
	for i := range tags {
		tags[i] = fmt.Sprint("tag", i)
	}
	r, err := segment.NewRegistry(bottomless{}, segment.Config{})
	if err != nil {
		b.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, tag := range tags {
		if _, err := r.GetUID(tag); err != nil {
			b.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(b.N), "B/tag")
	b.ReportMetric(float64(runtime.NumGoroutine()), "goroutines")
	runtime.KeepAlive(r)
}
