package engines_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlite"
)

// BenchmarkLease measures what a generator does on a lease, all with default settings: how long a start takes, from New
// on an open store to the first UID, and how far that is ahead of the clock; how many UIDs a burst gets; and how long
// calls go on once the store is out of reach. An iteration takes a minute and a half:
//
//	go test -run '^$' -bench Lease -benchtime 1x -count 5 ./test/engines
func BenchmarkLease(b *testing.B) {
	for _, e := range []engines.Engine{
		engines.MariaDB, engines.MySQL9, engines.Postgres, engines.SQLite, engines.Etcd, engines.ZooKeeper,
		engines.Redis(),
	} {
		b.Run(e.Name, func(b *testing.B) {
			d, err := e.Start()
			if err != nil && e.Optional {
				b.Skip(err)
			}
			require.NoError(b, err)
			b.Cleanup(d.Close)
			n := engines.NewNetwork(b, d)
			store, end, err := engines.Open(b.Context(), d.URL(n.Near.Addrs(0)...))
			require.NoError(b, err)
			b.Cleanup(func() { end.Close() })
			for i := range b.N {
				leases := func(namespace string) lease.Store {
					return must(store.Namespace(fmt.Sprint(namespace, i)))
				}
				first, took, ahead := start(b, leases("missing"))
				b.ReportMetric(took.Seconds(), "first-s")
				b.ReportMetric(ahead.Minutes(), "first-ahead-min")
				require.NoError(b, first.Close())

				founded := leases("founded")
				require.NoError(b, lease.Found(b.Context(), founded, lease.Founding{}))
				for _, metric := range []string{"founded", "later"} {
					g, took, ahead := start(b, founded)
					b.ReportMetric(1000*took.Seconds(), metric+"-ms")
					b.ReportMetric(ahead.Seconds(), metric+"-ahead-s")
					require.NoError(b, g.Close())
				}
				burst(b, founded)
				outage(b, d, n, leases("outage"))
			}
		})
	}
}

var quiet = slog.New(slog.DiscardHandler)

// start returns a generator, how long it took until its first UID, and how far that is ahead of the clock.
func start(b *testing.B, leases lease.Store) (g *cached.Generator, took, ahead time.Duration) {
	b.Helper()
	began := time.Now()
	g = must(cached.New(must(lease.New(leases, lease.Config{Logger: quiet})), cached.Config{Logger: quiet}))
	u, err := g.GetUID()
	took = time.Since(began)
	require.NoError(b, err)
	return g, took, time.Until(must(bits.Default().Parse(u)).Time)
}

// burst counts the UIDs that come without a wait, and those that come within five seconds.
func burst(b *testing.B, leases lease.Store) {
	g, _, _ := start(b, leases)
	atOnce, all := 0, 0
	for _, err := g.TryGetUID(); err == nil; _, err = g.TryGetUID() {
		atOnce++
	}
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Second)
	defer cancel()
	for _, err := g.GetUIDContext(ctx); err == nil; _, err = g.GetUIDContext(ctx) {
		all++
	}
	b.ReportMetric(float64(atOnce), "at-once-UIDs")
	b.ReportMetric(float64(atOnce+all), "5s-UIDs")
	require.NoError(b, g.Close())
}

// outage draws 8,000 UIDs a second until a call fails, after the store has gone.
func outage(b *testing.B, d *engines.Deployment, n *engines.Network, leases lease.Store) {
	require.NoError(b, lease.Found(b.Context(), leases, lease.Founding{}))
	g, _, _ := start(b, leases)
	if len(d.Addrs) > 0 {
		n.Near.Each((*harness.Proxy).Cut)
		n.Near.Each(func(p *harness.Proxy) { p.Refuse(true) })
		defer n.Near.Each(func(p *harness.Proxy) { p.Refuse(false) })
	} else { // of a file, somebody else holds the lock
		db := must(sqlite.Open(b.Context(), strings.TrimPrefix(d.URL(), "sqlite://")))
		defer db.Close()
		db.SetMaxOpenConns(1)
		_, err := db.ExecContext(b.Context(), "BEGIN EXCLUSIVE")
		require.NoError(b, err)
	}
	gone := time.Now()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for drawn := 0.0; ; <-tick.C {
		for ; drawn < 8000*time.Since(gone).Seconds(); drawn++ {
			ctx, cancel := context.WithTimeout(b.Context(), time.Second)
			_, err := g.GetUIDContext(ctx)
			cancel()
			if err != nil {
				b.ReportMetric(time.Since(gone).Seconds(), "outage-s")
				_ = g.Close() // cannot release the lease
				return
			}
		}
	}
}
