package worker_test

import (
	"crypto/rand"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/worker"
)

var layouts atomic.Int64

// newLayout returns terms of a layout that no test has had before.
func newLayout() uid.Terms {
	terms := terms(9)
	terms.Layout = fmt.Sprint("layout-", layouts.Add(1))
	return terms
}

func acquire(t *testing.T, w uid.Worker, terms uid.Terms) uid.Reservation {
	t.Helper()
	r, err := w.Acquire(t.Context(), terms)
	require.NoError(t, err)
	return r
}

func acquireError(t *testing.T, w uid.Worker, terms uid.Terms) error {
	_, err := w.Acquire(t.Context(), terms)
	return err
}

// A generator for each call, which is the commonest mistake with such libraries.
func TestOneProcessOneNumber(t *testing.T) {
	seen := map[uid.UID]bool{}
	for range 100 {
		g, err := cached.New(worker.Static(1), cached.Config{})
		require.NoError(t, err)
		u, err := g.GetUID()
		require.NoError(t, err)
		seen[u] = true
		require.NoError(t, g.Close())
	}
	require.Len(t, seen, 100)
}

func TestStaticsShareOneSpace(t *testing.T) {
	mine := newLayout()
	first := worker.Static(3)
	acquire(t, first, mine)
	for _, w := range []uid.Worker{worker.Static(3), worker.FromSource(worker.FixedID(3))} {
		logtest.Error(t, acquireError(t, w, mine), uid.ErrWorkerInUse, "made at worker/space_test.go:")
	}
	acquire(t, worker.Static(4), mine)
	acquire(t, worker.Static(3, rand.Text()), mine)
	require.NoError(t, first.Release(t.Context(), 5))
	require.EqualValues(t, 6, acquire(t, worker.FromSource(worker.FixedID(3)), mine).First)
}

func TestSpace(t *testing.T) {
	records, terms := logtest.Default(t), newLayout()
	space := t.Name()
	first, second := worker.Static(3, space), worker.Static(3, space)
	acquire(t, first, terms)

	logtest.Error(t, acquireError(t, second, terms), uid.ErrWorkerInUse,
		`worker ID 3 of the space "TestSpace", by the worker made at worker/space_test.go:`)
	_, err := second.Extend(t.Context(), 1)
	require.ErrorIs(t, err, uid.ErrNoReservation, "a refusal binds nothing")
	acquire(t, worker.Static(4, space), terms)

	require.NoError(t, first.Release(t.Context(), 7))
	require.EqualValues(t, 8, acquire(t, second, terms).First, "above what the first has issued")
	require.ErrorIs(t, acquireError(t, first, terms), uid.ErrWorkerInUse)
	require.NoError(t, second.Release(t.Context(), -1))
	require.EqualValues(t, 8, acquire(t, worker.Static(3, space), terms).First)
	require.Empty(t, records.String())
}

func TestSpaceExhausted(t *testing.T) {
	terms := newLayout()
	space := t.Name()
	w := worker.Static(3, space)
	acquire(t, w, terms)
	require.Error(t, w.Release(t.Context(), terms.MaxTick))
	for range 2 { // the first refusal claims nothing
		logtest.Error(t, acquireError(t, worker.Static(3, space), terms), uid.ErrExhausted, "268435455")
	}
}

func TestUnusableSpaces(t *testing.T) {
	require.ErrorIs(t, acquireError(t, worker.Static(3, ""), newLayout()), uid.ErrConfig)
	err := acquireError(t, worker.Static(3, "a", "b"), newLayout())
	logtest.Error(t, err, uid.ErrConfig, `2 spaces for one worker: ["a" "b"]`)
}

//go:noinline
func forget(t *testing.T, space string) {
	_, err := uncached.New(worker.Static(3, space), uncached.Config{})
	require.NoError(t, err)
}

// A generator that was dropped without Close keeps its ID.
func TestDroppedGeneratorKeepsItsID(t *testing.T) {
	space := rand.Text()
	forget(t, space)
	runtime.GC()
	_, err := uncached.New(worker.Static(3, space), uncached.Config{})
	require.ErrorIs(t, err, uid.ErrWorkerInUse)
}
