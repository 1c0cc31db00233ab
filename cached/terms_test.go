package cached_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
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

// The default MaxLead follows a worker that begins ahead of the clock, as a lease does, by two minutes at most. One
// that was set does not, and calls wait.
func TestMaxLeadFollowsTheWorker(t *testing.T) {
	for name, c := range map[string]struct {
		lead  time.Duration
		first int64 // beyond the clock's
		bound time.Duration
		fails bool
	}{
		"at the clock":  {0, 0, 90 * time.Second, false},
		"a burn":        {0, 120, 2 * time.Minute, false},
		"more":          {0, 121, 2 * time.Minute, true},
		"that was set":  {time.Minute, 120, time.Minute, true},
		"that suffices": {3 * time.Minute, 120, 3 * time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := bits.Default().TickAt(day) + c.first
				w := fake.Giving(uid.Reservation{First: first, Last: 1 << 27, Renew: 1 << 27})
				g := start(t, w, fake.NewClock(day), cached.Config{MaxLead: c.lead, OnRejectedTake: uid.Fail})
				_, err := g.GetUID()
				require.Equal(t, c.fails, err != nil, err)
				require.Equal(t, c.bound, g.Health().Lead.Bound.Duration)
				time.Sleep(time.Minute)
				require.NoError(t, g.Close())
			})
		})
	}
}
