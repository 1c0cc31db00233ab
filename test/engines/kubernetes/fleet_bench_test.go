package kubernetes_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/kubernetes"
	"github.com/uidgen/uid/worker/lease"
)

// counts are answers by what was asked.
type counts struct {
	mu  sync.Mutex
	all map[string]int
}

// counted is a connection of one process.
type counted struct {
	http.RoundTripper
	*counts
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	verb := r.Method
	if verb == http.MethodGet && strings.HasSuffix(r.URL.Path, "/leases") {
		verb = "LIST"
	}
	resp, err := c.RoundTripper.RoundTrip(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.all[verb+" failed"]++
		return nil, err
	}
	c.all[fmt.Sprint(verb, " ", resp.StatusCode)]++
	return resp, nil
}

// BenchmarkFleet measures pods that start at once, each with a connection of its own, on one API server with its
// default limits: how long until all have drawn a UID that do not give up, and the requests of a start. There are no
// rows yet, or as many as pods, or half as many again, which nobody has.
//
//	go test -run '^$' -bench Fleet -benchtime 1x ./engines/kubernetes
func BenchmarkFleet(b *testing.B) {
	k := shared(b)
	for _, pods := range []int{200, 1000} {
		for _, rows := range []int{0, pods, pods + pods/2} {
			b.Run(fmt.Sprintf("%d/rows=%d", pods, rows), func(b *testing.B) {
				for range b.N {
					b.StopTimer()
					n := newTenant(b, k)
					cfg := n.config(0)
					store := must(kubernetes.New(cfg))
					require.NoError(b, lease.Found(b.Context(), must(store.Leases("fleet")), lease.Founding{}))
					if rows > 0 {
						makeRows(b, store.Driver(), int64(rows))
					}
					b.StartTimer()
					fleet(b, cfg, pods)
				}
			})
		}
	}
}

// makeRows makes rows that nobody has had yet.
func makeRows(b *testing.B, d stores.Driver, rows int64) {
	own := stores.Key{Namespace: "fleet", ID: -1}.String()
	for id := int64(0); id < rows; {
		a := must(d.Read(b.Context(), stores.Query{Keys: []string{own}, Newest: true}))
		n := must(storage.ParseNamespace(a.Records[0].Text))
		w := stores.Write{Read: a, Were: a.Records, Puts: slices.Clone(a.Records),
			Otherwise: stores.Query{Keys: []string{own}}}
		for end := min(id+100, rows); id < end; id++ {
			none := stores.Record{Key: stores.Key{Namespace: "fleet", ID: id}.String()}
			w.Were = append(w.Were, none)
			none.Text = must(storage.LeaseText(storage.NewLease(id), fmt.Sprint(id)))
			w.Puts = append(w.Puts, none)
		}
		n.Given = id - 1
		w.Puts[0].Text = must(storage.NamespaceText(n, fmt.Sprint(id)))
		stored, _, err := d.Write(b.Context(), w)
		require.NoError(b, err)
		require.True(b, stored)
	}
}

func fleet(b *testing.B, cfg kubernetes.Config, pods int) {
	count := &counts{all: map[string]int{}}
	var mu sync.Mutex
	var starts []time.Duration
	var generators []*cached.Generator
	var failed []error
	var all sync.WaitGroup
	began := time.Now()
	for range pods {
		all.Go(func() {
			g, err := pod(b.Context(), cfg, count)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = append(failed, err)
				return
			}
			generators, starts = append(generators, g), append(starts, time.Since(began))
		})
	}
	all.Wait()
	require.NotEmpty(b, starts, "all starts have failed: %v; %v", failed, count.all)
	b.ReportMetric(100*float64(len(failed))/float64(pods), "gave-up-%")
	slices.Sort(starts)
	requests := 0
	for what, n := range count.all {
		b.ReportMetric(float64(n)/float64(pods), strings.ReplaceAll(what, " ", "-")+"/start")
		requests += n
	}
	b.ReportMetric(float64(requests)/float64(pods), "requests/start")
	b.ReportMetric(starts[len(starts)/2].Seconds(), "p50-s")
	b.ReportMetric(starts[len(starts)-1].Seconds(), "all-s")
	for _, g := range generators {
		all.Go(func() { _ = g.Close() })
	}
	all.Wait()
}

// pod is one process: it has drawn its first UID.
func pod(ctx context.Context, cfg kubernetes.Config, count *counts) (*cached.Generator, error) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(must(os.ReadFile(cfg.CAFile)))
	cfg.CAFile, cfg.Client = "", &http.Client{Transport: counted{&http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, DisableCompression: true,
	}, count}}
	store, err := kubernetes.New(cfg)
	if err != nil {
		return nil, err
	}
	leases, err := store.Leases("fleet")
	if err != nil {
		return nil, err
	}
	quiet := slog.New(slog.DiscardHandler)
	w, err := lease.New(leases, lease.Config{Logger: quiet})
	if err != nil {
		return nil, err
	}
	g, err := cached.NewContext(ctx, w, cached.Config{Logger: quiet})
	if err == nil {
		_, err = g.GetUID()
	}
	return g, err
}
