package cached_test

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
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
)

// TestCloseDoesNotWaitForEver: a worker that does not return, whatever its context, cannot
// hold up a program's end. The worker is released all the same, when it lets itself be.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	for _, c := range []struct {
		call  string
		close func(*testing.T, *cached.Generator) error
		least time.Duration
	}{
		{"Extend", func(t *testing.T, g *cached.Generator) error { return g.Close() }, 30 * time.Second},
		{"Release", func(t *testing.T, g *cached.Generator) error { return g.Close() }, 30 * time.Second},
		{"Extend", func(t *testing.T, g *cached.Generator) error {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			return g.CloseContext(ctx)
		}, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			clock := fake.NewClock(day)
			w := &fake.Worker{ID: 1, Window: 60, Now: clock.Now}
			until := make(chan struct{})
			w.Before = func(method string) {
				if method == c.call {
					<-until
				}
			}
			g, err := cached.New(w, cached.Config{Now: clock.Now})
			require.NoError(t, err)
			last, err := g.GetUID()
			require.NoError(t, err)
			time.Sleep(45 * time.Second) // a renewal is due
			began := time.Now()
			err = c.close(t, g)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorContains(t, err, "cached: releasing the worker: the worker's "+c.call+" has not returned")
			require.GreaterOrEqual(t, time.Since(began), c.least)
			require.Less(t, time.Since(began), c.least+time.Second)
			_, err = g.GetUID()
			require.ErrorIs(t, err, uid.ErrClosed)
			require.NoError(t, g.Close(), "again")
			require.Less(t, time.Since(began), c.least+time.Second)
			require.Empty(t, w.Released)
			close(until)
			synctest.Wait()
			require.Equal(t, []int64{g.Layout().TickAt(parse(t, g, last).Time)}, w.Released)
		})
	}
}

// TestWorkerPanics: a worker's panic is an error, and the generator lives on.
func TestWorkerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(day)
		var log strings.Builder
		w := &fake.Worker{ID: 1, Window: 60, Now: clock.Now}
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
		g, err := cached.New(w, cached.Config{Now: clock.Now, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
		time.Sleep(70 * time.Second)
		_, err = g.GetUID()
		require.ErrorIs(t, err, uid.ErrNoReservation)
		require.ErrorContains(t, err, "the worker's Extend panicked: no such column")
		require.ErrorContains(t, g.Stats().ReservationError, "no such column")
		broken.Store(false)
		time.Sleep(10 * time.Second)
		_, err = g.GetUID()
		require.NoError(t, err)
		require.EqualError(t, g.Close(), "cached: releasing the worker: the worker's Release panicked: no such row")
		require.Equal(t, 2, strings.Count(log.String(), "a worker panicked"), log.String())
		require.Contains(t, log.String(), "close_test.go", "the stack")
	})
}

// TestCloseTellsTheLastTick: no UID that a call gets beside Close is of a later tick than the one
// that Close tells the worker. Whoever has the worker ID next begins right after that.
func TestCloseTellsTheLastTick(t *testing.T) {
	layout := bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 19, SequenceBits: 1, Unit: time.Millisecond})
	for range fake.Rounds(500) {
		w := fake.Endless(7)
		g, err := cached.New(w, cached.Config{Layout: layout, MaxLead: cached.Unbounded, Slots: 1 << 14})
		require.NoError(t, err)
		var newest atomic.Int64
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for {
				u, err := g.GetUID()
				if err != nil {
					return // closed
				}
				tick, _ := layout.Tick(u)
				newest.Store(tick)
			}
		}()
		for first := layout.TickAt(time.Now()); newest.Load() < first+100; { // calls are under way
			runtime.Gosched()
		}
		require.NoError(t, g.Close())
		<-ended
		require.Len(t, w.Released, 1)
		require.GreaterOrEqual(t, w.Released[0], newest.Load())
	}
}
