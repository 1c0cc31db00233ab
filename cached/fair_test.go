package cached_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
)

// A crowd is calls that began to wait one after the other. got[i] is what the i-th one drew, once
// it has returned, and errs[i] its error.
type crowd struct {
	mu   sync.Mutex
	got  [][]uid.UID
	errs []error
}

// join lets another call begin to wait, of draw.
func (c *crowd) join(draw func() ([]uid.UID, error)) {
	c.mu.Lock()
	i := len(c.got)
	c.got, c.errs = append(c.got, nil), append(c.errs, nil)
	c.mu.Unlock()
	go func() {
		got, err := draw()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.got[i], c.errs[i] = got, err
	}()
	synctest.Wait()
}

func (c *crowd) returned() (n int) {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.got {
		if c.got[i] != nil || c.errs[i] != nil {
			n++
		}
	}
	return n
}

func single(draw func() (uid.UID, error)) func() ([]uid.UID, error) {
	return func() ([]uid.UID, error) {
		u, err := draw()
		return []uid.UID{u}, err
	}
}

func filling(ctx context.Context, g *cached.Generator, n int) func() ([]uid.UID, error) {
	return func() ([]uid.UID, error) {
		dst := make([]uid.UID, n)
		n, err := g.FillContext(ctx, dst)
		return dst[:n], err
	}
}

// place returns how many UIDs there were room for in the ticks before u, since day, and in its own.
func place(t *testing.T, g *cached.Generator, u uid.UID) int {
	p := parse(t, g, u)
	return int(p.Time.Sub(day)/time.Millisecond)*16 + int(p.Sequence)
}

// TestFirstComeFirstServed: calls of every kind get UIDs in the order in which they began to wait,
// without a gap, 16 in each tick; and a call that comes later passes none of them.
func TestFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := full(t, fake.NewClock(day), cached.Config{})
		synctest.Wait() // the generator's goroutine has to be woken for the first that waits
		var c crowd
		lane, unordered := g.Lane(), g.Unordered()
		for i := range 40 {
			switch i {
			case 7:
				c.join(single(lane.GetUID))
			case 11:
				c.join(single(unordered.GetUID))
			case 13:
				c.join(filling(t.Context(), g, 1))
			case 17:
				c.join(single(func() (uid.UID, error) { return g.GetUIDContext(t.Context()) }))
			default:
				c.join(single(g.GetUID))
			}
		}
		require.Zero(t, c.returned())
		require.EqualValues(t, 40, g.Stats().RejectedTakes)
		for _, served := range []int{16, 32} {
			time.Sleep(time.Millisecond)
			require.Equal(t, served, c.returned())
			_, err := g.TryGetUID()
			require.ErrorIs(t, err, uid.ErrRejectedTake, "it must not pass those that wait")
			n, err := g.Fill(nil)
			require.NoError(t, err)
			require.Zero(t, n)
		}
		time.Sleep(time.Millisecond)
		require.Equal(t, 40, c.returned())
		for i, got := range c.got {
			require.NoError(t, c.errs[i])
			require.Equal(t, 16+i, place(t, g, got[0]), "call %d", i)
		}
		u, err := g.TryGetUID()
		require.NoError(t, err)
		require.Equal(t, 16+40, place(t, g, u))
		require.Zero(t, g.Stats().Lost)
		require.EqualValues(t, 16+40+1, g.Stats().Issued)
	})
}

// TestServedBeforeTheClockIsSeen: a call that finds the next tick before the generator's goroutine
// does publishes it for those that wait, and not for itself.
func TestServedBeforeTheClockIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(day)
		g := full(t, clock, cached.Config{})
		var c crowd
		for range 16 {
			c.join(single(g.GetUID))
		}
		clock.Step(time.Millisecond) // no timer fires
		_, err := g.TryGetUID()
		require.ErrorIs(t, err, uid.ErrRejectedTake)
		require.Equal(t, 16, c.returned())
		for i, got := range c.got {
			require.Equal(t, 16+i, place(t, g, got[0]))
		}
	})
}

// TestServedFromMoreThanTheRing: calls that wait get all that the clock allows, however little of it
// fits into the ring at a time.
func TestServedFromMoreThanTheRing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(day)
		g := start(t, &fake.Worker{}, clock, cached.Config{Layout: millis, MaxLead: 10 * time.Millisecond, Slots: 2})
		for range 11 {
			synctest.Wait() // a ring of two runs is soon a lap ahead of a claim
			_, err := g.Fill(make([]uid.UID, 16))
			require.NoError(t, err)
		}
		var c crowd
		for range 100 {
			c.join(single(g.GetUID))
		}
		clock.Step(10 * time.Millisecond)
		u, err := g.TryGetUID()
		require.NoError(t, err)
		require.Equal(t, 11*16+100, place(t, g, u))
		require.Equal(t, 100, c.returned())
		for i, got := range c.got {
			require.Equal(t, 11*16+i, place(t, g, got[0]))
		}
	})
}

// TestGivingUpFreesThePlace: of calls that give up nothing remains in the queue, and no UID is
// wasted but that of the call that had run over the end of what was ready.
func TestGivingUpFreesThePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := full(t, fake.NewClock(day), cached.Config{})
		var stay, leave crowd
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 10 {
			stay.join(single(g.GetUID))
			leave.join(single(func() (uid.UID, error) { return g.GetUIDContext(ctx) }))
			if i%3 == 0 {
				leave.join(filling(ctx, g, 40))
			}
		}
		cancel()
		require.Equal(t, len(leave.got), leave.returned())
		for _, err := range leave.errs {
			require.ErrorIs(t, err, context.Canceled)
		}
		require.Zero(t, stay.returned())
		time.Sleep(time.Millisecond)
		require.Equal(t, 10, stay.returned())
		for i, got := range stay.got {
			require.Equal(t, 16+i, place(t, g, got[0]))
		}
		u, err := g.GetUID()
		require.NoError(t, err)
		require.Equal(t, 16+10, place(t, g, u))
		require.Zero(t, g.Stats().Lost)

		// The first to wait holds the position that its own claim got.
		_, err = g.Fill(make([]uid.UID, 5))
		require.NoError(t, err)
		ctx, cancel = context.WithTimeout(t.Context(), time.Microsecond)
		defer cancel()
		_, err = g.GetUIDContext(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualValues(t, 1, g.Stats().Lost)
		require.EqualValues(t, 16+10+1+5, g.Stats().Issued)
	})
}

// TestFillTakesTurns: a Fill takes what its tick has left, and queues again behind the calls that
// came meanwhile. So it delays each of them by a tick at most, and no crowd of them keeps it from
// all but what they take themselves.
func TestFillTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := full(t, fake.NewClock(day), cached.Config{})
		var c crowd
		c.join(single(g.GetUID))
		c.join(filling(t.Context(), g, 40))
		for range 3 {
			c.join(single(g.GetUID))
		}
		places := func(i int) (out []int) {
			for _, u := range c.got[i] {
				out = append(out, place(t, g, u))
			}
			return out
		}
		time.Sleep(time.Millisecond)
		require.Equal(t, 1, c.returned(), "the first; the Fill got 15 and waits behind the others")
		time.Sleep(time.Millisecond)
		require.Equal(t, 4, c.returned())
		time.Sleep(time.Millisecond)
		require.Equal(t, 5, c.returned())
		require.Equal(t, []int{16}, places(0))
		for i := range 3 {
			require.Equal(t, []int{32 + i}, places(2+i))
		}
		var want []int
		for _, part := range [][2]int{{17, 32}, {35, 48}, {48, 60}} {
			for at := part[0]; at < part[1]; at++ {
				want = append(want, at)
			}
		}
		require.Equal(t, want, places(1))
		require.Zero(t, g.Stats().Lost)
	})
}

// TestTheWaitIsTold: a handler learns how long it takes until its call's turn comes, and is not
// asked again when it does.
func TestTheWaitIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []uid.Rejection
		g := full(t, fake.NewClock(day), cached.Config{OnRejectedTake: func(r uid.Rejection) error {
			asked = append(asked, r)
			return nil
		}})
		var c crowd
		for i := range 40 {
			c.join(single(g.GetUID))
			require.Len(t, asked, i+1)
			require.Equal(t, time.Duration(1+i/16)*time.Millisecond, asked[i].Wait)
			require.Zero(t, asked[i].Attempt)
		}
		time.Sleep(3 * time.Millisecond)
		require.Equal(t, 40, c.returned())
		require.Len(t, asked, 40)
	})
}

// TestCloseFreesTheQueue: calls that wait return, in whatever place, and nothing is issued to them.
func TestCloseFreesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := full(t, fake.NewClock(day), cached.Config{})
		var c crowd
		for range 20 {
			c.join(single(g.GetUID))
		}
		require.Equal(t, 20, g.Stats().Waiting)
		require.NoError(t, g.Close())
		require.Equal(t, 20, c.returned())
		require.Zero(t, g.Stats().Waiting)
		for _, err := range c.errs {
			require.ErrorIs(t, err, uid.ErrClosed)
		}
	})
}

// TestTheQueueOutlivesAReservation: calls that wait for the worker are served in their order as
// well, however many ticks come at once and through a revocation, and all those that a ring of two
// slots has no room for at a time.
func TestTheQueueOutlivesAReservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(day)
		tick := millis.TickAt(day)
		w := &fake.Worker{ID: 3, Fixed: &uid.Reservation{WorkerID: 3, First: 0, Last: tick, Renew: tick}}
		blocked := make(chan struct{})
		w.Before = func(method string) {
			if method == "Extend" {
				<-blocked
			}
		}
		g := start(t, w, clock, cached.Config{Layout: millis, MaxLead: 10 * time.Millisecond, Slots: 2})
		_, err := g.Fill(make([]uid.UID, 16))
		require.NoError(t, err)
		var c crowd
		for range 100 {
			c.join(single(g.GetUID))
		}
		require.Zero(t, c.returned())
		w.Terms.Revoke()
		require.Zero(t, c.returned())
		w.Set(func(w *fake.Worker) {
			w.ID, w.Fixed = 4, &uid.Reservation{WorkerID: 4, First: tick + 1, Last: tick + 100, Renew: tick + 90}
		})
		close(blocked)
		require.Equal(t, 100, c.returned())
		last := uid.UID(0)
		for i, got := range c.got {
			require.NoError(t, c.errs[i])
			require.Greater(t, got[0], last, "call %d", i)
			last = got[0]
			require.EqualValues(t, 4, parse(t, g, last).WorkerID)
		}
	})
}

// TestCrowdAtTheBound: while calls of all kinds wait, give up, and lose what they were given to
// revocations, none gets a UID that another one has, and each goroutine's UIDs increase.
func TestCrowdAtTheBound(t *testing.T) {
	w := &fake.Worker{ID: 3}
	g := start(t, w, nil, cached.Config{Layout: millis, MaxLead: time.Nanosecond, Slots: 2})
	const goroutines, each = 24, 60
	streams := make([][]uid.UID, goroutines)
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			if i%3 != 0 {
				streams[i] = drawSomehow(t, g, i, each)
				return
			}
			for range each { // those that are in a hurry get what they get
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7)*300*time.Microsecond)
				dst := make([]uid.UID, 1+i%4)
				n, err := g.FillContext(ctx, dst)
				cancel()
				if err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
				streams[i] = append(streams[i], dst[:n]...)
			}
		})
	}
	drawn := make(chan struct{})
	go func() {
		wg.Wait()
		close(drawn)
	}()
	for range 20 {
		select {
		case <-drawn:
		case <-time.After(3 * time.Millisecond):
			w.Terms.Revoke()
		}
	}
	<-drawn
	seen := make(map[uid.UID]bool)
	for i, s := range streams {
		last := uid.UID(-1)
		for _, u := range s {
			require.Greater(t, u, last, "goroutine %d", i)
			require.False(t, seen[u], "goroutine %d got %d, which another one has", i, u)
			seen[u], last = true, u
		}
	}
	require.GreaterOrEqual(t, g.Stats().Issued, uint64(len(seen)))
}
