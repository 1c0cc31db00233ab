package worker

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

func claimed(of uid.Terms) (n int) {
	claims.mu.Lock()
	defer claims.mu.Unlock()
	for c := range claims.by {
		if c.layout == of.Layout {
			n++
		}
	}
	return n
}

//go:noinline
func drop(t *testing.T, terms uid.Terms) {
	for id := range int64(10) {
		_, err := Static(id).Acquire(context.Background(), terms)
		require.NoError(t, err)
		_, err = Static(id, t.Name()).Acquire(context.Background(), terms)
		require.NoError(t, err)
	}
}

// What nobody uses any more leaves nothing behind.
func TestClaimsAreFreed(t *testing.T) {
	terms := uid.Terms{Layout: t.Name(), MaxTick: 100, MaxWorkerID: 100, Revoke: func() {}}
	for _, w := range []uid.Worker{Static(1), Static(1, t.Name())} {
		_, err := w.Acquire(t.Context(), terms)
		require.NoError(t, err)
		require.Equal(t, 1, claimed(terms))
		require.NoError(t, w.Release(t.Context(), -1))
		require.Zero(t, claimed(terms))
	}
	drop(t, terms)
	for claimed(terms) > 0 { // the cleanups take their time
		runtime.GC()
		runtime.Gosched()
	}
}

// A cleanup that comes late takes nothing from the next worker.
func TestLateCleanup(t *testing.T) {
	terms := uid.Terms{Layout: t.Name(), MaxTick: 100, MaxWorkerID: 100, Revoke: func() {}}
	a, b := newStatic(FixedID(1), []string{"x"}, ""), newStatic(FixedID(1), []string{"x"}, "")
	_, err := a.Acquire(t.Context(), terms)
	require.NoError(t, err)
	was := claims.by[a.claim].worker
	require.NoError(t, a.Release(t.Context(), -1))
	_, err = b.Acquire(t.Context(), terms)
	require.NoError(t, err)
	claims.free(a.claim, was, -1)
	_, err = a.Acquire(t.Context(), terms)
	require.ErrorIs(t, err, uid.ErrWorkerInUse)
	require.NoError(t, b.Release(t.Context(), -1))
}
