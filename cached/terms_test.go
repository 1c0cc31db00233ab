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

// askedWorker notes the furthest tick that it was asked for, beyond the clock's.
type askedWorker struct {
	fakeWorker
	asked int64 // guarded by mu
}

func (w *askedWorker) Extend(ctx context.Context, through int64) (uid.Reservation, error) {
	w.set(func(f *fakeWorker) { w.asked = max(w.asked, through-f.terms.TickAt(f.clock.now())) })
	return w.fakeWorker.Extend(ctx, through)
}

// TestMaxLeadIsTold: the worker hears how far ahead it may be asked for ticks, and is asked
// for just as many by one who draws as fast as he can.
func TestMaxLeadIsTold(t *testing.T) {
	for _, c := range []struct {
		cfg   cached.Config
		told  time.Duration
		ticks int64
	}{
		{cached.Config{}, cached.DefaultMaxLead, 600},
		{cached.Config{MaxLead: 7500 * time.Millisecond}, 7500 * time.Millisecond, 7},
		{cached.Config{MaxLead: time.Millisecond}, time.Millisecond, 0},
		{cached.Config{MaxLead: cached.Unbounded}, cached.Unbounded, -1},
	} {
		synctest.Test(t, func(t *testing.T) {
			clock := clockAt(day)
			w := &askedWorker{fakeWorker: fakeWorker{id: 1, window: 2, clock: clock}}
			c.cfg.Layout, c.cfg.Now, c.cfg.OnRejectedTake = runsOf16, clock.now, cached.Fail
			g := start(t, w, nil, c.cfg)
			require.Equal(t, c.told, w.terms.MaxLead)
			for range 16 * 1000 {
				_, _ = g.GetUID()
			}
			time.Sleep(3 * time.Second)
			synctest.Wait()
			w.set(func(*fakeWorker) {
				if c.ticks >= 0 {
					require.Equal(t, c.ticks, w.asked)
				} else {
					require.Greater(t, w.asked, int64(600))
				}
			})
		})
	}
}
