// Package watch has owners of leases draw UIDs, for tests that break what they lease from, and sees
// each UID that comes twice.
package watch

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/worker/lease"
)

// A Watch sees each UID that is issued.
type Watch struct {
	Layout bits.Layout
	// Acquired, TakenOver and Lost count events.
	Acquired, TakenOver, Lost atomic.Int64

	mu     sync.Mutex
	issued map[uid.UID]int // by which owner
	twice  int
	first  [2]int    // the owners of the first that came twice
	drawn  []int     // how many UIDs each owner has drawn
	last   []uid.UID // and the last of them

	stop   chan struct{}
	owners sync.WaitGroup
}

// New returns a Watch without owners, for UIDs with 10 bits of worker ID.
func New(t *testing.T) *Watch {
	layout, err := bits.NewLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond})
	require.NoError(t, err)
	return &Watch{Layout: layout, issued: map[uid.UID]int{}, stop: make(chan struct{})}
}

func (w *Watch) event(e lease.Event) {
	switch e.Kind {
	case lease.Acquired:
		w.Acquired.Add(1)
	case lease.TakenOver:
		w.TakenOver.Add(1)
	case lease.Lost:
		w.Lost.Add(1)
	}
}

// Start starts owners that draw UIDs until the end. Each leases from a client of its own.
func (w *Watch) Start(t *testing.T, n int, cfg lease.Config, open func() lease.Store) {
	var started sync.WaitGroup
	for range n {
		w.mu.Lock()
		owner := len(w.drawn)
		w.drawn, w.last = append(w.drawn, 0), append(w.last, 0)
		w.mu.Unlock()
		started.Go(func() {
			cfg := cfg
			cfg.OnEvent, cfg.Logger = w.event, slog.New(slog.DiscardHandler)
			l, err := lease.New(open(), cfg)
			if err != nil {
				t.Error(err)
				return
			}
			g, err := uncached.New(l, uncached.Config{Layout: w.Layout, Logger: cfg.Logger})
			if err != nil {
				t.Error(err)
				return
			}
			w.owners.Go(func() { w.draw(owner, g) })
		})
	}
	started.Wait()
}

func (w *Watch) draw(owner int, g *uncached.Generator) {
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
		w.drawn[owner]++
		w.last[owner] = u
		w.mu.Unlock()
	}
}

// Seen returns how many UIDs were issued, how many of them twice, and the owners of the first of these.
func (w *Watch) Seen() (issued, twice int, first [2]int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.issued), w.twice, w.first
}

// Await waits until all owners together have drawn so many more UIDs.
func (w *Watch) Await(t *testing.T, more int) {
	t.Helper()
	before, _, _ := w.Seen()
	require.Eventually(t, func() bool {
		n, _, _ := w.Seen()
		return n >= before+more
	}, time.Minute, 5*time.Millisecond)
}

// AwaitEach waits until each owner has drawn so many more UIDs.
func (w *Watch) AwaitEach(t *testing.T, more int) {
	t.Helper()
	w.mu.Lock()
	before := append([]int(nil), w.drawn...)
	w.mu.Unlock()
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		for i, n := range before {
			if w.drawn[i] < n+more {
				return false
			}
		}
		return true
	}, time.Minute, 5*time.Millisecond)
}

// IDs returns the worker IDs of each owner's last UID.
func (w *Watch) IDs(t *testing.T) (ids []int64) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, u := range w.last {
		parts, err := w.Layout.Parse(u)
		require.NoError(t, err)
		ids = append(ids, parts.WorkerID)
	}
	return ids
}

// End ends all owners, which leave their leases as if they had been killed. It returns how many there were.
func (w *Watch) End() (owners int) {
	close(w.stop)
	w.owners.Wait()
	return len(w.drawn)
}
