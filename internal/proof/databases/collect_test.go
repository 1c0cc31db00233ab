package databases_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/proof/kit"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

const day = 24 * time.Hour

// An ID whose row was removed begins above the ticks of that row, wherever the clocks are.
func TestCollectedIDBeginsAboveItsTicks(t *testing.T) {
	for name, durable := range map[string]bool{"": false, "durable": true} {
		t.Run(name, func(t *testing.T) {
			eachSite(t, func(t *testing.T, s *site) {
				cfg := lease.Config{DurableStore: durable, MaxClockOffset: 365 * day, MaxAhead: 365 * day}
				l := s.lease(cfg)
				s.acquire(l)
				was := s.extend(l, s.tick()+siteWindow.Milliseconds())
				require.NoError(t, l.Release(t.Context(), was.Last))
				s.pass(9 * day)
				done, err := s.registry().Collect(t.Context(), registry.Collection{Terms: layoutTerms})
				require.NoError(t, err)
				require.Len(t, done.Removed, 1)
				require.Equal(t, was.Last, s.floor())

				// All clocks are behind where they were.
				s.pass(-10 * day)
				r, err := s.lease(cfg).Acquire(t.Context(), millisecondTerms())
				if !durable { // whose reservations reach no further than the clock and 3/2 Window
					require.ErrorIs(t, err, uid.ErrNoReservation)
					require.GreaterOrEqual(t, s.row(0).High, was.Last)
					return
				}
				require.NoError(t, err)
				require.Greater(t, r.First, was.Last)
			})
		})
	}
}

// A generator on a clock that is set back does not reach the ticks that the ID had before,
// as an ID without a row begins near the database's clock.
func TestUnusedIDBeginsNearTheClock(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		var back atomic.Int64
		l := s.lease(lease.Config{DurableStore: true})
		before := s.tick()
		g, err := uncached.New(l, uncached.Config{Layout: milliseconds, Now: func() time.Time { return s.now().Add(-time.Duration(back.Load())) }})
		require.NoError(t, err)
		defer g.Close()
		back.Store(int64(30 * day))
		u, err := g.GetUID()
		require.NoError(t, err)
		tick, err := milliseconds.Tick(u)
		require.NoError(t, err)
		require.GreaterOrEqual(t, tick, before-siteSkew.Milliseconds())
	})
}

// With a clock that is wrong nothing is judged to be over.
func TestCollectJudgesTheClocks(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		l := s.lease(lease.Config{DurableStore: true})
		s.acquire(l)
		row := s.row(0)
		s.shiftDatabase(8 * day)
		_, err := s.registry().Collect(t.Context(), registry.Collection{Terms: layoutTerms})
		require.ErrorIs(t, err, worker.ErrClock)
		require.Regexp(t, `this process's shows 20.*Z, the store's 20.*Z, 19\d.*s apart; at most 2s are allowed`, err.Error())
		require.Equal(t, row, s.row(0))
		_, err = s.registry().Collect(t.Context(), registry.Collection{Terms: layoutTerms, MaxClockOffset: -1})
		require.ErrorIs(t, err, uid.ErrConfig)

		// Where both clocks are wrong its owner loses the ID, and the next one begins above.
		done, err := s.registry().Collect(t.Context(), registry.Collection{Terms: layoutTerms, MaxClockOffset: 9 * day})
		require.NoError(t, err)
		require.Len(t, done.Removed, 1)
		s.shiftDatabase(-8 * day)
		require.Greater(t, s.acquire(s.lease(lease.Config{DurableStore: true})).First, row.High)
		s.pass(siteWindow / 2)
		require.EqualValues(t, 1, s.extend(l, row.High+1).WorkerID)
	})
}

// A row that is renewed between the look at it and its removal stays. SQLite has one
// transaction at a time.
func TestCollectTakesOnlyWhatItRead(t *testing.T) {
	s := newSite(t, kit.NewMySQL(t).Open(t))
	for range 2 {
		s.acquire(s.lease(lease.Config{DurableStore: true}))
	}
	s.pass(9 * day)
	was := s.row(0)
	renewed := false
	done, err := s.registry().Collect(t.Context(), registry.Collection{Terms: func(layout string) (uid.Terms, error) {
		if !renewed {
			kit.Do(t, s.db, "UPDATE WORKER_LEASE SET NONCE = 'another', HIGH = HIGH + 1000000, LEASE_UNTIL = LEASE_UNTIL + 1 WHERE NAMESPACE = 'default' AND WORKER_ID = 0")
			renewed = true
		}
		return layoutTerms(layout)
	}})
	require.NoError(t, err)
	require.Len(t, done.Removed, 1)
	require.EqualValues(t, 1, done.Removed[0].WorkerID)
	require.Len(t, done.Kept, 1)
	require.Equal(t, "it has changed since it was read", done.Kept[0].Why)
	require.Equal(t, was.High+1000000, s.row(0).High)
	require.Equal(t, done.Removed[0].High, s.floor())
}

// The last tick of a removed row is kept in the namespace's own row: without that nothing
// is removed.
func TestCollectNeedsTheControlRow(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.acquire(s.lease(lease.Config{DurableStore: true}))
		s.pass(9 * day)
		kit.Do(t, s.db, "DELETE FROM WORKER_LEASE WHERE WORKER_ID = -1")
		row := s.row(0)
		done, err := s.registry().Collect(t.Context(), registry.Collection{Terms: layoutTerms})
		require.NoError(t, err)
		require.Empty(t, done.Removed)
		require.Len(t, done.Kept, 1)
		require.Contains(t, done.Kept[0].Why, "no row of its own")
		require.Equal(t, row, s.row(0))
	})
}
