package cached_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/telemetry"
)

// Who draws twice as fast as the clock goes on has half of the time that the clock would leave, and is told so; and how
// far it can go ahead, which here the reservation says. When all is used it is told that calls wait.
func TestHealthOfABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		epoch := time.Now().Add(-time.Hour)
		layout := bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 10, SequenceBits: 4, Epoch: epoch})
		w := &fake.Worker{ID: 7, Window: 100, Now: time.Now}
		g := start(t, w, nil, cached.Config{Layout: layout, MaxLead: 10 * time.Minute})
		draw := func(seconds int) {
			for range seconds {
				for range 2 * 16 {
					next(t, g.GetUID)
				}
				time.Sleep(time.Second)
			}
		}
		require.Equal(t, 100*time.Second, g.Health().Lead.Reach.Duration)
		require.Equal(t, 101*time.Second, g.Health().Reservation.Remaining.Duration)
		w.Set(func(w *fake.Worker) { w.Fail = fake.ErrDown })
		draw(10)
		require.Equal(t, 91*time.Second, g.Health().Reservation.Remaining.Duration, "no pace before the first UID")
		draw(10)
		h := g.Health()
		require.Equal(t, 80*time.Second, h.Lead.Reach.Duration)
		byClock := 81 * time.Second
		require.InDelta(t, byClock.Seconds()-20, 2*h.Reservation.Remaining.Seconds(), 4, "the lead of 20 s is used too")
		require.True(t, h.Ready)
		draw(29)
		h = g.Health()
		require.Less(t, h.Reservation.Remaining.Duration, 5*time.Second)
		require.Equal(t, telemetry.ReservationFailing, h.Reasons[0].Code)
	})
}
