package cached_test

import (
	"context"
	"errors"
	"fmt"
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

// boundedWorker refuses a generator that may ask for ticks too far ahead.
type boundedWorker struct {
	fakeWorker
	most time.Duration
}

var errTooFar = errors.New("too far ahead")

func (w *boundedWorker) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	if t.MaxLead > w.most {
		return uid.Reservation{}, fmt.Errorf("%w: %v of %v", errTooFar, t.MaxLead, w.most)
	}
	return w.fakeWorker.Acquire(ctx, t)
}

// TestMaxLeadIsRefused: New returns the worker's error and leaves nothing behind: the worker
// was not bound, so it is not released, and serves the next generator.
func TestMaxLeadIsRefused(t *testing.T) {
	w := &boundedWorker{most: time.Minute}
	for _, lead := range []time.Duration{0, time.Minute + 1, cached.Unbounded} {
		g, err := cached.New(w, cached.Config{MaxLead: lead})
		require.Nil(t, g)
		require.ErrorIs(t, err, errTooFar)
		require.ErrorContains(t, err, "cached: acquiring the worker: too far ahead")
		require.Empty(t, w.released)
	}
	g, err := cached.New(w, cached.Config{MaxLead: time.Minute})
	require.NoError(t, err)
	_, err = g.GetUID()
	require.NoError(t, err)
	require.NoError(t, g.Close())
	require.Len(t, w.released, 1)
}
