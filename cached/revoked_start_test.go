package cached_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
)

// earlyWorker has everything reserved at first, and calls back before Acquire returns.
type earlyWorker struct {
	fakeWorker
	acquiring func()
	acquired  bool
}

func (w *earlyWorker) Acquire(ctx context.Context, terms uid.Terms) (uid.Reservation, error) {
	r, err := w.fakeWorker.Acquire(ctx, terms)
	if w.acquiring != nil {
		w.acquiring()
	}
	w.acquired = true
	return r, err
}

// TestRevokeDuringNew: a reservation that is withdrawn before the first refill is never
// issued from: not when the worker was still about to return it, and not when the
// generator had it already.
func TestRevokeDuringNew(t *testing.T) {
	for _, when := range []string{"during Acquire", "after the grant"} {
		t.Run(when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := clockAt(day)
				w := &earlyWorker{fakeWorker: fakeWorker{id: 3, clock: clock}}
				revoked := false
				revoke := func() {
					if !revoked {
						revoked = true
						w.set(func(w *fakeWorker) { w.fail = errDown })
						w.terms.Revoke()
					}
				}
				cfg := cached.Config{Now: clock.now}
				if when == "during Acquire" {
					w.acquiring = func() { // by another goroutine, as Revoke demands
						done := make(chan struct{})
						go func() { revoke(); close(done) }()
						<-done
					}
				} else {
					cfg.Now = func() time.Time { // New's own look at the clock before it fills the ring
						if w.acquired {
							revoke()
						}
						return clock.now()
					}
				}
				g := start(t, w, nil, cfg)
				require.True(t, revoked)
				synctest.Wait()
				for _, draw := range []func() (uid.UID, error){g.GetUID, g.Lane().GetUID, g.Unordered().GetUID} {
					_, err := draw()
					require.ErrorIs(t, err, uid.ErrNoReservation)
				}
				require.Zero(t, g.Stats().Ticks)
				w.set(func(w *fakeWorker) { w.fail, w.id, w.window = nil, 4, 100 })
				time.Sleep(10 * time.Second)
				u, err := g.GetUID()
				require.NoError(t, err)
				require.EqualValues(t, 4, parse(t, g, u).WorkerID)
			})
		})
	}
}
