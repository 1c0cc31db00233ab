package debug_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/debug"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/worker/registry"
)

// A viewer asks as an open page does, over HTTP, while it looks.
type viewer struct {
	url  string
	quit chan struct{}
	done sync.WaitGroup
	asks int
}

func (v *viewer) look() {
	v.quit = make(chan struct{})
	v.done.Go(func() {
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for n := 0; ; n++ {
			v.get("state?since=0")
			if n%4 == 0 {
				v.get("workers")
			}
			select {
			case <-v.quit:
				return
			case <-tick.C:
			}
		}
	})
}

func (v *viewer) get(what string) {
	r, err := http.Get(v.url + what)
	if err != nil {
		panic(err)
	}
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != http.StatusOK {
		panic(fmt.Sprint(r.Status, err))
	}
	v.asks++
}

func (v *viewer) leave() {
	close(v.quit)
	v.done.Wait()
}

// BenchmarkPageOpen reports what a call of GetUID costs with an open page, as a multiple of what it
// costs without. Rounds with and without alternate. In each round with a page it asks once at least,
// for the state and for the workers, and then as an open page does. Reported are the median of the
// ratios, their quartiles and their range, and in same those of two rounds without a page: the noise.
// Run it with -benchtime=1x.
func BenchmarkPageOpen(b *testing.B) {
	rounds, n := 41, 32<<20
	if testing.Short() {
		rounds, n = 1, 1<<20
	}
	for _, goroutines := range []int{1, 2} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			g, err := cached.New(&fake.Worker{ID: 7}, cached.Config{MaxLead: cached.Unbounded})
			if err != nil {
				b.Fatal(err)
			}
			defer g.Close()
			page, err := debug.New(debug.Config{
				Generators: []debug.Generator{{Name: "orders", Generator: g}},
				Workers:    func(context.Context) (registry.Overview, error) { return fleet(1000), nil },
			})
			if err != nil {
				b.Fatal(err)
			}
			server := httptest.NewServer(page)
			defer server.Close()
			v := &viewer{url: server.URL + "/"}
			draw := func() time.Duration {
				began := time.Now()
				var all sync.WaitGroup
				for range goroutines {
					all.Go(func() {
						for range n / goroutines {
							if _, err := g.GetUID(); err != nil {
								panic(err)
							}
						}
					})
				}
				all.Wait()
				return time.Since(began)
			}
			draw() // warm
			var ratios, same, plain []float64
			for range rounds {
				without := draw()
				v.look()
				with := draw()
				v.leave()
				again := draw()
				ratios = append(ratios, float64(with)/(float64(without+again)/2))
				same = append(same, float64(again)/float64(without))
				plain = append(plain, float64(without)/float64(n))
			}
			spread(b, "×open", ratios)
			spread(b, "×same", same)
			slices.Sort(plain)
			b.ReportMetric(plain[rounds/2], "ns/UID")
			b.ReportMetric(float64(v.asks)/float64(rounds), "requests/round")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// spread reports the median, the quartiles and the range.
func spread(b *testing.B, name string, x []float64) {
	slices.Sort(x)
	n := len(x)
	for i, suffix := range []string{"-min", "-q1", "", "-q3", "-max"} {
		b.ReportMetric(x[i*(n-1)/4], name+suffix)
	}
}

// fleet is a namespace of n leases.
func fleet(n int64) registry.Overview {
	now := time.Now()
	o := registry.Overview{Now: now, HasLeases: true}
	for id := range n {
		o.Leases = append(o.Leases, registry.LeaseInfo{
			Namespace: "orders", WorkerID: id, State: registry.Live, Holder: fmt.Sprintf("host-%d/1", id),
			Acquired: now, Renewed: now, Until: now.Add(5 * time.Minute), Layout: bits.Default().String(),
		})
	}
	return o
}

// BenchmarkState is one answer to an open page, of four generators and 1,000 leases.
func BenchmarkState(b *testing.B) {
	var all []debug.Generator
	for i := range int64(4) {
		g, err := cached.New(&fake.Worker{ID: i}, cached.Config{})
		if err != nil {
			b.Fatal(err)
		}
		defer g.Close()
		all = append(all, debug.Generator{Name: fmt.Sprint(i), Generator: g})
	}
	page, err := debug.New(debug.Config{Generators: all, Workers: func(context.Context) (registry.Overview, error) { return fleet(1000), nil }})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		page.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/state", nil))
	}
}
