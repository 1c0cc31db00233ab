package cached_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/telemetry"
)

// TestRevokeDuringNew: a reservation that is withdrawn before the first refill is never
// issued from: not when the worker was still about to return it, and not when the
// generator had it already.
func TestRevokeDuringNew(t *testing.T) {
	for _, when := range []string{"during Acquire", "after the grant"} {
		t.Run(when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := fake.NewClock(day)
				w := &fake.Worker{ID: 3, Now: clock.Now}
				revoked, acquired := false, false
				acquiring := func() {}
				w.OnAcquire = func(context.Context, uid.Terms) (uid.Reservation, error) {
					r, err := w.Answer(-1)
					acquiring()
					acquired = true
					return r, err
				}
				revoke := func() {
					if !revoked {
						revoked = true
						w.Set(func(w *fake.Worker) { w.Fail = fake.ErrDown })
						w.Terms.Revoke()
					}
				}
				cfg := cached.Config{Now: clock.Now}
				if when == "during Acquire" {
					acquiring = func() { // by another goroutine, as Revoke demands
						go revoke()
						synctest.Wait()
					}
				} else {
					cfg.Now = func() time.Time { // New's own look at the clock before it fills the ring
						if acquired {
							revoke()
						}
						return clock.Now()
					}
				}
				g := start(t, w, nil, cfg)
				require.True(t, revoked)
				synctest.Wait()
				for _, draw := range []func() (uid.UID, error){g.GetUID, g.Lane().GetUID, g.Unordered().GetUID} {
					require.ErrorIs(t, errOf(draw()), uid.ErrNoReservation)
				}
				require.Zero(t, g.Health().Counts[telemetry.Ticks])
				w.Set(func(w *fake.Worker) { w.Fail, w.ID, w.Window = nil, 4, 100 })
				time.Sleep(10 * time.Second)
				require.EqualValues(t, 4, parse(t, g, next(t, g.GetUID)).WorkerID)
			})
		})
	}
}
