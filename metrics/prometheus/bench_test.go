package prometheus_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/debug"
	"github.com/uidgen/uid/metrics"
	"github.com/uidgen/uid/metrics/prometheus"
	"github.com/uidgen/uid/worker"
)

// BenchmarkWatched compares GetUID of one generator whose metrics are gathered each second, and whose
// page asks for its state twice a second, with GetUID while nobody looks, in turns of two seconds each. It reports the median of the ratios of
// neighbours, the least and the largest of them, and the nanoseconds of both. With -short it makes
// one pair of turns of ten milliseconds.
func BenchmarkWatched(b *testing.B) {
	turn, every, pairs := 2*time.Second, time.Second, 20
	if testing.Short() {
		turn, every, pairs = 10*time.Millisecond, 5*time.Millisecond, 1
	}
	g := cached.MustNew(worker.Static(1, "BenchmarkWatched"), cached.Config{MaxLead: cached.Unbounded})
	defer func() { require.NoError(b, g.Close()) }()
	var s metrics.Set
	require.NoError(b, s.Add("it", g))
	registry := client.NewRegistry()
	require.NoError(b, registry.Register(prometheus.NewCollector(&s)))
	page, err := debug.New(debug.Config{Generators: []debug.Generator{{Name: "it", Generator: g}}})
	require.NoError(b, err)

	// draw returns the nanoseconds of a UID.
	draw := func() float64 {
		const batch = 10000
		began, n := time.Now(), 0
		for time.Since(began) < turn {
			for range batch {
				if _, err := g.GetUID(); err != nil {
					b.Fatal(err)
				}
			}
			n += batch
		}
		return float64(time.Since(began)) / float64(n)
	}
	gather := func() {
		if families, err := registry.Gather(); err != nil || len(families) < 10 {
			b.Error(len(families), err)
		}
	}
	look := func() {
		answer := httptest.NewRecorder()
		page.ServeHTTP(answer, httptest.NewRequest("GET", "/state", nil))
		if answer.Code != http.StatusOK {
			b.Error(answer.Code, answer.Body)
		}
	}
	watched := func() float64 {
		stop := make(chan struct{})
		var watchers sync.WaitGroup
		watchers.Go(func() { again(every, stop, gather) })
		watchers.Go(func() { again(every/2, stop, look) })
		defer func() { close(stop); watchers.Wait() }()
		return draw()
	}
	for b.Loop() {
		var ratios, without, with []float64
		for i := range pairs {
			var w, s float64
			if i%2 == 0 { // neither is always the first
				w, s = draw(), watched()
			} else {
				s, w = watched(), draw()
			}
			ratios, without, with = append(ratios, s/w), append(without, w), append(with, s)
		}
		for _, all := range [][]float64{ratios, without, with} {
			slices.Sort(all)
		}
		b.ReportMetric(ratios[len(ratios)/2], "ratio")
		b.ReportMetric(ratios[0], "ratio-least")
		b.ReportMetric(ratios[len(ratios)-1], "ratio-most")
		b.ReportMetric(without[len(without)/2], "ns/UID-without")
		b.ReportMetric(with[len(with)/2], "ns/UID-watched")
	}
}

// again does what is to be done, at once and at each interval, until stop is closed.
func again(every time.Duration, stop <-chan struct{}, do func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		do()
		select {
		case <-tick.C:
		case <-stop:
			return
		}
	}
}

// BenchmarkGather is what a scrape of one generator costs.
func BenchmarkGather(b *testing.B) {
	g := cached.MustNew(worker.Static(1, "BenchmarkGather"), cached.Config{})
	defer func() { require.NoError(b, g.Close()) }()
	var s metrics.Set
	require.NoError(b, s.Add("it", g))
	registry := client.NewRegistry()
	require.NoError(b, registry.Register(prometheus.NewCollector(&s)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := registry.Gather(); err != nil {
			b.Fatal(err)
		}
	}
}
