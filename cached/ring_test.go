package cached_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/fake"
)

// What the ring is said to hold goes with what is drawn from it, and agrees with Buffered.
func TestRingState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const perTick = 16
		layout := bits.MustLayout(bits.Config{TimeBits: 30, WorkerBits: 10, SequenceBits: 4})
		cfg := cached.Config{Layout: layout, Slots: 4, MaxLead: 5500 * time.Millisecond, MaxLag: 2 * time.Second}
		g := start(t, &fake.Worker{ID: 7}, fake.NewClock(layout.Epoch().Add(1000*time.Second)), cfg)
		want := &health.Ring{Slots: 4, PerTick: perTick, Cursor: 1000, Tail: 1004, Usable: true}
		require.Equal(t, want, g.Health().Ring)
		require.Equal(t, 5*time.Second, g.Health().Lead.Bound.Duration)
		require.Equal(t, 2*time.Second, g.Health().Lead.LagBound.Duration)
		require.EqualValues(t, 4*perTick, g.Health().Buffered)

		for range perTick + 3 {
			next(t, g.GetUID)
		}
		synctest.Wait() // no refill between the two snapshots
		s := g.Health().Ring
		require.EqualValues(t, 1001, s.Cursor)
		require.EqualValues(t, 3, s.Used)
		require.EqualValues(t, (s.Tail-s.Cursor)*perTick-3, g.Health().Buffered)

		// All that MaxLead allows; the next call gets nothing, and leaves the cursor at the tail.
		for range 5*perTick - 3 {
			next(t, g.GetUID)
		}
		require.Error(t, errOf(g.TryGetUID()))
		s = g.Health().Ring
		require.EqualValues(t, 1006, s.Tail)
		require.Equal(t, s.Tail, s.Cursor)
		require.Zero(t, s.Used)
		require.Zero(t, g.Health().Buffered)
		require.True(t, s.Usable)

		require.NoError(t, g.Close())
		s = g.Health().Ring
		require.False(t, s.Usable)
		require.Zero(t, g.Health().Buffered)
	})
}
