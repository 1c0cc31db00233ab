package segment_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/segment"
)

func TestRelease(t *testing.T) {
	bubble(t, tens, func(t *testing.T, h *house, g *segment.Generator) {
		require.Zero(t, release(t, g), "nothing was taken")
		require.EqualValues(t, 1, next(t, g))
		require.EqualValues(t, 9, release(t, g))
		require.EqualValues(t, 2, h.Row("a").Next)
		require.Zero(t, release(t, g))
		requireNext(t, g, 2, 3) // and takes 12 to 21 as well
		require.EqualValues(t, 9+9, release(t, g), "of two segments")
		require.EqualValues(t, 4, h.Row("a").Next)

		require.EqualValues(t, 4, next(t, g)) // of 4 to 13
		first := must(h.Foreign("a", 5))
		require.EqualValues(t, 14, first)
		require.Zero(t, release(t, g), "others have taken since")
		requireNext(t, g, 5, 6) // the numbers are still there, and it takes 19 to 28
		require.EqualValues(t, 10, release(t, g), "the end only")
		require.EqualValues(t, 19, h.Row("a").Next)
		requireNext(t, g, 7, 13)
		require.EqualValues(t, 19, next(t, g))
		s := g.Health()
		require.EqualValues(t, 9+18+10, s.Counts[telemetry.NumbersGivenBack])
		require.EqualValues(t, 14, s.Counts[telemetry.Issued])
		require.EqualValues(t, s.Counts[telemetry.NumbersTaken],
			s.Counts[telemetry.Issued]+s.Counts[telemetry.NumbersGivenBack]+uint64(s.Buffered))
		require.NoError(t, g.Close())
		require.EqualValues(t, 20, h.Row("a").Next)
		require.EqualValues(t, 20, next(t, h.start(t, segment.Config{})), "a restart skips nothing")
	})
}

// TestReleaseWhileDrawing loses no number and gives none twice.
func TestReleaseWhileDrawing(t *testing.T) {
	h := newHouse()
	g := h.start(t, segment.Config{MinStep: 100, MaxStep: 1000})
	var all tally
	var drawing atomic.Int64
	for range 4 {
		drawing.Add(1)
		go func() {
			defer drawing.Add(-1)
			dst := make([]uid.UID, 10)
			for range 1000 {
				n := must(g.Fill(dst))
				all.add(dst[:n]...)
			}
		}()
	}
	for drawing.Load() > 0 {
		require.NoError(t, errOf(g.Release(t.Context())))
	}
	require.NoError(t, errOf(g.Release(t.Context())))
	all.requireDense(t)
	require.Positive(t, g.Health().Counts[telemetry.NumbersGivenBack])
}

// TestReleaseOfNeighbours has a generator give back all that it took last, and then another one what
// it took before that. So the row's next number falls below what the former has left, of which nothing is lost.
func TestReleaseOfNeighbours(t *testing.T) {
	bubble(t, tens, func(t *testing.T, h *house, g *segment.Generator) {
		other := h.start(t, tens)
		require.EqualValues(t, 1, next(t, g)) // of 1 to 10
		requireNext(t, other, 11, 12)         // of 11 to 20, and 21 to 30
		synctest.Wait()
		require.EqualValues(t, 2, next(t, g)) // and 31 to 40
		require.EqualValues(t, 10, release(t, g))
		require.EqualValues(t, 18, release(t, other))
		require.EqualValues(t, 13, h.Row("a").Next)
		requireNext(t, g, 3, 10)
		requireNext(t, g, 13, 22)
		synctest.Wait()
		require.EqualValues(t, 33, h.Row("a").Next)
		row := h.Row("a")
		row.Next = 32
		h.SetRow(row)
		requireNext(t, g, 23, 24)
		synctest.Wait()
		require.Contains(t, g.Health().Failing.Error, segment.ErrLost.Error(), "the row has lost its own number 32")
	})
}

// TestReleaseOfTheLast gives the last numbers of the bounds back, after which there are some again.
func TestReleaseOfTheLast(t *testing.T) {
	bubble(t, segment.Config{Last: 10, MinStep: 10}, func(t *testing.T, _ *house, g *segment.Generator) {
		requireNext(t, g, 1, 2)
		synctest.Wait()
		require.Contains(t, g.Health().Failing.Error, uid.ErrExhausted.Error())
		require.EqualValues(t, 8, release(t, g))
		requireNext(t, g, 3, 10)
		require.ErrorIs(t, errOf(g.GetUID()), uid.ErrExhausted)
	})
}

// TestReleaseHolds has calls draw while numbers are on their way back.
func TestReleaseHolds(t *testing.T) {
	bubble(t, segment.Config{MinStep: 100}, func(t *testing.T, h *house, g *segment.Generator) {
		require.EqualValues(t, 1, next(t, g))
		h.takes = time.Second
		go func() {
			n := must(g.Release(t.Context()))
			require.EqualValues(t, 99, n)
		}()
		time.Sleep(time.Second / 2)
		require.ErrorIs(t, errOf(g.TryGetUID()), uid.ErrRejectedTake)
		began := time.Now()
		require.EqualValues(t, 2, next(t, g), "taken anew")
		require.Equal(t, 3*time.Second/2, time.Since(began))
		require.EqualValues(t, 200, g.Health().Numbers.Step, "such a wait makes steps grow no faster")
	})
}

// TestReleaseInDoubt does not issue numbers that may have been given back, and gives none twice
// whatever came of it.
func TestReleaseInDoubt(t *testing.T) {
	for _, fault := range []segmenttest.Fault{segmenttest.LoseReply, segmenttest.LoseWrite, segmenttest.Delay} {
		t.Run(fault.String(), func(t *testing.T) {
			bubble(t, tens, func(t *testing.T, h *house, g *segment.Generator) {
				var all tally
				for range 20 {
					all.add(uid.UID(next(t, g)))
					synctest.Wait()
					h.client.Fault(fault)
					n, err := g.Release(t.Context())
					require.Error(t, err)
					require.Zero(t, n)
					all.add(uid.UID(next(t, g)))
					h.Deliver()
					all.add(uid.UID(next(t, g)))
				}
				require.Empty(t, all.twos)
				require.Positive(t, g.Health().Counts[telemetry.NumbersDropped])
			})
		})
	}
}

func TestClose(t *testing.T) {
	bubble(t, segment.Config{}, func(t *testing.T, h *house, g *segment.Generator) {
		h.takes = time.Second
		require.Error(t, errOf(g.TryGetUID()))
		require.NoError(t, g.Close())
		require.EqualValues(t, 1, h.Row("a").Next, "what was on its way is given back")
		require.ErrorIs(t, errOf(g.Release(t.Context())), uid.ErrClosed)
		require.Zero(t, g.Health().Buffered)

		g = h.start(t, segment.Config{})
		next(t, g)
		h.Outage(true)
		require.ErrorContains(t, g.Close(), `tag "a"`)
		h.Outage(false)

		h.takes = time.Hour
		g = h.start(t, segment.Config{Timeout: time.Hour})
		require.Error(t, errOf(g.TryGetUID()))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		require.ErrorIs(t, g.CloseContext(ctx), context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(began))
		time.Sleep(2 * time.Hour)
	})
}

func TestRegistry(t *testing.T) {
	h := newHouse()
	r := must(segment.NewRegistry(h, segment.Config{Create: true}))
	var getting sync.WaitGroup
	same := make([]*segment.Generator, 8)
	for i := range same {
		getting.Go(func() {
			g := must(r.Get("orders"))
			same[i] = g
		})
	}
	getting.Wait()
	for _, g := range same {
		require.Same(t, same[0], g)
	}
	require.Equal(t, "orders", same[0].Tag())
	for _, tag := range []string{"orders", "items"} {
		for want := range 5 {
			u := must(r.GetUID(tag))
			require.EqualValues(t, want+1, u)
		}
	}
	for _, tag := range []string{"", " a", "a ", "ä", "a\n", string(make([]byte, 129))} {
		require.Error(t, errOf(r.Get(tag)))
		require.Error(t, errOf(r.GetUID(tag)))
	}
	require.Len(t, slices.Collect(r.All()), 2)
	require.NoError(t, r.Forget(t.Context(), "orders"))
	require.NoError(t, r.Forget(t.Context(), "orders"))
	require.EqualValues(t, 6, h.Row("orders").Next)
	u := must(r.GetUID("orders"))
	require.EqualValues(t, 6, u)
	require.NoError(t, r.Close())
	require.NoError(t, r.Close())
	require.EqualValues(t, 7, h.Row("orders").Next)
	require.EqualValues(t, 6, h.Row("items").Next)
	require.ErrorIs(t, errOf(r.Get("more")), uid.ErrClosed)
	require.ErrorIs(t, errOf(r.GetUID("orders")), uid.ErrClosed)
}
