package uncached

import (
	"context"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
)

// A worker that does not return, whatever its context, cannot hold up a program's end. The
// worker is released all the same, when it lets itself be.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	for _, c := range []struct {
		call  string
		close func(*testing.T, *Generator) error
		least time.Duration
	}{
		{"Extend", func(t *testing.T, g *Generator) error { return g.Close() }, 30 * time.Second},
		{"Release", func(t *testing.T, g *Generator) error { return g.Close() }, 30 * time.Second},
		{"Extend", func(t *testing.T, g *Generator) error {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			return g.CloseContext(ctx)
		}, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			clock := fake.NewClock(morning)
			now := seconds.TickAt(morning)
			w := fake.Giving(uid.Reservation{WorkerID: 7, Last: now + 60, Renew: now + 30})
			until := make(chan struct{})
			w.Before = func(method string) {
				if method == c.call {
					<-until
				}
			}
			g := quiet(t, w, Config{Layout: seconds, ClockBack: RollbackBits(2), Now: clock.Now})
			last, err := g.GetUID()
			require.NoError(t, err)
			time.Sleep(45 * time.Second) // a renewal is due
			clock.Step(45 * time.Second)
			began := time.Now()
			err = c.close(t, g)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorContains(t, err, "uncached: releasing the worker: the worker's "+c.call+" has not returned")
			require.GreaterOrEqual(t, time.Since(began), c.least)
			require.Less(t, time.Since(began), c.least+time.Second)
			_, err = g.GetUID()
			require.ErrorIs(t, err, uid.ErrClosed)
			require.NoError(t, g.Close(), "again")
			require.Less(t, time.Since(began), c.least+time.Second)
			require.Empty(t, w.Released)
			close(until)
			synctest.Wait()
			tick, err := seconds.Tick(last)
			require.NoError(t, err)
			require.Equal(t, []int64{tick}, w.Released)
		})
	}
}

// A worker's panic is an error, and the generator lives on.
func TestWorkerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(morning)
		now := seconds.TickAt(morning)
		w := fake.Giving(uid.Reservation{WorkerID: 7, Last: now + 60, Renew: now + 30})
		var broken atomic.Bool
		broken.Store(true)
		w.Before = func(method string) {
			switch {
			case method == "Extend" && broken.Load():
				panic("no such column")
			case method == "Release":
				panic("no such row")
			}
		}
		var log strings.Builder
		g, err := New(w, Config{Layout: seconds, ClockBack: Fail(), Now: clock.Now, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
		clock.Step(70 * time.Second)
		time.Sleep(70 * time.Second)
		_, err = g.GetUID()
		require.ErrorIs(t, err, uid.ErrNoReservation)
		require.ErrorContains(t, err, "the worker's Extend panicked: no such column")
		broken.Store(false)
		w.Give(all, nil)
		time.Sleep(10 * time.Second)
		_, err = g.GetUID()
		require.NoError(t, err)
		require.EqualError(t, g.Close(), "uncached: releasing the worker: the worker's Release panicked: no such row")
		require.Equal(t, 2, strings.Count(log.String(), "a worker panicked"), log.String())
		require.Contains(t, log.String(), "close_test.go", "the stack")
	})
}

// No UID that a call gets beside Close is of a later tick than the one that Close tells the worker.
// Whoever has the worker ID next begins right after that.
func TestCloseTellsTheLastTick(t *testing.T) {
	for range fake.Rounds(500) {
		w := fake.Endless(7)
		var clock, newest atomic.Int64 // ticks
		clock.Store(millis.Terms().TickAt(morning))
		g := quiet(t, w, Config{Layout: millis, Now: func() time.Time { return millis.TimeOf(clock.Add(1)) }})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for {
				u, err := g.GetUID()
				if err != nil {
					return // closed
				}
				tick, _ := millis.Tick(u)
				newest.Store(tick)
			}
		}()
		for first := clock.Load(); newest.Load() < first+100; { // calls are under way
			runtime.Gosched()
		}
		require.NoError(t, g.Close())
		<-ended
		require.Len(t, w.Released, 1)
		require.GreaterOrEqual(t, w.Released[0], newest.Load())
	}
}
