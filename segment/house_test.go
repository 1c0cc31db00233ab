package segment_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
)

// A house is a store in memory, and what it logs. Its client counts the calls, which take a while.
type house struct {
	*segmenttest.Memory
	client  *segmenttest.Client
	takes   time.Duration // a Change
	calls   atomic.Int64
	now     atomic.Int64 // calls under way,
	most    atomic.Int64 // and the most there were
	log     logtest.Records
	refuse  atomic.Pointer[error]
	breaks  atomic.Pointer[func()] // called in place of a Change
	lossy   atomic.Pointer[string] // what Inspect finds; nil for nothing
	strange atomic.Bool            // Inspect finds columns that cannot hold the rows
	twice   atomic.Bool            // the next Change is stored, and then runs again
}

func newHouse() *house {
	m := segmenttest.NewMemory()
	return &house{Memory: m, client: m.Client()}
}

func (h *house) Change(ctx context.Context, tag string, decide func(*storage.Segment) error) error {
	h.calls.Add(1)
	h.most.Store(max(h.most.Load(), h.now.Add(1)))
	defer h.now.Add(-1)
	if h.takes > 0 {
		select {
		case <-time.After(h.takes):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := h.refuse.Load(); err != nil {
		return *err
	}
	if breaks := h.breaks.Load(); breaks != nil {
		(*breaks)()
	}
	if h.twice.Swap(false) {
		if err := h.client.Change(ctx, tag, decide); err != nil {
			return err
		}
	}
	return h.client.Change(ctx, tag, decide)
}

func (h *house) Rows(ctx context.Context, after string, most int) ([]storage.Segment, error) {
	return h.client.Rows(ctx, after, most)
}

func (h *house) Inspect(ctx context.Context) ([]string, error) {
	if h.strange.Load() {
		return nil, fmt.Errorf("%w: the column max_id is a text", uid.ErrConfig)
	}
	if why := h.lossy.Load(); why != nil {
		return []string{*why}, nil
	}
	return h.client.Inspect(ctx)
}
func (h *house) Name() string { return "the house" }

// start returns a generator of the tag "a", which it makes if need be.
func (h *house) start(t testing.TB, cfg segment.Config) *segment.Generator {
	t.Helper()
	cfg.Create = true
	if cfg.Logger == nil {
		cfg.Logger = h.log.Logger()
	}
	g := must(segment.New(h, "a", cfg))
	t.Cleanup(func() { _ = g.Close() })
	return g
}

// bubble runs a test in a synctest bubble, on a generator of a new house.
func bubble(t *testing.T, cfg segment.Config, test func(t *testing.T, h *house, g *segment.Generator)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		test(t, h, h.start(t, cfg))
	})
}

// tens takes ten numbers at once.
var tens = segment.Config{MinStep: 10, MaxStep: 10}

// errOf returns the error of a call.
func errOf[T any](_ T, err error) error { return err }

// next returns the next number.
func next(t testing.TB, g *segment.Generator) int64 {
	t.Helper()
	u := must(g.GetUID())
	return int64(u)
}

// requireNext requires that the next numbers are those from first to last.
func requireNext(t testing.TB, g *segment.Generator, first, last int64) {
	t.Helper()
	for want := first; want <= last; want++ {
		require.Equal(t, want, next(t, g))
	}
}

// release returns how many numbers the generator gives back, once it has what it has asked for.
func release(t testing.TB, g *segment.Generator) int64 {
	t.Helper()
	synctest.Wait()
	n := must(g.Release(t.Context()))
	return n
}

// A tally notes which numbers were drawn.
type tally struct {
	mu   sync.Mutex
	seen map[int64]bool
	twos []int64
	most int64
}

func (y *tally) add(all ...uid.UID) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.seen == nil {
		y.seen = map[int64]bool{}
	}
	for _, u := range all {
		n := int64(u)
		if y.seen[n] {
			y.twos = append(y.twos, n)
		}
		y.seen[n] = true
		y.most = max(y.most, n)
	}
}

// requireDense requires that each number from 1 to the highest was drawn once.
func (y *tally) requireDense(t *testing.T) {
	t.Helper()
	require.Empty(t, y.twos, "drawn twice")
	require.Len(t, y.seen, int(y.most), "from 1 to %d", y.most)
}
