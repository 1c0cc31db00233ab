package engines_test

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
)

// BenchmarkFleet measures 2,000 processes, each with a connection of its own, that start at once and then renew their
// leases once: how long a start takes until its first UID, and a renewal. "far" is a line whose round trips
// take 80 ms:
//
//	go test -run '^$' -bench Fleet -benchtime 1x ./test/engines
func BenchmarkFleet(b *testing.B) {
	const processes = 2000
	for name, start := range map[string]func() (*engines.Deployment, error){
		"mariadb":  engines.Alone(cluster.StartMariaDB, "fleet", "--max-connections=2200"),
		"postgres": engines.Alone(cluster.StartPostgres, "fleet", "max_connections=2200"),
		"etcd":     engines.Etcd.Start,
	} {
		for line, delay := range map[string]time.Duration{"near": 0, "far": 80 * time.Millisecond} {
			b.Run(name+"/"+line, func(b *testing.B) {
				d := must(start())
				b.Cleanup(d.Close)
				n := engines.NewNetwork(b, d)
				n.Near.Each(func(p *harness.Proxy) { p.Delay(delay) })
				var urls []string
				for _, addr := range n.Near.Addrs(0) { // a process has a connection, and leaves the others of a cluster
					// A server needs longer to make that many connections than other tests wait for one.
					urls = append(urls, strings.Replace(d.URL(addr), "connect_timeout=2", "connect_timeout=60", 1))
				}
				for range b.N {
					fleet(b, urls, processes)
				}
			})
		}
	}
}

var quiet = slog.New(slog.DiscardHandler)

// fleet starts processes, and ends them once they have renewed their leases.
func fleet(b *testing.B, urls []string, processes int) {
	var starts, renewals durations
	var started, ended sync.WaitGroup
	over := make(chan struct{})
	for i := range processes {
		started.Add(1)
		ended.Go(func() {
			began := time.Now()
			g, end, err := member(b.Context(), urls[i%len(urls)], &renewals)
			starts.add(time.Since(began))
			started.Done()
			if assert.NoError(b, err) {
				<-over
				// Many leases are not given back in time, when all are at once. They end by themselves.
				_ = g.Close()
				_ = end.Close()
			}
		})
	}
	started.Wait()
	time.Sleep(35 * time.Second) // each renews after half a Window at most
	b.ReportMetric(starts.quantile(0.5).Seconds(), "start-p50-s")
	b.ReportMetric(starts.quantile(0.99).Seconds(), "start-p99-s")
	b.ReportMetric(starts.quantile(1).Seconds(), "all-s")
	b.ReportMetric(1000*renewals.quantile(0.5).Seconds(), "renewal-p50-ms")
	b.ReportMetric(1000*renewals.quantile(0.99).Seconds(), "renewal-p99-ms")
	close(over)
	ended.Wait()
}

// member is one process: it has drawn its first UID.
func member(ctx context.Context, where string, renewals *durations) (*cached.Generator, io.Closer, error) {
	store, end, err := engines.Open(ctx, where)
	if err != nil {
		return nil, nil, err
	}
	leases, err := store.Namespace("fleet")
	if err != nil {
		return nil, nil, err
	}
	w, err := lease.New(&timed{leases, renewals}, lease.Config{Logger: quiet, Timeout: 5 * time.Minute})
	if err != nil {
		return nil, nil, err
	}
	g, err := cached.NewContext(ctx, w, cached.Config{Logger: quiet})
	if err != nil {
		return nil, nil, err
	}
	_, err = g.GetUID()
	return g, end, err
}

// A timed store notes how long renewals take.
type timed struct {
	lease.Store
	renewals *durations
}

func (s *timed) Change(ctx context.Context, id int64,
	decide func(*storage.Namespace, *storage.Lease, storage.Clock) error) error {
	began := time.Now()
	defer func() { s.renewals.add(time.Since(began)) }()
	return s.Store.Change(ctx, id, decide)
}

type durations struct {
	mu  sync.Mutex
	all []time.Duration
}

func (d *durations) add(one time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, one)
}

func (d *durations) quantile(q float64) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.all) == 0 {
		return 0
	}
	slices.Sort(d.all)
	return d.all[int(q*float64(len(d.all)-1))]
}
