package cached_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"golang.org/x/sys/cpu"
)

func inGoroutines(b *testing.B, n int, draw func(n int)) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { draw(b.N / n) })
	}
	wg.Wait()
}

func newBench(b *testing.B) *cached.Generator {
	g, err := cached.New(&fakeWorker{id: 7}, cached.Config{MaxLead: cached.Unbounded})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { g.Close() })
	return g
}

var sink atomic.Uint64

func BenchmarkDraw(b *testing.B) {
	for _, n := range []int{1, 2, 8} {
		b.Run(fmt.Sprintf("add/%d", n), func(b *testing.B) {
			var x struct {
				_ cpu.CacheLinePad
				n atomic.Uint64
				_ cpu.CacheLinePad
			}
			inGoroutines(b, n, func(n int) {
				for range n {
					x.n.Add(1)
				}
			})
		})
		b.Run(fmt.Sprintf("GetUID/%d", n), func(b *testing.B) {
			g := newBench(b)
			inGoroutines(b, n, func(n int) {
				for range n {
					if _, err := g.GetUID(); err != nil {
						panic(err)
					}
				}
			})
		})
		b.Run(fmt.Sprintf("Lane/%d", n), func(b *testing.B) {
			g := newBench(b)
			inGoroutines(b, n, func(n int) {
				l := g.Lane()
				for range n {
					if _, err := l.GetUID(); err != nil {
						panic(err)
					}
				}
			})
		})
		b.Run(fmt.Sprintf("Fill1024/%d", n), func(b *testing.B) {
			g := newBench(b)
			inGoroutines(b, n, func(n int) {
				var dst [1024]uid.UID
				for range n / 1024 {
					if _, err := g.Fill(dst[:]); err != nil {
						panic(err)
					}
				}
			})
		})
	}
}
