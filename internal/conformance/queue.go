package conformance

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
)

// A Crowd is calls that began to wait one after the other. What the i-th one drew, and its error, are there once it has
// returned.
type Crowd struct {
	mu   sync.Mutex
	got  [][]uid.UID
	errs []error
}

// Join lets another call begin to wait.
func (c *Crowd) Join(get func() (uid.UID, error)) { c.join(single(get)) }

func (c *Crowd) join(draw draw) {
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

// Returned returns how many calls have.
func (c *Crowd) Returned() (n int) {
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

// Got returns the UIDs of a call, which must have succeeded.
func (c *Crowd) Got(t testing.TB, i int) []uid.UID {
	t.Helper()
	require.NoError(t, c.errs[i])
	return c.got[i]
}

// Places returns the numbers of a call's UIDs, which are of the layout Sixteen, counted from Day on: how many there
// were room for before.
func (c *Crowd) Places(t testing.TB, g Parser, i int) (out []int) {
	t.Helper()
	for _, u := range c.Got(t, i) {
		p, err := g.ParseUID(u)
		require.NoError(t, err)
		out = append(out, int(p.Time.Sub(Day)/time.Millisecond)*16+int(p.Sequence))
	}
	return out
}

// full returns a generator whose tick is used up, while its clock shows Day.
func (s Subject) full(t testing.TB, clock *fake.Clock) Generator {
	g := s.at(t, clock, fake.Endless(7), Config{Layout: Sixteen})
	for range 16 {
		_, err := g.TryGetUID()
		require.NoError(t, err)
	}
	synctest.Wait() // a goroutine that watches the clock has to be woken for the first that waits
	return g
}

// firstComeFirstServed: calls of every kind get UIDs in the order in which they began to wait, without a gap, and
// none that comes later passes them, be it the first to see the next tick.
func (s Subject) firstComeFirstServed(t *testing.T) {
	for _, behind := range []time.Duration{0, 20 * time.Millisecond} {
		if behind > 0 && !s.GoesOn {
			continue
		}
		clock := fake.NewClock(Day)
		g := s.full(t, clock)
		clock.Step(-behind)
		ways := append([]draw{
			single(g.GetUID), filling(t.Context(), g, 1),
			single(func() (uid.UID, error) { return g.GetUIDContext(t.Context()) }),
		}, s.more(g)...)
		var c Crowd
		for i := range 40 {
			way := 0 // a Lane that waits is not to be used by another call
			if i%7 == 0 {
				way = i / 7 % len(ways)
			}
			c.join(ways[way])
		}
		require.Zero(t, c.Returned())
		for _, served := range []int{16, 32} {
			time.Sleep(time.Millisecond)
			_, err := g.TryGetUID()
			require.ErrorIs(t, err, uid.ErrRejectedTake)
			require.Equal(t, served, c.Returned())
			n, err := g.Fill(nil)
			require.NoError(t, err)
			require.Zero(t, n)
		}
		time.Sleep(time.Millisecond)
		require.Equal(t, 40, c.Returned())
		for i := range 40 {
			require.Equal(t, []int{16 + i}, c.Places(t, g, i))
		}
		require.Zero(t, healthOf(g).Waiting)
		require.EqualValues(t, 8, next(t, g).Sequence)
		require.NoError(t, g.Close())
	}
}

// servedUnseen: a call that sees the next tick before those that wait takes it for them, and not for itself.
func (s Subject) servedUnseen(t *testing.T) {
	clock := fake.NewClock(Day)
	g := s.full(t, clock)
	var c Crowd
	for range 16 {
		c.Join(g.GetUID)
	}
	clock.Step(time.Millisecond) // no timer fires
	_, err := g.TryGetUID()
	require.ErrorIs(t, err, uid.ErrRejectedTake)
	require.Equal(t, 16, c.Returned())
	for i := range 16 {
		require.Equal(t, []int{16 + i}, c.Places(t, g, i))
	}
}

// givingUp: a call that gives up, the first of the queue too, takes nothing along.
func (s Subject) givingUp(t *testing.T) {
	g := s.full(t, fake.NewClock(Day))
	var stay, leave Crowd
	ctx, cancel := context.WithCancel(t.Context())
	for i := range 10 {
		leave.join(filling(ctx, g, 1+i%3*20))
		leave.Join(func() (uid.UID, error) { return g.GetUIDContext(ctx) })
		stay.Join(g.GetUID)
	}
	cancel()
	require.Equal(t, 20, leave.Returned())
	for _, err := range leave.errs {
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Zero(t, stay.Returned())
	time.Sleep(time.Millisecond)
	require.Equal(t, 10, stay.Returned())
	first := stay.Places(t, g, 0)[0]
	require.LessOrEqual(t, first, 17, "but for what the very first of them had claimed")
	for i := range 10 {
		require.Equal(t, []int{first + i}, stay.Places(t, g, i))
	}
	require.EqualValues(t, first-16+10, next(t, g).Sequence)
}

// fillTakesTurns: a Fill takes what its tick has left, and queues again behind the calls that came meanwhile. So it
// delays each of them by a tick at most, and no crowd of them keeps it from all but what they take themselves.
func (s Subject) fillTakesTurns(t *testing.T) {
	g := s.full(t, fake.NewClock(Day))
	var c Crowd
	for _, n := range []int{1, 40, 1, 1, 1} {
		c.join(filling(t.Context(), g, n))
	}
	for _, returned := range []int{1, 4, 5} { // the Fill got 15 of the first tick, and waits behind the others
		time.Sleep(time.Millisecond)
		require.Equal(t, returned, c.Returned())
	}
	require.Equal(t, []int{16}, c.Places(t, g, 0))
	for i := range 3 {
		require.Equal(t, []int{32 + i}, c.Places(t, g, 2+i))
	}
	var want []int
	for _, part := range [][2]int{{17, 32}, {35, 60}} {
		for at := part[0]; at < part[1]; at++ {
			want = append(want, at)
		}
	}
	require.Equal(t, want, c.Places(t, g, 1))
}

// crowdAtTheBound: while calls of all kinds wait, give up, and lose what they were given to revocations, none gets a
// UID that another one has, and each goroutine's UIDs increase.
func (s Subject) crowdAtTheBound(t *testing.T) {
	w := fake.Endless(3)
	g := s.start(t, w, Config{Layout: Sixteen})
	const goroutines, each = 24, 60
	streams := make([][]uid.UID, goroutines)
	var drawing sync.WaitGroup
	for i := range streams {
		drawing.Go(func() {
			var own []draw
			if i%6 == 5 {
				own = s.more(g) // whose order is their own
			}
			for n := range each {
				ctx, cancel := t.Context(), func() {}
				if i%3 == 0 { // those that are in a hurry get what they get
					ctx, cancel = context.WithTimeout(ctx, time.Duration(i%7)*300*time.Microsecond)
				}
				way := filling(ctx, g, 1+i%4)
				if own != nil {
					way = own[n%len(own)]
				}
				got, err := way()
				cancel()
				if err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
				streams[i] = append(streams[i], got...)
			}
			if own != nil {
				slices.Sort(streams[i])
			}
		})
	}
	drawn := make(chan struct{})
	go func() {
		drawing.Wait()
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
	require.Zero(t, healthOf(g).Waiting)
	for i, stream := range streams {
		require.True(t, slices.IsSorted(stream), "goroutine %d", i)
	}
	Distinct(t, slices.Concat(streams...))
}
