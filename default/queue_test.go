package uncached

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/telemetry"
)

// TestRevocationTakesBack: what a call was given and has not collected is not issued when the
// reservation is withdrawn meanwhile. The call is the first again.
func TestRevocationTakesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, sixteen := fake.NewClock(morning), conformance.Sixteen
		w := fake.Endless(7)
		g := quiet(t, w, Config{Layout: sixteen, Now: clock.Now})
		must(g.Fill(make([]uid.UID, 16)))
		one, other := g.queue.join(1), g.queue.join(1)
		clock.Step(time.Millisecond)
		tick := sixteen.TickAt(clock.Now())
		_, _, out := g.takeInOrder(nil, 1, g.tenure.Grant(), tick, 0)
		require.Equal(t, issued, out)
		require.EqualValues(t, 1, one.Got)
		require.EqualValues(t, 1, other.Got)
		require.Len(t, one.Turn(), 1)
		u, got, out := g.takeInOrder(other, 1, g.tenure.Grant(), tick, 0)
		require.Equal(t, issued, out)
		require.EqualValues(t, 1, got)
		require.Equal(t, other.Given.u, u)
		extend := make(chan struct{})
		w.Set(func(w *fake.Worker) {
			w.OnExtend = func(_ context.Context, through int64) (uid.Reservation, error) {
				<-extend
				return w.Answer(through)
			}
		})
		w.Terms.Revoke()
		_, _, out = g.takeInOrder(one, 1, g.tenure.Grant(), tick, 0)
		require.Equal(t, outdated, out)
		require.True(t, g.queue.isFirst(one))
		require.Zero(t, one.Got)
		close(extend)
		synctest.Wait()
		u, _, out = g.takeInOrder(one, 1, g.tenure.Grant(), tick, 0)
		require.Equal(t, issued, out)
		require.Greater(t, u, other.Given.u)
		require.Zero(t, g.queue.waiting.Load())
	})
}

// TestServedByAnEarlierReading: who waits is not served by a reading of the clock that another call made before.
func TestServedByAnEarlierReading(t *testing.T) {
	clock, sixteen := fake.NewFrozenClock(morning), conformance.Sixteen
	g := quiet(t, fake.Endless(7), Config{Layout: sixteen, Now: clock.Now, ClockBack: Remember(1024)})
	before := sixteen.TickAt(clock.Now())
	clock.Step(time.Millisecond)
	one := g.queue.join(1)
	_, _, out := g.takeInOrder(nil, 1, g.tenure.Grant(), before, 0)
	require.Equal(t, issued, out)
	require.EqualValues(t, 1, one.Got)
	require.Equal(t, before+1, must(sixteen.Tick(one.Given.u)))
}

// A call that is woken before its sleep is over has waited for less: others that give up use up nothing of its limit.
func TestWaitMeasuresItsSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(morning)
		cfg := Config{Layout: conformance.Sixteen, Now: clock.Now, ClockBack: Wait(10 * time.Second)}
		g := quiet(t, fake.Endless(7), cfg)
		must(g.Fill(make([]uid.UID, 16)))
		var first error
		var calls sync.WaitGroup
		calls.Go(func() { _, first = g.GetUID() })
		synctest.Wait()
		for i := range 20 {
			calls.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second+time.Duration(i)*time.Millisecond)
				defer cancel()
				_, err := g.GetUIDContext(ctx)
				require.ErrorIs(t, err, context.DeadlineExceeded)
			})
		}
		synctest.Wait()
		clock.Step(-5 * time.Second)
		calls.Wait()
		require.NoError(t, first)
		require.EqualValues(t, 1, g.Health().Counts[telemetry.ClockBehind], "calls, not looks")
	})
}
