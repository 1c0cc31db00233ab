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
)

// TestMaxLeadIsTold: the worker hears how far ahead it may be asked for ticks, and is asked
// for just as many by one who draws as fast as he can.
func TestMaxLeadIsTold(t *testing.T) {
	for _, c := range []struct {
		cfg   cached.Config
		told  time.Duration
		ticks int64
	}{
		{cached.Config{}, 90 * time.Second, 90},
		{cached.Config{MaxLead: 7500 * time.Millisecond}, 7500 * time.Millisecond, 7},
		{cached.Config{MaxLead: time.Millisecond}, time.Millisecond, 0},
		{cached.Config{MaxLead: cached.Unbounded}, cached.Unbounded, -1},
	} {
		synctest.Test(t, func(t *testing.T) {
			clock := fake.NewClock(day)
			w := &fake.Worker{ID: 1, Window: 2, Now: clock.Now}
			asked := int64(0) // the furthest tick, beyond the clock's
			w.OnExtend = func(_ context.Context, through int64) (uid.Reservation, error) {
				asked = max(asked, through-w.Terms.TickAt(w.Now()))
				return w.Answer(through)
			}
			c.cfg.Layout, c.cfg.Now, c.cfg.OnRejectedTake = runsOf16, clock.Now, uid.Fail
			g := start(t, w, nil, c.cfg)
			require.Equal(t, c.told, w.Terms.MaxLead)
			for range 1000 {
				for range 16 {
					_, _ = g.GetUID()
				}
				synctest.Wait() // what was asked for has been reserved
			}
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if c.ticks >= 0 {
				require.Equal(t, c.ticks, asked)
			} else {
				require.Greater(t, asked, int64(600))
			}
		})
	}
}
