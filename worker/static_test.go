package worker_test

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/worker"
)

var terms = fake.Terms

func TestStaticReservesEverything(t *testing.T) {
	for _, id := range []int64{0, 5, 1023} {
		w := worker.Static(id, rand.Text())
		r := acquire(t, w, terms(1023))
		require.Equal(t, uid.Reservation{WorkerID: id, Last: math.MaxInt64, Renew: math.MaxInt64}, r)
		again, err := w.Extend(t.Context(), 1<<40)
		require.NoError(t, err)
		require.Equal(t, r, again)
	}
}

// A worker serves one generator at a time, and so do all workers of a space.
func TestStaticServesOneGenerator(t *testing.T) {
	one := worker.Static(3, rand.Text())
	for name, next := range map[string]func() uid.Worker{
		"one worker":   func() uid.Worker { return one },
		"of one space": func() uid.Worker { return worker.Static(3, t.Name()) },
	} {
		terms := newLayout()
		var bound, refused atomic.Int32
		var wg sync.WaitGroup
		var workers []uid.Worker // which all stay until the last one has tried
		for range 16 {
			w := next()
			workers = append(workers, w)
			wg.Go(func() {
				if err := acquireError(t, w, terms); err == nil {
					bound.Add(1)
				} else if errors.Is(err, uid.ErrWorkerInUse) {
					refused.Add(1)
				}
			})
		}
		wg.Wait()
		runtime.KeepAlive(workers)
		require.EqualValues(t, 1, bound.Load(), name)
		require.EqualValues(t, 15, refused.Load(), name)
	}
	require.NoError(t, one.Release(t.Context(), -1))
	acquire(t, one, terms(9)) // released, it serves another one
}

func TestStaticUnbound(t *testing.T) {
	w := worker.Static(3, rand.Text())
	_, err := w.Extend(t.Context(), 0)
	require.ErrorIs(t, err, uid.ErrNoReservation)
	require.ErrorIs(t, w.Release(t.Context(), 5), uid.ErrNoReservation)
	require.Zero(t, acquire(t, w, terms(9)).First, "the release that was refused counts for nothing")
}

func TestStaticContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := worker.Static(3, rand.Text())
	_, err := w.Acquire(ctx, terms(9))
	require.ErrorIs(t, err, context.Canceled)
	acquire(t, w, terms(9))
	require.NoError(t, w.Release(ctx, 3), "closing works without a context's consent")
}

func TestStaticLayoutChange(t *testing.T) {
	w := worker.Static(3, rand.Text())
	other := terms(9)
	other.Layout = "41 ms/10/12"
	acquire(t, w, terms(9))
	require.NoError(t, w.Release(t.Context(), -1))

	acquire(t, w, other) // nothing was issued under the first layout
	require.NoError(t, w.Release(t.Context(), 7))

	logtest.Error(t, acquireError(t, w, terms(9)), worker.ErrLayout, "41 ms/10/12", "28 s/22/13")
	require.EqualValues(t, 8, acquire(t, w, other).First)
}

// Whatever generators come and go, on one worker or on several of a space, no tick is reserved again that one of
// them may have issued.
func TestStaticNeverRepeatsATick(t *testing.T) {
	terms := newLayout()
	rapid.Check(t, func(t *rapid.T) {
		workers := []uid.Worker{worker.Static(1, rand.Text())}
		if space := rapid.StringN(0, 20, -1).Draw(t, "space"); space != "" {
			workers = []uid.Worker{worker.Static(1, space), worker.Static(1, space), worker.Static(1, space)}
		}
		used := int64(-1)
		for range rapid.IntRange(1, 10).Draw(t, "generators") {
			w := rapid.SampledFrom(workers).Draw(t, "worker")
			r, err := w.Acquire(context.Background(), terms)
			require.NoError(t, err)
			require.Greater(t, r.First, used)
			last := int64(-1)
			if issued := rapid.Int64Range(0, 1000).Draw(t, "issued"); issued > 0 {
				last = r.First + issued - 1
				used = last
			}
			require.NoError(t, w.Release(context.Background(), last))
		}
	})
}

// A worker keeps a floor for the generators that come later.
func TestStaticFloor(t *testing.T) {
	terms := bits.MustParseLayout("twitter").Terms()
	w := worker.Static(9, rand.Text()) // of this run alone
	terms.MinTick, terms.Revoke = 1000, func() {}
	require.EqualValues(t, 1000, acquire(t, w, terms).First)
	require.NoError(t, w.Release(t.Context(), -1))
	terms.MinTick = 0
	require.EqualValues(t, 1000, acquire(t, w, terms).First)
	require.NoError(t, w.Release(t.Context(), 2000))
	terms.MinTick = 500
	require.EqualValues(t, 2001, acquire(t, w, terms).First, "what was issued counts as well")
	require.NoError(t, w.Release(t.Context(), -1))
}
