package redis_test

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/proxy"
	"github.com/uidgen/uid/worker/lease"
)

// A watch sees each UID that is issued.
type watch struct {
	layout bits.Layout

	mu     sync.Mutex
	issued map[uid.UID]int // by which owner
	twice  int
	first  [2]int // the owners of the first that came twice

	events [3]atomic.Int64 // acquisitions, takeovers, losses
	stop   chan struct{}
	owners sync.WaitGroup
	count  int
}

func newWatch(t *testing.T) *watch {
	layout, err := bits.NewLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond})
	require.NoError(t, err)
	return &watch{layout: layout, issued: map[uid.UID]int{}, stop: make(chan struct{})}
}

func (w *watch) event(e lease.Event) {
	for i, kind := range []lease.EventKind{lease.Acquired, lease.TakenOver, lease.Lost} {
		if e.Kind == kind {
			w.events[i].Add(1)
		}
	}
}

// start starts owners that draw UIDs until the end. Each leases from a client of its own.
func (w *watch) start(t *testing.T, n int, cfg lease.Config, connect func() goredis.UniversalClient) {
	var started sync.WaitGroup
	for range n {
		w.count++
		owner := w.count
		started.Go(func() {
			cfg := cfg
			cfg.OnEvent, cfg.Logger = w.event, slog.New(slog.DiscardHandler)
			l, err := lease.New(leases(t, connect(), "orders"), cfg)
			if err != nil {
				t.Error(err)
				return
			}
			g, err := uncached.New(l, uncached.Config{Layout: w.layout, Logger: cfg.Logger})
			if err != nil {
				t.Error(err)
				return
			}
			w.owners.Go(func() { w.draw(owner, g) })
		})
	}
	started.Wait()
}

func (w *watch) draw(owner int, g *uncached.Generator) {
	for {
		select {
		case <-w.stop:
			ctx, cancel := context.WithCancel(context.Background())
			cancel() // leave the lease
			_ = g.CloseContext(ctx)
			return
		case <-time.After(time.Millisecond):
		}
		u, err := g.TryGetUID()
		if err != nil {
			continue // nothing is reserved at the moment
		}
		w.mu.Lock()
		if other, found := w.issued[u]; found {
			if w.twice++; w.twice == 1 {
				w.first = [2]int{other, owner}
			}
		}
		w.issued[u] = owner
		w.mu.Unlock()
	}
}

// seen returns how many UIDs were issued, and how many of them twice.
func (w *watch) seen() (issued, twice int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.issued), w.twice
}

// await waits until so many more UIDs are issued.
func (w *watch) await(t *testing.T, more int) {
	t.Helper()
	before, _ := w.seen()
	require.Eventually(t, func() bool {
		n, _ := w.seen()
		return n >= before+more
	}, time.Minute, 5*time.Millisecond)
}

// A replica that lacks the last acquisitions and renewals is promoted, again and again, while
// owners draw UIDs, and new ones start at once. The burn covers that; without it UIDs come twice.
func TestFailover(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		t.Run("with the burn", func(t *testing.T) {
			w := k.failovers(t, lease.Config{})
			issued, twice := w.seen()
			require.Zero(t, twice, "of %d UIDs; the first of owners %v", issued, w.first)
		})
		t.Run("without the burn", func(t *testing.T) {
			w := k.failovers(t, lease.Config{DurableStore: true, DurableStoreUnverified: true})
			_, twice := w.seen()
			require.NotZero(t, twice, "this run must be able to find some")
		})
	})
}

func (k kind) failovers(t *testing.T, cfg lease.Config) *watch {
	p, err := k.pair(k.name, "--requirepass="+secret)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	// Clients find the primary at one address, as by a name or through Sentinel.
	front, err := proxy.Listen("127.0.0.1:0", p.Addr())
	require.NoError(t, err)
	t.Cleanup(front.Close)
	connect := func() goredis.UniversalClient { return client(t, front.Addr()) }

	w := newWatch(t)
	terms := w.layout.Terms()
	require.NoError(t, lease.Found(t.Context(), leases(t, connect(), "orders"), lease.Founding{Terms: terms}))
	require.NoError(t, p.CatchUp())
	cfg.Window, cfg.MaxClockSkew, cfg.Quarantine = time.Second, 50*time.Millisecond, 50*time.Millisecond
	cfg.TTL = 1500 * time.Millisecond
	w.start(t, 5, cfg, connect)
	for range 3 {
		require.NoError(t, p.CatchUp())
		p.Lag(true)
		w.start(t, 5, cfg, connect) // these acquisitions will be lost
		w.await(t, 3000)            // and what all owners renew meanwhile
		require.NoError(t, p.Failover())
		front.Retarget(p.Addr())
		w.start(t, 5, cfg, connect) // these get the same IDs
		w.await(t, 3000)
		require.NoError(t, p.Rejoin())
	}
	close(w.stop)
	w.owners.Wait()
	issued, twice := w.seen()
	t.Logf("%d UIDs of %d owners, %d of them twice; %d acquisitions, %d takeovers, %d losses of a lease", issued, w.count, twice,
		w.events[0].Load(), w.events[1].Load(), w.events[2].Load())
	require.NotZero(t, w.events[2].Load(), "no lease was lost: nothing was tried")
	return w
}
