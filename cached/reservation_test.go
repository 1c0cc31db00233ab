package cached_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/telemetry"
)

// ticksOfRings are rings of millis whose ticks have slots of their own, and share them.
var ticksOfRings = []int{8, 32}

// TestRevoke: what was ready is gone when Revoke returns, in the ring and in Lanes, and
// its ticks are never used again.
func TestRevoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fake.Worker{ID: 3, Window: 600}
		// More ticks are ready than pass during the outage.
		g := start(t, w, fake.NewClock(day), cached.Config{Slots: 64})
		lane := g.Lane()
		var last uid.UID
		draws := []func() (uid.UID, error){g.GetUID, lane.GetUID, g.Unordered().GetUID}
		draws = append(draws, draws...)
		for _, draw := range draws {
			last = max(last, next(t, draw))
		}
		ready := g.Health().Counts[telemetry.Ticks]
		w.Set(func(w *fake.Worker) { w.Fail = fake.ErrDown })
		w.Terms.Revoke()
		for _, draw := range append(draws, g.TryGetUID) {
			require.ErrorIs(t, errOf(draw()), uid.ErrNoReservation)
		}
		require.Zero(t, g.Health().Buffered)
		w.Set(func(w *fake.Worker) { w.Fail, w.ID = nil, 3 })
		time.Sleep(10 * time.Second)
		again := time.Now()
		for _, draw := range draws {
			u := next(t, draw)
			require.Equal(t, again, time.Now(), "it had to wait")
			require.GreaterOrEqual(t, parse(t, g, u).Time.Unix(), parse(t, g, last).Time.Unix()+int64(ready))
		}
	})
}

func TestRevokeDuringUse(t *testing.T) {
	revokeDuringUse(t, cached.Config{MaxLead: cached.Unbounded}, 100_000)
}

func TestRevokeBlocksDuringUse(t *testing.T) {
	for _, ticks := range ticksOfRings {
		revokeDuringUse(t, cached.Config{MaxLead: cached.Unbounded, Layout: millis, Slots: ticks}, 10_000)
	}
}

func revokeDuringUse(t *testing.T, cfg cached.Config, draws int) {
	w := &fake.Worker{ID: 3, Window: 1 << 20}
	g := start(t, w, nil, cfg)
	var drawing atomic.Int64
	streams := make([][]uid.UID, 5)
	for i := range streams {
		drawing.Add(1)
		go func() {
			defer drawing.Add(-1)
			streams[i] = drawSomehow(t, g, i, draws)
		}()
	}
	for drawing.Load() > 0 {
		w.Terms.Revoke()
	}
	conformance.Distinct(t, slices.Concat(streams...))
}

// TestRevokeOfClaimsAhead: what a Lane or a shard has claimed in the next run, and not
// looked at yet, is gone as well, even while that run is still in its slot.
func TestRevokeOfClaimsAhead(t *testing.T) {
	for _, layout := range []bits.Layout{runsOf16, millis} {
		synctest.Test(t, func(t *testing.T) {
			clock := fake.NewClock(day)
			w := &fake.Worker{ID: 1, Window: 1 << 20}
			g := start(t, w, clock, cached.Config{Layout: layout, MaxLead: 7 * layout.Unit()})
			next(t, g.GetUID) // the Lane's claim of 16 then lies in two runs
			lane := g.Lane()
			for range 15 {
				next(t, lane.GetUID)
			}
			for range 15 {
				next(t, g.Unordered().GetUID)
			}
			w.Set(func(w *fake.Worker) { w.ID = 2 })
			w.Terms.Revoke()
			synctest.Wait()
			clock.Step(time.Second)
			for _, draw := range []func() (uid.UID, error){g.GetUID, lane.GetUID, g.Unordered().GetUID, lane.GetUID} {
				require.EqualValues(t, 2, parse(t, g, next(t, draw)).WorkerID)
			}
		})
	}
}
