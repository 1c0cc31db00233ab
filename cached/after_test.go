package cached_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/worker"
)

// No UID is at or below the floor, by whatever way it is drawn and whatever the clock shows, and
// whatever the worker reserves.
func TestAfter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		layout, err := bits.NewLayout(bits.Config{
			TimeBits: 41, WorkerBits: rapid.IntRange(1, 10).Draw(rt, "workerBits"), SequenceBits: rapid.IntRange(0, 12).Draw(rt, "sequenceBits"), Unit: time.Millisecond,
		})
		require.NoError(rt, err)
		now, err := layout.First(day)
		require.NoError(rt, err)
		tick := int64(1) << (layout.WorkerBits() + layout.SequenceBits())
		after := now + uid.UID(rapid.Int64Range(-1000*tick, 1000*tick).Draw(rt, "ahead"))
		steps := rapid.SliceOfN(rapid.IntRange(-5000, 5000), 1, 5).Draw(rt, "steps")
		id := rapid.Int64Range(0, layout.MaxWorkerID()).Draw(rt, "id")
		synctest.Test(t, func(t *testing.T) {
			clock := fake.NewClock(day)
			g := start(t, &fake.Worker{ID: id}, clock, cached.Config{Layout: layout, After: after})
			for _, step := range steps {
				clock.Step(time.Duration(step) * time.Millisecond)
				u, err := g.GetUID()
				require.NoError(t, err)
				require.Greater(t, u, after)
				all := make([]uid.UID, 100)
				_, err = g.Fill(all)
				require.NoError(t, err)
				require.Greater(t, all[0], after)
				u, err = g.Lane().GetUID()
				require.NoError(t, err)
				require.Greater(t, u, after)
			}
		})
	})
}

// The UIDs begin with the tick after the floor's: neither sooner nor later.
func TestAfterBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, ahead := range []int64{-1, 0, 1, 7, 599} {
			clock := fake.NewClock(day)
			tick := runsOf16.TickAt(day) + ahead
			last, err := runsOf16.Compose(tick, runsOf16.MaxWorkerID(), runsOf16.MaxSequence())
			require.NoError(t, err)
			g := start(t, &fake.Worker{}, clock, cached.Config{Layout: runsOf16, After: last})
			u, err := g.GetUID()
			require.NoError(t, err)
			got, err := runsOf16.Tick(u)
			require.NoError(t, err)
			require.Equal(t, max(tick+1, runsOf16.TickAt(day)), got)
		}
	})
}

// A floor out of reach is refused, with the numbers, and the worker is not asked.
func TestAfterRefused(t *testing.T) {
	clock := fake.NewFrozenClock(day)
	at := func(tick int64) uid.UID {
		u, err := runsOf16.Compose(tick, 3, 2)
		require.NoError(t, err)
		return u
	}
	now := runsOf16.TickAt(day)
	for name, c := range map[string]struct {
		cfg  cached.Config
		is   error
		says string
	}{
		"negative":  {cached.Config{After: -5}, uid.ErrConfig, "After -5 is negative"},
		"last tick": {cached.Config{After: at(runsOf16.MaxTick())}, uid.ErrRange, "it lies in tick 1073741823, the last one is 1073741823"},
		"beyond":    {cached.Config{After: 1 << 62}, uid.ErrRange, "no tick of the layout"},
		"far ahead": {cached.Config{After: at(now + 600)}, uid.ErrRange, "begins at 2026-03-01T12:10:01Z, 10m1s ahead of the clock; 10m0s is allowed"},
		"lead":      {cached.Config{After: at(now + 3), MaxLead: 3 * time.Second}, uid.ErrRange, "4s ahead of the clock; 3s is allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			c.cfg.Layout, c.cfg.Now = runsOf16, clock.Now
			asked := false
			w := &fake.Worker{OnAcquire: func(context.Context, uid.Terms) (uid.Reservation, error) { asked = true; return uid.Reservation{}, nil }}
			_, err := cached.New(w, c.cfg)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.says)
			require.False(t, asked)
		})
	}
	start(t, worker.Static(3), clock, cached.Config{Layout: runsOf16, After: at(now + 599)})
	start(t, worker.Static(4), clock, cached.Config{Layout: runsOf16, After: at(now + 100000), MaxLead: cached.Unbounded})
}

// The three moves between layouts whose numbers can meet, by the largest UIDs that were made:
// the new generator makes none of the old ones again.
func TestAfterAnotherLayout(t *testing.T) {
	old := bits.UidGenerator()
	widened := bits.MustLayout(bits.Config{TimeBits: 29, WorkerBits: 21, SequenceBits: 13, Epoch: old.Epoch()})
	for name, c := range map[string]struct {
		from, to bits.Layout
		at       time.Time // of the largest old UID
		ok       bool
	}{
		"one process after the other": {bits.Twitter(), bits.Twitter(), day, true},
		"to a fresh epoch":            {old, bits.Default(), time.Date(2024, 11, 1, 0, 0, 0, 0, time.UTC), false},
		"to a wider time field":       {old, widened, time.Date(2021, 8, 20, 0, 0, 0, 0, time.UTC), false},
	} {
		t.Run(name, func(t *testing.T) {
			last, err := c.from.Last(c.at)
			require.NoError(t, err)
			clock := fake.NewFrozenClock(day)
			if !c.ok { // its numbers are below the old ones for years
				_, err := cached.New(worker.Static(5), cached.Config{Layout: c.to, After: last, Now: clock.Now})
				require.ErrorIs(t, err, uid.ErrRange)
				require.ErrorContains(t, err, "ahead of the clock")
				return
			}
			g := start(t, worker.Static(5), clock, cached.Config{Layout: c.to, After: last})
			u, err := g.GetUID()
			require.NoError(t, err)
			require.Greater(t, u, last)
		})
	}
}
