package cached_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// countsTurns is a layout as uncached.RollbackBits makes it.
var countsTurns = bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 3, SequenceBits: 12, Fields: []bits.Field{
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
		require.ErrorIs(t, err, uid.ErrConfig)
		require.ErrorContains(t, err, c.says)
		require.Nil(t, g)
		require.Empty(t, w.Terms.Layout, "the worker is not acquired in vain")
	}
	_, err := cached.New(&fake.Worker{}, cached.Config{Layout: countsTurns})
	require.ErrorIs(t, err, uid.ErrConfig)
	_, err = cached.New(nil, cached.Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
	require.Panics(t, func() { cached.MustNew(nil, cached.Config{}) })
	require.NoError(t, cached.MustNew(&fake.Worker{}, cached.Config{}).Close())
	_, err = cached.New(&fake.Worker{Fail: fake.ErrDown}, cached.Config{})
	require.ErrorIs(t, err, fake.ErrDown)
	w := &fake.Worker{ID: 1 << 22}
	_, err = cached.New(w, cached.Config{})
	require.ErrorIs(t, err, uid.ErrRange)
	require.ErrorContains(t, err, "4194304")
	require.Equal(t, []int64{-1}, w.Released, "what was acquired is released")
}

// full returns a generator that has nothing left to give before the clock moves on.
func full(t testing.TB, clock *fake.Clock, cfg cached.Config) *cached.Generator {
	cfg.Layout, cfg.MaxLead = millis, time.Nanosecond
	g := start(t, &fake.Worker{}, clock, cfg)
	for range 16 {
		_, err := g.TryGetUID()
		require.NoError(t, err)
	}
	return g
}

func TestFailPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := full(t, fake.NewClock(day), cached.Config{OnRejectedTake: uid.Fail})
		for range 10 {
			_, err := g.GetUID()
			require.ErrorIs(t, err, uid.ErrRejectedTake)
			_, err = g.GetUIDContext(t.Context())
			require.ErrorIs(t, err, uid.ErrRejectedTake)
			_, err = g.Lane().GetUID()
			require.ErrorIs(t, err, uid.ErrRejectedTake)
			n, err := g.Fill(make([]uid.UID, 3))
			require.ErrorIs(t, err, uid.ErrRejectedTake)
			require.Zero(t, n)
		}
		require.EqualValues(t, 40, g.Stats().RejectedTakes)
		time.Sleep(time.Millisecond)
		_, err := g.GetUID()
		require.NoError(t, err)
		// What is there is given out before the policy is asked.
		dst := make([]uid.UID, 100)
		n, err := g.Fill(dst)
		require.ErrorIs(t, err, uid.ErrRejectedTake)
		require.InDelta(t, 15, n, 1)
	})
}

func TestOwnTakeHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errBusy := errors.New("busy")
		var seen []uid.Rejection
		var g *cached.Generator
		g = full(t, fake.NewClock(day), cached.Config{OnRejectedTake: func(r uid.Rejection) error {
			seen = append(seen, r)
			g.Stats()
			_, err := g.TryGetUID() // a handler may call back
			require.ErrorIs(t, err, uid.ErrRejectedTake)
			if r.Attempt < 1 {
				return nil
			}
			return errBusy
		}})
		// The first rejection waits; by the time the tick has come others have emptied it.
		go func() {
			time.Sleep(time.Millisecond)
			for range 16 {
				g.TryGetUID()
			}
		}()
		u, err := g.GetUID()
		if err == nil { // it was first
			require.Equal(t, day.Add(time.Millisecond), parse(t, g, u).Time.UTC())
			require.Len(t, seen, 1)
		} else {
			require.ErrorIs(t, err, errBusy)
			require.Len(t, seen, 2)
			require.Equal(t, 1, seen[1].Attempt)
		}
		require.ErrorIs(t, seen[0].Err, uid.ErrRejectedTake)
		require.Equal(t, time.Millisecond, seen[0].Wait)
	})
}

func TestPanickingHandlersAreContained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		g := full(t, fake.NewClock(day), cached.Config{
			Logger:         slog.New(slog.NewTextHandler(&log, nil)),
			OnRejectedTake: func(uid.Rejection) error { panic("my own fault") },
		})
		for range 5 {
			_, err := g.GetUID()
			require.ErrorIs(t, err, uid.ErrRejectedTake)
		}
		require.EqualValues(t, 5, g.Stats().HandlerPanics)
		require.Equal(t, 1, strings.Count(log.String(), "my own fault"))
		time.Sleep(time.Millisecond)
		_, err := g.GetUID()
		require.NoError(t, err)
	})
}

// TestNoRejectedPutsInHealth: a ring that is full of what is to come is as it should be,
// whether UIDs are drawn seldom, in bursts, or not at all.
func TestNoRejectedPutsInHealth(t *testing.T) {
	for _, layout := range []bits.Layout{{}, millis} {
		for _, slots := range []int{2, 8, 64} {
			synctest.Test(t, func(t *testing.T) {
				g := start(t, &fake.Worker{}, fake.NewClock(day), cached.Config{
					Layout: layout, Slots: slots, MaxLag: unitOf(layout),
					OnRejectedPut: func(tick int64) { t.Errorf("tick %d was rejected", tick) },
				})
				for i := range 100 {
					_, err := g.Fill(make([]uid.UID, 1+i%3*10))
					require.NoError(t, err)
					time.Sleep(time.Duration(100+i*7) * time.Millisecond)
				}
				synctest.Wait()
				require.Zero(t, g.Stats().RejectedPuts)
			})
		}
	}
}

func unitOf(l bits.Layout) time.Duration {
	if l.IsZero() {
		l = bits.Default()
	}
	return l.Unit()
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
				var err error
				last, err = g.GetUID()
				require.NoError(t, err)
				time.Sleep(500 * time.Millisecond)
			}
			synctest.Wait()
			st := g.Stats()
			require.EqualValues(t, len(ticks), st.RejectedPuts)
			require.Equal(t, 4*time.Second, st.Lag, "UIDs are issued behind the clock")
			require.NotEmpty(t, ticks)
			if panics {
				require.EqualValues(t, len(ticks), st.HandlerPanics)
			}
			// A rejected tick is not used up: its turn comes while the clock is in it.
			for parse(t, g, last).Time.Before(g.Layout().TimeOf(ticks[len(ticks)-1])) {
				var err error
				last, err = g.GetUID()
				require.NoError(t, err)
			}
			require.Equal(t, g.Layout().TimeOf(ticks[len(ticks)-1]).UTC(), parse(t, g, last).Time.UTC())
		})
	}
}

func TestContextEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := full(t, fake.NewClock(day), cached.Config{MaxLag: time.Hour})
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(300*time.Microsecond, func() { cancel(nil) })
		began := time.Now()
		_, err := g.GetUIDContext(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 300*time.Microsecond, time.Since(began))
		n, err := g.FillContext(ctx, make([]uid.UID, 5))
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, n)

		// With UIDs at hand, too: who has cancelled gets none.
		time.Sleep(time.Millisecond)
		_, err = g.GetUIDContext(ctx)
		require.ErrorIs(t, err, context.Canceled)
		u, err := g.GetUIDContext(t.Context())
		require.NoError(t, err)
		require.NotZero(t, u)
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(day)
		w := &fake.Worker{}
		w.Now = clock.Now
		g, err := cached.New(w, cached.Config{Layout: millis, MaxLead: 3 * time.Millisecond, Now: clock.Now})
		require.NoError(t, err)
		lane := g.Lane()
		var last uid.UID
		for range 10 {
			last, err = lane.GetUID() // it has 16 in hand
			require.NoError(t, err)
			_, err = g.Unordered().GetUID() // so has this
			require.NoError(t, err)
		}
		var waiting sync.WaitGroup
		var closed atomic.Int64
		for range 5 {
			waiting.Go(func() {
				for {
					if _, err := g.GetUID(); err != nil {
						if errors.Is(err, uid.ErrClosed) {
							closed.Add(1)
						}
						return
					}
				}
			})
		}
		synctest.Wait() // all of them wait for the next millisecond
		for range 3 {
			waiting.Go(func() { require.NoError(t, g.Close()) })
		}
		waiting.Wait()
		require.EqualValues(t, 5, closed.Load())
		require.Len(t, w.Released, 1)
		require.Equal(t, g.Layout().TickAt(day.Add(3*time.Millisecond)), w.Released[0])

		for range 3 {
			_, err = g.GetUID()
			require.ErrorIs(t, err, uid.ErrClosed)
			_, err = g.TryGetUID()
			require.ErrorIs(t, err, uid.ErrClosed)
			_, err = g.GetUIDContext(t.Context())
			require.ErrorIs(t, err, uid.ErrClosed)
			_, err = g.Fill(make([]uid.UID, 3))
			require.ErrorIs(t, err, uid.ErrClosed)
			u, err := lane.GetUID()
			require.ErrorIs(t, err, uid.ErrClosed)
			require.Zero(t, u)
			_, err = g.Lane().GetUID()
			require.ErrorIs(t, err, uid.ErrClosed)
			_, err = g.Unordered().GetUID()
			require.ErrorIs(t, err, uid.ErrClosed)
			time.Sleep(time.Minute)
		}
		require.Equal(t, int64(0), parse(t, g, last).WorkerID)
		require.NoError(t, g.Close())
		require.Zero(t, g.Stats().Buffered)
	})
}

func TestCloseWithUIDsAtHand(t *testing.T) {
	w := &fake.Worker{}
	g, err := cached.New(w, cached.Config{})
	require.NoError(t, err)
	require.NotZero(t, g.Stats().Buffered)
	require.NoError(t, g.Close())
	_, err = g.GetUID()
	require.ErrorIs(t, err, uid.ErrClosed)
	require.Equal(t, []int64{-1}, w.Released, "no tick was used")
}

func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(day.Add(time.Millisecond))
		g := start(t, &fake.Worker{ID: 3}, clock, cached.Config{})
		st := g.Stats()
		require.Zero(t, st.Issued)
		require.EqualValues(t, lap, st.Capacity)
		require.EqualValues(t, lap, st.Buffered)
		require.EqualValues(t, 8, st.Ticks)
		require.EqualValues(t, 1, st.Refills)
		require.EqualValues(t, 3, st.WorkerID)
		require.Equal(t, bits.Default().Expires(), st.Expires)
		require.Equal(t, bits.Default().Expires(), st.ReservedUntil)
		require.False(t, st.Expiring)
		require.Zero(t, st.Lead+st.Lag)
		for range 3*8192 + 10 {
			_, err := g.GetUID()
			require.NoError(t, err)
		}
		st = g.Stats()
		require.EqualValues(t, 3*8192+10, st.Issued)
		require.Equal(t, 3*time.Second, st.Lead)
		require.Equal(t, st.Ticks*8192-st.Issued, st.Buffered)
		time.Sleep(10 * time.Second)
		st = g.Stats()
		require.Equal(t, 7*time.Second, st.Lag)
		_, err := g.GetUID()
		require.NoError(t, err)
		st = g.Stats()
		require.Zero(t, st.Lag)
		require.NotZero(t, st.StaleTicks)
		require.EqualValues(t, 3*8192+11, st.Issued)
		require.Zero(t, st.Lost)
	})
}

func TestNothingIsAllocated(t *testing.T) {
	g := start(t, &fake.Worker{}, nil, cached.Config{MaxLead: cached.Unbounded})
	lane := g.Lane()
	dst := make([]uid.UID, 8192)
	require.Zero(t, testing.AllocsPerRun(3*lap, func() { g.GetUID() }))
	require.Zero(t, testing.AllocsPerRun(3*lap, func() { lane.GetUID() }))
	require.Zero(t, testing.AllocsPerRun(100, func() { g.Fill(dst) }))
	require.Zero(t, testing.AllocsPerRun(100, func() { g.Stats() }))
	unordered := g.Unordered()
	require.Zero(t, testing.AllocsPerRun(3*lap, func() { unordered.GetUID() }))
}
