package worker_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/worker"
)

const day = 24 * time.Hour

func millisOf(string) (uid.Terms, error) { return millis(1023), nil }

// An ID whose row was removed begins above the ticks of that row, wherever the clocks are.
func TestCollectedIDBeginsAboveItsTicks(t *testing.T) {
	for name, durable := range map[string]bool{"": false, "durable": true} {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				cfg := worker.LeaseConfig{DurableStore: durable, MaxClockOffset: 365 * day, MaxAhead: 365 * day}
				l := h.lease(cfg)
				h.acquire(l)
				was := h.extend(l, h.tick()+ms(window))
				require.NoError(t, l.Release(t.Context(), was.Last))
				h.pass(9 * day)
				done, err := h.registry().Collect(t.Context(), worker.Collection{Terms: millisOf})
				require.NoError(t, err)
				require.Len(t, done.Removed, 1)
				require.Equal(t, was.Last, h.row(-1).High)

				// All clocks are behind where they were.
				h.pass(-10 * day)
				r, err := h.lease(cfg).Acquire(t.Context(), millis(1023))
				if !durable { // whose reservations reach no further than the clock and 3/2 Window
					require.ErrorIs(t, err, uid.ErrNoReservation)
					require.GreaterOrEqual(t, h.row(0).High, was.Last)
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
	eachHouse(t, func(t *testing.T, h *house) {
		var back atomic.Int64
		l := h.lease(worker.LeaseConfig{DurableStore: true})
		before := h.tick()
		g, err := uncached.New(l, uncached.Config{Layout: milliseconds, Now: func() time.Time { return h.now().Add(-time.Duration(back.Load())) }})
		require.NoError(t, err)
		defer g.Close()
		back.Store(int64(30 * day))
		u, err := g.GetUID()
		require.NoError(t, err)
		tick, err := milliseconds.Tick(u)
		require.NoError(t, err)
		require.GreaterOrEqual(t, tick, before-ms(skew))
	})
}

// With a clock that is wrong nothing is judged to be over.
func TestCollectJudgesTheClocks(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l := h.lease(worker.LeaseConfig{DurableStore: true})
		h.acquire(l)
		row := h.row(0)
		h.shiftDatabase(8 * day)
		_, err := h.registry().Collect(t.Context(), worker.Collection{Terms: millisOf})
		require.ErrorIs(t, err, worker.ErrClock)
		require.Regexp(t, `this process's shows 20.*Z, the database's 20.*Z, 19\d.*s apart; at most 2s are allowed`, err.Error())
		require.Equal(t, row, h.row(0))
		_, err = h.registry().Collect(t.Context(), worker.Collection{Terms: millisOf, MaxClockOffset: -1})
		require.ErrorIs(t, err, uid.ErrConfig)

		// Where both clocks are wrong its owner loses the ID, and the next one begins above.
		done, err := h.registry().Collect(t.Context(), worker.Collection{Terms: millisOf, MaxClockOffset: 9 * day})
		require.NoError(t, err)
		require.Len(t, done.Removed, 1)
		h.shiftDatabase(-8 * day)
		require.Greater(t, h.acquire(h.lease(worker.LeaseConfig{DurableStore: true})).First, row.High)
		h.pass(window / 2)
		require.EqualValues(t, 1, h.extend(l, row.High+1).WorkerID)
	})
}

// A row that is renewed between the look at it and its removal stays. SQLite has one
// transaction at a time.
func TestCollectTakesOnlyWhatItRead(t *testing.T) {
	h := newHouse(t, newMySQL(t))
	for range 2 {
		h.acquire(h.lease(worker.LeaseConfig{DurableStore: true}))
	}
	h.pass(9 * day)
	was := h.row(0)
	renewed := false
	done, err := h.registry().Collect(t.Context(), worker.Collection{Terms: func(layout string) (uid.Terms, error) {
		if !renewed {
			do(t, h.db, "UPDATE WORKER_LEASE SET NONCE = 'another', HIGH = HIGH + 1000000, LEASE_UNTIL = LEASE_UNTIL + 1 WHERE NAMESPACE = 'default' AND WORKER_ID = 0")
			renewed = true
		}
		return millisOf(layout)
	}})
	require.NoError(t, err)
	require.Len(t, done.Removed, 1)
	require.EqualValues(t, 1, done.Removed[0].WorkerID)
	require.Len(t, done.Kept, 1)
	require.Equal(t, "it has changed since it was read", done.Kept[0].Why)
	require.Equal(t, was.High+1000000, h.row(0).High)
	require.Equal(t, done.Removed[0].High, h.row(-1).High)
}

// The last tick of a removed row is kept in the namespace's own row: without that nothing
// is removed.
func TestCollectNeedsTheControlRow(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.acquire(h.lease(worker.LeaseConfig{DurableStore: true}))
		h.pass(9 * day)
		do(t, h.db, "DELETE FROM WORKER_LEASE WHERE WORKER_ID = -1")
		row := h.row(0)
		done, err := h.registry().Collect(t.Context(), worker.Collection{Terms: millisOf})
		require.NoError(t, err)
		require.Empty(t, done.Removed)
		require.Len(t, done.Kept, 1)
		require.Contains(t, done.Kept[0].Why, "no row of its own")
		require.Equal(t, row, h.row(0))
	})
}
