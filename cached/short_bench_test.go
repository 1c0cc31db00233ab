package cached_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/cpu"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
)

// locked is the generator that a ring of short runs has to beat: a mutex around a sequence and a
// tick, which may run ahead of the clock as far as it likes and so never looks at it.
type locked struct {
	_ cpu.CacheLinePad

	mu             sync.Mutex
	tick, sequence uint64
	last           uint64 // the last sequence of a tick
	shift          uint
	worker         uint64 // in its place

	_ cpu.CacheLinePad
}

//go:noinline
func (l *locked) GetUID() (uid.UID, error) {
	l.mu.Lock()
	if l.sequence == l.last {
		l.sequence = 0
		l.tick++
	} else {
		l.sequence++
	}
	v := l.tick<<l.shift | l.worker | l.sequence
	l.mu.Unlock()
	return uid.UID(v), nil
}

// BenchmarkShortRuns reports what GetUID costs as a multiple of a mutex, with ticks of few UIDs:
// each new tick takes the slow path. Both alternate in short rounds; the median of their ratios is
// reported, their quartiles, and the ratio of the fastest rounds. Run it with -benchtime=1x.
func BenchmarkShortRuns(b *testing.B) {
	const rounds = 51
	for sequenceBits := range 7 {
		layout := bits.MustLayout(bits.Config{TimeBits: 45, WorkerBits: 10, SequenceBits: sequenceBits, Unit: time.Millisecond})
		for _, goroutines := range []int{1, 2, 4, 8} {
			b.Run(fmt.Sprintf("bits=%d/goroutines=%d", sequenceBits, goroutines), func(b *testing.B) {
				l := &locked{
					tick: uint64(layout.TickAt(time.Now())), last: 1<<sequenceBits - 1,
					shift: uint(10 + sequenceBits), worker: 7 << sequenceBits,
				}
				mutex := func(n int) (sum uint64) {
					for range n {
						id, err := l.GetUID()
						if err != nil {
							panic(err)
						}
						sum += uint64(id)
					}
					return sum
				}
				g := start(b, &fake.Worker{ID: 7}, nil, cached.Config{Layout: layout, MaxLead: cached.Unbounded})
				draw := func(n int) (sum uint64) {
					for range n {
						id, err := g.GetUID()
						if err != nil {
							panic(err)
						}
						sum += uint64(id)
					}
					return sum
				}
				n := 1 << 17
				if goroutines > 1 {
					n <<= 3 // so that they all run at the same time
				}
				var ratios, mutexes, draws []float64
				for range rounds {
					m := timed(goroutines, n, mutex)
					d := timed(goroutines, n, draw)
					ratios = append(ratios, float64(d)/float64(m))
					mutexes = append(mutexes, float64(m)/float64(n))
					draws = append(draws, float64(d)/float64(n))
				}
				slices.Sort(ratios)
				b.ReportMetric(ratios[rounds/2], "×mutex")
				b.ReportMetric(ratios[rounds/4], "×mutex-25%")
				b.ReportMetric(ratios[3*rounds/4], "×mutex-75%")
				b.ReportMetric(slices.Min(draws)/slices.Min(mutexes), "×mutex-fastest")
				b.ReportMetric(median(mutexes), "ns/mutex")
				b.ReportMetric(median(draws), "ns/UID")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkDraw draws from runs of 8,192 UIDs, to compare two versions of this package.
func BenchmarkDraw(b *testing.B) {
	for _, s := range subjects {
		b.Run(s.name, func(b *testing.B) {
			draw := s.make(b)
			b.ResetTimer()
			sink.Add(draw(b.N))
		})
	}
}
