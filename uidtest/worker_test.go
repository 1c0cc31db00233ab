package uidtest_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/uidtest"
)

func terms() uid.Terms {
	t := bits.MustParseLayout("twitter").Terms()
	t.Revoke = func() {}
	return t
}

func at(tick int64) func() time.Time {
	return func() time.Time { return bits.MustParseLayout("twitter").TimeOf(tick) }
}

func TestZeroWorkerReservesAll(t *testing.T) {
	var w uidtest.Worker
	r := must(w.Acquire(t.Context(), terms()))
	require.Equal(t, uid.Reservation{Last: math.MaxInt64, Renew: math.MaxInt64}, r)
	require.Equal(t, r, must(w.Extend(t.Context(), 99)))
	require.NoError(t, w.Release(t.Context(), 41))
	require.EqualValues(t, 42, must(w.Acquire(t.Context(), terms())).First, "above what the one before has issued")
	require.Equal(t, []string{"Acquire", "Extend(99)", "Release(41)", "Acquire"}, w.Calls())
}

// A generator's floor is that of whoever comes next, also under another ID, and even if nothing was issued.
func TestWorkerKeepsTheFloor(t *testing.T) {
	w, floored := &uidtest.Worker{}, terms()
	floored.MinTick = 50
	must(w.Acquire(t.Context(), floored))
	require.NoError(t, w.Release(t.Context(), -1))
	require.EqualValues(t, 50, must(w.Acquire(t.Context(), terms())).First)
	require.NoError(t, w.Release(t.Context(), -1))
	must(w.Acquire(t.Context(), floored))
	require.NoError(t, w.Lose(1))
	require.NoError(t, w.Release(t.Context(), -1))
	require.EqualValues(t, 50, must(w.Acquire(t.Context(), terms())).First)
}

func TestWorkerReservesTicks(t *testing.T) {
	now := int64(1000)
	w := &uidtest.Worker{ID: 7, Ticks: 10, Now: func() time.Time { return at(now)() }}
	require.Equal(t, uid.Reservation{WorkerID: 7, Last: 1009, Renew: 1005}, must(w.Acquire(t.Context(), terms())))
	now = 1006
	r := must(w.Extend(t.Context(), 5000))
	require.Equal(t, uid.Reservation{WorkerID: 7, Last: 1015, Renew: 1011}, r, "no more, whatever is asked for")

	one := &uidtest.Worker{Ticks: 1, Now: at(1000)}
	require.Equal(t, uid.Reservation{Last: 1000, Renew: 1001}, must(one.Acquire(t.Context(), terms())))
	require.NoError(t, one.Release(t.Context(), 2000))
	r = must(one.Acquire(t.Context(), terms()))
	require.Equal(t, uid.Reservation{First: 2001, Last: 2001, Renew: 2002}, r, "the one before has borrowed")

	all := &uidtest.Worker{Ticks: math.MaxInt64, Now: at(1000)}
	require.Equal(t, int64(math.MaxInt64), must(all.Acquire(t.Context(), terms())).Last)
}

func TestWorkerRefuses(t *testing.T) {
	for id, says := range map[int64]string{-1: "worker ID -1", 1024: "worker ID 1024"} {
		w := &uidtest.Worker{ID: id}
		logtest.Error(t, errorOf(w.Acquire(t.Context(), terms())), uid.ErrRange, says+": the layout holds 0 to 1023")
		require.ErrorIs(t, w.Release(t.Context(), 1), uid.ErrNoReservation, "a refusal binds nothing")
	}
	_, err := (&uidtest.Worker{Ticks: -1}).Acquire(t.Context(), terms())
	logtest.Error(t, err, uid.ErrConfig, "-1 Ticks")

	var w uidtest.Worker
	require.ErrorIs(t, errorOf(w.Extend(t.Context(), 1)), uid.ErrNoReservation)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, errorOf(w.Acquire(ctx, terms())), context.Canceled)
	must(w.Acquire(t.Context(), terms()))
	require.ErrorIs(t, errorOf(w.Acquire(t.Context(), terms())), uid.ErrWorkerInUse)
	require.ErrorIs(t, errorOf(w.Extend(ctx, 1)), context.Canceled)
	require.NoError(t, w.Release(ctx, 1))
	require.Len(t, w.Calls(), 6)
}

func TestWorkerFails(t *testing.T) {
	var w uidtest.Worker
	down := errors.New("down")
	w.Fail(down)
	require.ErrorIs(t, errorOf(cached.New(&w, cached.Config{})), down)
	w.Fail(nil)
	must(w.Acquire(t.Context(), terms()))
	w.Fail(down)
	_, err := w.Extend(t.Context(), 5)
	require.Equal(t, down, err)
	require.Equal(t, down, w.Release(t.Context(), 5))
	calls := w.Calls()
	require.Equal(t, "Release(5): down", calls[len(calls)-1])
	w.Fail(nil)
	_, err = w.Acquire(t.Context(), terms())
	require.NoError(t, err, "it is released all the same")
}

func TestLoseRefuses(t *testing.T) {
	w := &uidtest.Worker{ID: 1}
	require.ErrorIs(t, w.Lose(-1), uid.ErrRange)
	require.NoError(t, w.Lose(2), "it has no generator yet")
	r := must(w.Acquire(t.Context(), terms()))
	require.EqualValues(t, 2, r.WorkerID)
	for _, id := range []int64{1, 2, -1, 1024} {
		require.ErrorIs(t, w.Lose(id), uid.ErrRange)
	}
	require.EqualValues(t, 2, must(w.Extend(t.Context(), 1)).WorkerID)
}

// A generator of either kind, at work while its worker loses its ID again and again, issues no UID
// twice, and none under an ID that was lost.
func TestGeneratorsLoseTheirID(t *testing.T) {
	for _, ticks := range []int64{0, 1, 5} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)))
			for _, start := range []func(w uid.Worker) (uid.Generator, error){
				func(w uid.Worker) (uid.Generator, error) { return cached.New(w, cached.Config{}) },
				func(w uid.Worker) (uid.Generator, error) { return uncached.New(w, uncached.Config{}) },
			} {
				w := &uidtest.Worker{ID: 9, Ticks: ticks}
				g := must(start(w))
				seen := map[uid.UID]bool{}
				for id := int64(10); id < 20; id++ {
					require.NoError(t, w.Lose(id))
					for range 5 {
						u := must(g.GetUID())
						require.Equal(t, id, must(bits.Default().Parse(u)).WorkerID)
						require.False(t, seen[u])
						seen[u] = true
						time.Sleep(700 * time.Millisecond)
					}
				}
				require.NoError(t, g.Close())
			}
		})
	}
}

func TestWorkerOfManyGoroutines(t *testing.T) {
	w := &uidtest.Worker{Ticks: 3}
	var wg sync.WaitGroup
	for i := range int64(8) {
		wg.Go(func() {
			_, _ = w.Acquire(t.Context(), terms())
			_ = w.Lose(i)
			w.Fail(nil)
			_, _ = w.Extend(t.Context(), i)
			_ = w.Release(t.Context(), i)
			_ = w.Calls()
		})
	}
	wg.Wait()
	require.Len(t, w.Calls(), 24)
}
