package worker

import (
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
}
