package segment_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/segment"
)

func TestHealth(t *testing.T) {
	bubble(t, segment.Config{First: 1, Last: 2500}, func(t *testing.T, h *house, g *segment.Generator) {
		now := g.Health()
		require.True(t, now.Ready, "it has not asked for anything")
		require.Equal(t, "segment", now.Generator)
		require.Equal(t, "a", now.Tag)
		require.Equal(t, &health.Numbers{Step: 1000, Store: "the house", Left: 2500, Total: 2500}, now.Numbers)

		next(t, g)
		synctest.Wait()
		now = g.Health()
		require.Empty(t, conformance.Codes(t, now))
		require.EqualValues(t, 999, now.Buffered)
		require.EqualValues(t, 1500, now.Numbers.Left)
		require.EqualValues(t, 1, now.Counts[telemetry.Issued])
		require.EqualValues(t, 1000, now.Counts[telemetry.NumbersTaken])

		// Two a second, so that what is in hand lasts some minutes; then for less than one.
		h.Outage(true)
		for range 900 {
			next(t, g)
			time.Sleep(500 * time.Millisecond)
			now = g.Health()
			require.True(t, now.Ready)
			if now.Failing != nil {
				require.Equal(t, now.Numbers.Lasts.Duration > 0 && now.Numbers.Lasts.Duration < time.Minute,
					len(now.Reasons) == 1, "%v", now)
			}
		}
		require.Equal(t, []string{telemetry.ReservationFailing}, conformance.Codes(t, warned(t, h, g)))
	})
}

// warned uses up what is left, and returns the last health that was ready.
func warned(t *testing.T, h *house, g *segment.Generator) (last health.Health) {
	for {
		now := g.Health()
		if now.Buffered == 0 {
			require.False(t, now.Ready)
			require.Equal(t, []string{telemetry.NoReservation}, conformance.Codes(t, now))
			require.ErrorIs(t, errOf(g.TryGetUID()), uid.ErrNoReservation)
			break
		}
		last = now
		next(t, g)
		time.Sleep(500 * time.Millisecond)
	}
	h.Outage(false)
	time.Sleep(5 * time.Second)
	synctest.Wait()
	now := g.Health()
	require.True(t, now.Ready)
	require.Nil(t, now.Failing)
	require.Positive(t, now.Counts[telemetry.RenewalFailures])
	return last
}

func TestHealthAtTheEnd(t *testing.T) {
	for _, step := range []int64{3, 10} { // of ten at once, the end is known while there are some left
		cfg := segment.Config{First: 11, Last: 20, MinStep: step, MaxStep: step}
		bubble(t, cfg, func(t *testing.T, _ *house, g *segment.Generator) {
			for i := range 10 {
				now := g.Health()
				require.True(t, now.Ready, "%d: %v", i, now)
				require.Equal(t, now.Numbers.Newest >= 19, len(now.Reasons) == 1, "%d: %v", i, now)
				next(t, g)
				synctest.Wait()
			}
			require.ErrorIs(t, errOf(g.GetUID()), uid.ErrExhausted)
			now := g.Health()
			require.False(t, now.Ready)
			require.Equal(t, []string{telemetry.Exhausted}, conformance.Codes(t, now))
			require.Zero(t, now.Numbers.Left)
			require.NoError(t, g.Close())
			require.Equal(t, []string{telemetry.Closed}, conformance.Codes(t, g.Health()))
		})
	}
}
