package uncached

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
)

// sixteen is a layout of millisecond ticks of 16 UIDs.
var sixteen = bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 4, Unit: time.Millisecond})

// A crowd is calls that began to wait one after the other: what each got, and its error, once it
// has returned.
type crowd struct {
	mu   sync.Mutex
	got  [][]uid.UID
	errs []error
}

func (c *crowd) join(ctx context.Context, g *Generator, n int) {
	c.mu.Lock()
	i := len(c.got)
	c.got, c.errs = append(c.got, nil), append(c.errs, nil)
	c.mu.Unlock()
	go func() {
		dst := make([]uid.UID, n)
		n, err := g.FillContext(ctx, dst)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.got[i], c.errs[i] = dst[:n], err
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

// places returns the numbers of a call's UIDs, counted from the tick of morning.
func (c *crowd) places(t *testing.T, g *Generator, i int) (out []int) {
	for _, u := range c.got[i] {
		p, err := g.ParseUID(u)
		require.NoError(t, err)
		out = append(out, int(p.Time.Sub(morning)/time.Millisecond)*16+int(p.Sequence))
	}
	return out
}

// usedUpAt returns a generator whose tick is used up, while its clock shows morning.
func usedUpAt(t *testing.T, clock *fake.Clock, w uid.Worker, cfg Config) *Generator {
	cfg.Layout, cfg.Now = sixteen, clock.Now
	g := quiet(t, w, cfg)
	for range 16 {
		_, err := g.TryGetUID()
		require.NoError(t, err)
	}
	return g
}

// TestFirstComeFirstServed: calls that wait get UIDs in the order in which they began to, without
// a gap, and none that comes later passes them, be it the first to see the next tick.
func TestFirstComeFirstServed(t *testing.T) {
	for _, behind := range []time.Duration{0, 20 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			clock := fake.NewClock(morning)
			g := usedUpAt(t, clock, fake.Endless(7), Config{})
			defer g.Close()
			clock.Step(-behind) // Logical goes on at the rate at which time passes
			var c crowd
			for range 40 {
				c.join(t.Context(), g, 1)
			}
			require.Zero(t, c.returned())
			require.EqualValues(t, 40, g.queue.waiting.Load())
			for _, served := range []int{16, 32} {
				time.Sleep(time.Millisecond)
				_, err := g.TryGetUID()
				require.ErrorIs(t, err, uid.ErrRejectedTake)
				require.Equal(t, served, c.returned())
			}
			time.Sleep(time.Millisecond)
			require.Equal(t, 40, c.returned())
			for i := range c.got {
				require.NoError(t, c.errs[i])
				require.Equal(t, []int{16 + i}, c.places(t, g, i))
			}
			require.Zero(t, g.queue.waiting.Load())
			u, err := g.TryGetUID()
			require.NoError(t, err)
			p, err := g.ParseUID(u)
			require.NoError(t, err)
			require.EqualValues(t, 8, p.Sequence)
		})
	}
}

// TestServedBeforeTheClockIsSeen: a call that sees the next tick before those that wait takes it for
// them, and not for itself.
func TestServedBeforeTheClockIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(morning)
		g := usedUpAt(t, clock, fake.Endless(7), Config{})
		defer g.Close()
		var c crowd
		for range 16 {
			c.join(t.Context(), g, 1)
		}
		clock.Step(time.Millisecond) // no timer fires
		_, err := g.TryGetUID()
		require.ErrorIs(t, err, uid.ErrRejectedTake)
		require.Equal(t, 16, c.returned())
		for i := range c.got {
			require.Equal(t, []int{16 + i}, c.places(t, g, i))
		}
	})
}

// TestGivingUpFreesThePlace: whoever gives up, the first of the queue too, takes nothing along.
func TestGivingUpFreesThePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := usedUpAt(t, fake.NewClock(morning), fake.Endless(7), Config{})
		defer g.Close()
		var stay, leave crowd
		ctx, cancel := context.WithCancel(t.Context())
		for range 10 {
			leave.join(ctx, g, 30)
			stay.join(t.Context(), g, 1)
		}
		cancel()
		require.Equal(t, 10, leave.returned())
		require.Zero(t, stay.returned())
		time.Sleep(time.Millisecond)
		require.Equal(t, 10, stay.returned())
		for i := range stay.got {
			require.ErrorIs(t, leave.errs[i], context.Canceled)
			require.Equal(t, []int{16 + i}, stay.places(t, g, i))
		}
	})
}

// TestFillTakesTurns: a Fill takes what its tick has left, and queues again behind the others.
func TestFillTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := usedUpAt(t, fake.NewClock(morning), fake.Endless(7), Config{})
		defer g.Close()
		var c crowd
		for _, n := range []int{1, 24, 1, 1} {
			c.join(t.Context(), g, n)
		}
		time.Sleep(time.Millisecond)
		require.Equal(t, 1, c.returned())
		time.Sleep(time.Millisecond)
		require.Equal(t, 4, c.returned())
		require.Equal(t, []int{16}, c.places(t, g, 0))
		fill := c.places(t, g, 1)
		require.Len(t, fill, 24)
		require.Equal(t, []int{17, 31, 34, 42}, []int{fill[0], fill[14], fill[15], fill[23]})
		require.Equal(t, []int{32}, c.places(t, g, 2))
		require.Equal(t, []int{33}, c.places(t, g, 3))
	})
}

// TestCloseFreesTheQueue: calls that wait return, in whatever place.
func TestCloseFreesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := usedUpAt(t, fake.NewClock(morning), fake.Endless(7), Config{})
		var c crowd
		for range 20 {
			c.join(t.Context(), g, 1)
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

// TestRevocationTakesBack: what a call was given and has not collected is not issued when the
// reservation is withdrawn meanwhile. The call is the first again.
func TestRevocationTakesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(morning)
		w := fake.Endless(7)
		g := usedUpAt(t, clock, w, Config{})
		defer g.Close()
		one, other := g.queue.join(1), g.queue.join(1)
		clock.Step(time.Millisecond)
		tick := sixteen.TickAt(clock.Now())
		_, _, out := g.takeInTurn(nil, 1, g.tenure.Grant(), tick, 0)
		require.Equal(t, issued, out)
		require.EqualValues(t, 1, one.got)
		require.EqualValues(t, 1, other.got)
		require.Len(t, one.turn, 1)
		u, got, out := g.takeInTurn(other, 1, g.tenure.Grant(), tick, 0)
		require.Equal(t, issued, out)
		require.EqualValues(t, 1, got)
		require.Equal(t, other.u, u)
		w.Terms.Revoke()
		_, _, out = g.takeInTurn(one, 1, g.tenure.Grant(), tick, 0)
		require.Equal(t, outdated, out)
		require.True(t, g.queue.isFirst(one))
		require.Zero(t, one.got)
		synctest.Wait() // the worker extends
		u, _, out = g.takeInTurn(one, 1, g.tenure.Grant(), tick, 0)
		require.Equal(t, issued, out)
		require.Greater(t, u, other.u)
		require.Zero(t, g.queue.waiting.Load())
	})
}

// TestCrowdAtTheCeiling: while calls wait, give up, and lose what they were given to revocations,
// none gets a UID that another one has, and each goroutine's UIDs increase.
func TestCrowdAtTheCeiling(t *testing.T) {
	w := fake.Endless(7)
	g := quiet(t, w, Config{Layout: sixteen})
	const goroutines, each = 24, 60
	streams := make([][]uid.UID, goroutines)
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			for range each {
				ctx, cancel := t.Context(), func() {}
				if i%3 == 0 { // those that are in a hurry get what they get
					ctx, cancel = context.WithTimeout(ctx, time.Duration(i%7)*300*time.Microsecond)
				}
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
	require.NoError(t, g.Close())
	require.Zero(t, g.queue.waiting.Load())
	seen := make(map[uid.UID]bool)
	for i, s := range streams {
		last := uid.UID(-1)
		for _, u := range s {
			require.Greater(t, u, last, "goroutine %d", i)
			require.False(t, seen[u], "goroutine %d got %d, which another one has", i, u)
			seen[u], last = true, u
		}
	}
}
