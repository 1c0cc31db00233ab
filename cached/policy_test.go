package cached_test

import (
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// countsTurns is a layout as uncached.RollbackBits makes it.
var countsTurns = bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 3, SequenceBits: 12, Fields: []uid.Field{
	{Name: "rollback", Bits: 1}, {Name: "worker", Bits: 2},
}})

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []struct {
		cfg  cached.Config
		says string
	}{
		{cached.Config{MaxLead: -1}, "MaxLead -1ns"},
		{cached.Config{MaxLag: -time.Second}, "MaxLag -1s"},
		{cached.Config{MaxLag: 999 * time.Millisecond}, "MaxLag 999ms"},
		{cached.Config{Slots: 1}, "1 Slots"},
		{cached.Config{Slots: 12}, "12 Slots"},
		{cached.Config{Slots: -8}, "-8 Slots"},
		{cached.Config{Slots: 1 << 17}, "131072 Slots"},
		{cached.Config{PaddingFactor: 100}, "PaddingFactor 100"},
		{cached.Config{PaddingFactor: -1}, "PaddingFactor -1"},
		{cached.Config{Layout: countsTurns}, `"rollback", as rollback:1 is`},
	} {
		w := &fake.Worker{}
		g, err := cached.New(w, c.cfg)
		logtest.Error(t, err, uid.ErrConfig, c.says)
		require.Nil(t, g)
		require.Empty(t, w.Terms.Layout, "the worker is not acquired in vain")
	}
	require.Panics(t, func() { cached.MustNew(nil, cached.Config{}) })
}

// full returns a generator that has nothing left to give before the clock moves on.
func full(t testing.TB, clock *fake.Clock, cfg cached.Config) *cached.Generator {
	cfg.Layout, cfg.MaxLead = millis, time.Nanosecond
	g := start(t, &fake.Worker{}, clock, cfg)
	for range 16 {
		next(t, g.TryGetUID)
	}
	return g
}

// TestFail: what is there is given out before the policy is asked, and Lanes ask it, too.
func TestFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := full(t, fake.NewClock(day), cached.Config{OnRejectedTake: uid.Fail})
		for _, draw := range []func() (uid.UID, error){g.Lane().GetUID, g.Unordered().GetUID} {
			require.ErrorIs(t, errOf(draw()), uid.ErrRejectedTake)
		}
		require.EqualValues(t, 2, g.Health().Counts[telemetry.RejectedTakes])
		time.Sleep(time.Millisecond)
		n, err := g.Fill(make([]uid.UID, 100))
		require.ErrorIs(t, err, uid.ErrRejectedTake)
		require.InDelta(t, 16, n, 1)
	})
}

// TestNoRejectedPutsInHealth: a ring that is full of what is to come is as it should be,
// whether UIDs are drawn seldom, in bursts, or not at all.
func TestNoRejectedPutsInHealth(t *testing.T) {
	for _, layout := range []bits.Layout{bits.Default(), millis} {
		for _, slots := range []int{2, 8, 64} {
			synctest.Test(t, func(t *testing.T) {
				g := start(t, &fake.Worker{}, fake.NewClock(day), cached.Config{
					Layout: layout, Slots: slots, MaxLag: layout.Unit(),
					OnRejectedPut: func(tick int64) { t.Errorf("tick %d was rejected", tick) },
				})
				for i := range 100 {
					require.NoError(t, errOf(g.Fill(make([]uid.UID, 1+i%3*10))))
					time.Sleep(time.Duration(100+i*7) * time.Millisecond)
				}
				synctest.Wait()
				require.Zero(t, g.Health().Counts[telemetry.RejectedPuts])
			})
		}
	}
}

// TestRejectedPuts: a ring of 4 ticks, of which none is stale for 8, has no room for the
// tick that the clock has come to.
func TestRejectedPuts(t *testing.T) {
	for _, panics := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			clock := fake.NewClock(day)
			var ticks []int64
			var started atomic.Pointer[cached.Generator] // the first call may come before New returns
			g := start(t, &fake.Worker{}, clock, cached.Config{
				Slots: 4, MaxLag: 8 * time.Second,
				Logger: slog.New(slog.DiscardHandler),
				OnRejectedPut: func(tick int64) {
					if g := started.Load(); g != nil {
						g.GetUID() // a handler may call back
					}
					if now := bits.Default().TickAt(clock.Now()); tick != now {
						t.Errorf("tick %d was rejected when the clock was in %d", tick, now)
					}
					ticks = append(ticks, tick)
					if panics {
						panic("my own fault")
					}
				}})
			started.Store(g)
			var last uid.UID
			for range 9 {
				last = next(t, g.GetUID)
				time.Sleep(500 * time.Millisecond)
			}
			synctest.Wait()
			st := g.Health()
			require.EqualValues(t, len(ticks), st.Counts[telemetry.RejectedPuts])
			require.Equal(t, 4*time.Second, st.Lead.Lag.Duration, "UIDs are issued behind the clock")
			require.NotEmpty(t, ticks)
			if panics {
				require.EqualValues(t, len(ticks), st.Counts[telemetry.HandlerPanics])
			}
			// A rejected tick is not used up: its turn comes while the clock is in it.
			for parse(t, g, last).Time.Before(g.Layout().TimeOf(ticks[len(ticks)-1])) {
				last = next(t, g.GetUID)
			}
			require.Equal(t, g.Layout().TimeOf(ticks[len(ticks)-1]).UTC(), parse(t, g, last).Time.UTC())
		})
	}
}

// TestCloseLeavesAHandlerBehind: one that does not return keeps the worker for 30 s, no longer.
func TestCloseLeavesAHandlerBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, until := &fake.Worker{}, make(chan struct{})
		g := start(t, w, fake.NewClock(day), cached.Config{
			Slots: 4, MaxLag: 8 * time.Second, OnRejectedPut: func(int64) { <-until },
		})
		var last uid.UID
		for range 9 { // as in TestRejectedPuts
			last = next(t, g.GetUID)
			time.Sleep(500 * time.Millisecond)
		}
		require.NoError(t, g.Close())
		require.Equal(t, []int64{bits.Default().TickAt(parse(t, g, last).Time)}, w.Released)
		close(until)
	})
}

func TestHealthCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, &fake.Worker{Window: 60}, fake.NewClock(day.Add(time.Millisecond)), cached.Config{})
		st := g.Health()
		require.Equal(t, &health.Lead{
			Bound: health.Duration{Duration: 90 * time.Second}, LagBound: health.Duration{Duration: time.Second},
			Reach: health.Duration{Duration: 60*time.Second - time.Millisecond},
			Tick:  health.Duration{Duration: time.Second},
		}, st.Lead)
		require.Zero(t, st.Counts[telemetry.Issued])
		require.EqualValues(t, lap, st.Ring.Slots*st.Ring.PerTick)
		require.EqualValues(t, lap, st.Buffered)
		require.EqualValues(t, 8, st.Counts[telemetry.Ticks])
		require.EqualValues(t, 1, st.Counts[telemetry.Refills])
		for range 3*8192 + 10 {
			next(t, g.GetUID)
		}
		st = g.Health()
		require.EqualValues(t, 3*8192+10, st.Counts[telemetry.Issued])
		require.Equal(t, 3*time.Second, st.Lead.Now.Duration)
		require.EqualValues(t, st.Counts[telemetry.Ticks]*8192-st.Counts[telemetry.Issued], st.Buffered)
		time.Sleep(10 * time.Second)
		st = g.Health()
		require.Equal(t, 7*time.Second, st.Lead.Lag.Duration)
		next(t, g.GetUID)
		st = g.Health()
		require.Zero(t, st.Lead.Lag.Duration)
		require.NotZero(t, st.Counts[telemetry.StaleTicks])
		require.EqualValues(t, 3*8192+11, st.Counts[telemetry.Issued])
		require.Zero(t, st.Counts[telemetry.Lost])

		g = start(t, &fake.Worker{}, fake.NewClock(day), cached.Config{MaxLead: cached.Unbounded})
		require.True(t, g.Health().Lead.Unbounded)
		require.Zero(t, g.Health().Lead.Bound)
	})
}

func TestNothingIsAllocated(t *testing.T) {
	g := start(t, &fake.Worker{}, nil, cached.Config{MaxLead: cached.Unbounded})
	lane := g.Lane()
	dst := make([]uid.UID, 8192)
	require.Zero(t, testing.AllocsPerRun(3*lap, func() { g.GetUID() }))
	require.Zero(t, testing.AllocsPerRun(3*lap, func() { lane.GetUID() }))
	require.Zero(t, testing.AllocsPerRun(100, func() { g.Fill(dst) }))
	unordered := g.Unordered()
	require.Zero(t, testing.AllocsPerRun(3*lap, func() { unordered.GetUID() }))
}
