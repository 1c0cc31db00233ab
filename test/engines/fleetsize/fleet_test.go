package fleetsize

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/proxy"
	"github.com/uidgen/uid/worker/lease"
)

// A size is how much of everything there is.
type size struct {
	processes, leases int // of each process
	window, steady    time.Duration
}

// connections is how many each process may have to a database.
const connections = 5

// TestFleet measures each kind of server.
func TestFleet(t *testing.T) {
	size := size{processes: 4, leases: 50, window: 10 * time.Second, steady: 10 * time.Second}
	if isFull {
		size.processes, size.leases, size.window, size.steady = 20, 100, lease.DefaultWindow, 90*time.Second
	}
	before := load(t)
	var all []measured
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			if m := k.start(t).measure(t, size); !t.Failed() {
				all = append(all, m)
			}
		}) // its servers are gone then
	}
	table(t, size, before, all, isFull && len(all) == len(kinds))
}

// latency is one way's, of the line.
const latency = 40 * time.Millisecond

func (s *server) measure(t *testing.T, size size) (m measured) {
	m.name = s.name
	launch := func(t *testing.T, namespace string, addrs []string) *crowd {
		j := job{Store: s.url(addrs), Namespace: namespace, Leases: size.leases, Connections: connections, Window: size.window}
		near := j
		near.Store = s.url(s.addrs)
		near.found(t)
		return j.launch(t, size.processes)
	}
	t.Run("near", func(t *testing.T) {
		c := launch(t, "near", s.addrs)
		m.near = c.start()
		began, cpu, counted := time.Since(c.began), s.cpu(t), s.counted(t)
		time.Sleep(size.steady)
		ended := time.Since(c.began)
		m.steady = ended - began
		m.cpu = float64(s.cpu(t)-cpu) / float64(m.steady)
		m.counted = s.counted(t) - counted
		calls := c.end()
		m.takes = took(between(calls, false, 0, ended))
		renewals := between(calls, true, began, ended)
		m.renewals = took(renewals)
		for _, c := range renewals { // what was under way at the end may have been given up
			require.True(t, c.Error == "" || c.Began+c.Took >= ended, "a renewal failed: %s", c.Error)
		}
		all := size.leases * size.processes
		require.GreaterOrEqual(t, len(took(between(calls, true, ended, math.MaxInt64))), all, "each is released")
		require.GreaterOrEqual(t, len(m.renewals), all, "each renews at least once")
	})
	t.Run("far", func(t *testing.T) {
		addrs := make([]string, len(s.addrs))
		proxies := make([]*proxy.Proxy, len(s.addrs))
		for i, addr := range s.addrs {
			p, err := proxy.Listen("127.0.0.1:0", addr)
			require.NoError(t, err)
			t.Cleanup(p.Close)
			p.Latency(latency)
			proxies[i], addrs[i] = p, p.Addr()
		}
		traffic := func() (n int64) {
			for _, p := range proxies {
				to, from := p.Traffic()
				n += to + from
			}
			return n
		}
		c := launch(t, "far", addrs)
		m.far = c.start()
		m.startBytes = traffic()
		began := time.Since(c.began)
		time.Sleep(size.window)
		m.renewBytes = traffic() - m.startBytes
		ended := time.Since(c.began)
		m.farRenewals = took(between(c.end(), true, began, ended))
		require.Less(t, slices.Max(m.far.Acquired), time.Minute, "all that start at once have an ID within a minute")
	})
	return m
}
