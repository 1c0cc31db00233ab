package uncached

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/tick"
)

// roomy are layouts whose sequence no benchmark can use up.
var roomy = map[string]bits.Layout{
	"s":  bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 5, SequenceBits: 30}),
	"ms": bits.MustLayout(bits.Config{TimeBits: 38, WorkerBits: 5, SequenceBits: 20, Unit: time.Millisecond}),
}

// locked is the plain generator that this package would be with a mutex: a lock, the
// clock, a comparison. It is what the compare-and-swap is measured against.
type locked struct {
	mu   sync.Mutex
	l    bits.Layout
	now  func() time.Time
	tick int64
	seq  int64
}

func (g *locked) GetUID() (uid.UID, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	tick := tick.At(g.l.Epoch(), g.l.Unit(), g.now())
	if tick > g.tick {
		g.tick, g.seq = tick, 0
	} else {
		g.seq++
	}
	return g.l.Compose(g.tick, 7, g.seq)
}

// BenchmarkGetUID compares GetUID, and the same behind a mutex, with the bare time.Now, in
// turns of a fraction of a millisecond, so that all meet the same machine. The metrics are
// medians of what a call took its goroutine, and their ratios.
//
//	go test -run - -bench GetUID -benchtime 500x -count 10 ./default
func BenchmarkGetUID(b *testing.B) {
	for _, unit := range []string{"s", "ms"} {
		for _, goroutines := range []int{1, 2, 8} {
			b.Run(fmt.Sprintf("%s/%d", unit, goroutines), func(b *testing.B) {
				g := quiet(b, fake.Endless(7), Config{Layout: roomy[unit]})
				plain := &locked{l: roomy[unit], now: time.Now}
				var now, get, lock samples
				for range b.N {
					now.turn(goroutines, func() error {
						if time.Now().IsZero() { // uses the result, at no cost
							return errors.New("it is not now")
						}
						return nil
					})
					get.turn(goroutines, func() error { return errorOf(g.GetUID()) })
					lock.turn(goroutines, func() error { return errorOf(plain.GetUID()) })
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(now.median(), "now-ns")
				b.ReportMetric(get.median(), "get-ns")
				b.ReportMetric(get.median()/now.median(), "get/now")
				b.ReportMetric(lock.median()/now.median(), "mutex/now")
			})
		}
	}
}

// BenchmarkFill is Fill of 1,024, per UID.
func BenchmarkFill(b *testing.B) {
	g := quiet(b, fake.Endless(7), Config{Layout: roomy["s"]})
	dst := make([]uid.UID, 1024)
	for range b.N / len(dst) {
		must(g.Fill(dst))
	}
}

// samples are the ns that a call took, by goroutine and turn.
type samples struct {
	mu sync.Mutex
	ns []float64
}

// turn makes some thousand calls in each of n goroutines at once.
func (s *samples) turn(n int, call func() error) {
	const calls = 5000
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			began := time.Now()
			for range calls {
				if err := call(); err != nil {
					panic(err)
				}
			}
			d := time.Since(began)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.ns = append(s.ns, float64(d)/calls)
		})
	}
	wg.Wait()
}

func (s *samples) median() float64 {
	slices.Sort(s.ns)
	return s.ns[len(s.ns)/2]
}
