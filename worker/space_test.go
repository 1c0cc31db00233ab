package worker_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
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

func TestTwoStaticsAreReported(t *testing.T) {
	records, terms := logtest.Default(t), newLayout()
	first, second, third := worker.Static(3), worker.Static(3), worker.FromSource(worker.FixedID(3))
	acquire(t, first, terms)
	require.Empty(t, records.String())

	acquire(t, second, terms)
	require.Equal(t, 1, records.Count("two generators have the same static worker ID"))
	require.Regexp(t, `level=WARN .*worker\.Static.* worker_id=3 layout=`+terms.Layout+
		` first=worker/space_test\.go:(\d+) second=worker/space_test\.go:\d+\n$`, records.String())

	acquire(t, third, terms)
	require.Equal(t, 1, records.Count("level"), "once")
	for _, w := range []uid.Worker{second, first, third} {
		require.NoError(t, w.Release(t.Context(), 5))
	}
	fourth := worker.Static(3)
	require.Zero(t, acquire(t, fourth, terms).First, "they are no space")
	acquire(t, worker.Static(3), terms)
	runtime.KeepAlive(fourth)
	require.Equal(t, 1, records.Count("level"), "once for an ID")
	another := worker.Static(4)
	acquire(t, another, terms)
	acquire(t, worker.Static(4), terms)
	runtime.KeepAlive(another)
	require.Equal(t, 2, records.Count("level"), "and for each pair of ID and layout")
}

func TestStaticsThatAreNotReported(t *testing.T) {
	records, mine := logtest.Default(t), newLayout()
	acquire(t, worker.Static(3), mine)
	acquire(t, worker.Static(4), mine)
	other := mine
	other.Layout += " of another kind"
	acquire(t, worker.Static(3), other)
	acquire(t, worker.Static(3, t.Name()), mine)
	acquire(t, worker.Static(3, t.Name()+" too"), mine)

	for range 3 { // one after the other
		w := worker.Static(5)
		acquire(t, w, mine)
		require.NoError(t, w.Release(t.Context(), 5))
	}
	require.Empty(t, records.String())
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
	require.NoError(t, w.Release(t.Context(), terms.MaxTick))
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

// A generator that was dropped without Close holds its ID no longer than memory.
func TestDroppedGeneratorFreesItsID(t *testing.T) {
	space := t.Name()
	forget(t, space)
	runtime.GC()
	g, err := uncached.New(worker.Static(3, space), uncached.Config{})
	require.NoError(t, err)
	_, err = uncached.New(worker.Static(3, space), uncached.Config{})
	require.ErrorIs(t, err, uid.ErrWorkerInUse)
	require.NoError(t, g.Close())
}
