package cached_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/telemetry"
)

// TestServedFromMoreThanTheRing: calls that wait get all that the clock allows, however little of it
// fits into the ring at a time.
func TestServedFromMoreThanTheRing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(day)
		g := start(t, &fake.Worker{}, clock, cached.Config{Layout: millis, MaxLead: 10 * time.Millisecond, Slots: 2})
		for range 11 {
			synctest.Wait() // a ring of two runs is soon a lap ahead of a claim
			require.NoError(t, errOf(g.Fill(make([]uid.UID, 16))))
		}
		var c conformance.Crowd
		for range 100 {
			c.Join(g.GetUID)
		}
		clock.Step(10 * time.Millisecond)
		u := next(t, g.TryGetUID)
		require.Equal(t, 100, c.Returned())
		c.Join(func() (uid.UID, error) { return u, nil })
		for i := range 101 {
			require.Equal(t, []int{11*16 + i}, c.Places(t, g, i))
		}
	})
}

// TestCountsOfACrowd: each call that waits was rejected once, and no UID is wasted but that of a call that had run
// over the end of what was ready, and gives up.
func TestCountsOfACrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := full(t, fake.NewClock(day), cached.Config{})
		var c conformance.Crowd
		for range 40 {
			c.Join(g.GetUID)
		}
		require.EqualValues(t, 40, g.Health().Counts[telemetry.RejectedTakes])
		time.Sleep(3 * time.Millisecond)
		require.Equal(t, 40, c.Returned())
		require.Zero(t, g.Health().Counts[telemetry.Lost])
		require.EqualValues(t, 16+40, g.Health().Counts[telemetry.Issued])

		// The first to wait holds the position that its own claim got.
		require.NoError(t, errOf(g.Fill(make([]uid.UID, 8))))
		ctx, cancel := context.WithTimeout(t.Context(), time.Microsecond)
		defer cancel()
		require.ErrorIs(t, errOf(g.GetUIDContext(ctx)), context.DeadlineExceeded)
		require.EqualValues(t, 1, g.Health().Counts[telemetry.Lost])
		require.EqualValues(t, 16+40+8, g.Health().Counts[telemetry.Issued])
	})
}

// TestTheWaitIsTold: a handler learns how long it takes until its call's turn comes, and is not
// asked again when it does.
func TestTheWaitIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []uid.Rejection
		var g *cached.Generator
		g = full(t, fake.NewClock(day), cached.Config{OnRejectedTake: func(r uid.Rejection) error {
			asked = append(asked, r)
			require.ErrorIs(t, errOf(g.TryGetUID()), uid.ErrRejectedTake) // a handler may call back
			return nil
		}})
		var c conformance.Crowd
		for i := range 40 {
			c.Join(g.GetUID)
			require.Len(t, asked, i+1)
			require.Equal(t, time.Duration(1+i/16)*time.Millisecond, asked[i].Wait)
			require.Zero(t, asked[i].Attempt)
		}
		time.Sleep(3 * time.Millisecond)
		require.Equal(t, 40, c.Returned())
		require.Len(t, asked, 40)
	})
}

// TestTheQueueOutlivesAReservation: calls that wait for the worker are served in their order as
// well, however many ticks come at once and through a revocation, and all those that a ring of two
// slots has no room for at a time.
func TestTheQueueOutlivesAReservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tick := millis.TickAt(day)
		w := &fake.Worker{ID: 3, Fixed: &uid.Reservation{WorkerID: 3, First: 0, Last: tick, Renew: tick}}
		blocked := make(chan struct{})
		w.Before = func(method string) {
			if method == "Extend" {
				<-blocked
			}
		}
		g := start(t, w, fake.NewClock(day), cached.Config{Layout: millis, MaxLead: 10 * time.Millisecond, Slots: 2})
		require.NoError(t, errOf(g.Fill(make([]uid.UID, 16))))
		var c conformance.Crowd
		for range 100 {
			c.Join(g.GetUID)
		}
		require.Zero(t, c.Returned())
		w.Terms.Revoke()
		require.Zero(t, c.Returned())
		w.Set(func(w *fake.Worker) {
			w.ID, w.Fixed = 4, &uid.Reservation{WorkerID: 4, First: tick + 1, Last: tick + 100, Renew: tick + 90}
		})
		close(blocked)
		require.Equal(t, 100, c.Returned())
		last := uid.UID(0)
		for i := range 100 {
			u := c.Got(t, i)[0]
			require.Greater(t, u, last, "call %d", i)
			last = u
			require.EqualValues(t, 4, parse(t, g, last).WorkerID)
		}
	})
}
