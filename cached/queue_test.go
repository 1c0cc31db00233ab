package cached

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/ringbuffer"
)

// shutRing returns a ring of runs of four that is shut at the beginning of tick 10.
func shutRing(t *testing.T) (*ringbuffer.Ring, *ringbuffer.Producer) {
	r, p, err := ringbuffer.New(ringbuffer.Config{Slots: 4, SequenceBits: 2})
	require.NoError(t, err)
	require.NoError(t, p.Restart(10, 0, 0))
	return r, p
}

// TestQueueOrder: those whose own claims lie ahead come first, by position; the others in the order
// in which they came.
func TestQueueOrder(t *testing.T) {
	var q line
	r, p := shutRing(t)
	p.Open()
	r.Claim(4)
	first, second := r.Claim(1), r.Claim(1)
	p.Shut()
	a := q.join(noClaim, 1, false)
	h2 := q.join(second, 1, true)
	b := q.join(noClaim, 9, false)
	h1 := q.join(first, 1, true)
	c := q.join(noClaim, 1, false)
	require.Equal(t, 5, q.Waiting())
	require.EqualValues(t, 11, q.Wanted())
	require.Zero(t, q.serve(r, p))
	require.Equal(t, 5, q.Waiting(), "nothing is published")

	require.NoError(t, p.Put(11, 0))
	require.Zero(t, q.serve(r, p))
	require.Equal(t, 1, q.Waiting())
	require.EqualValues(t, 1, q.Wanted())
	for i, w := range []*waiter{h1, h2, a, b, c} {
		require.Equal(t, []uint64{44, 45, 46, 47, 0}[i], w.Given.first)
		require.Equal(t, []uint64{1, 1, 1, 1, 0}[i], w.Got)
		require.Len(t, w.Turn(), int(w.Got))
	}
	q.leave(h2)
	q.leave(a)

	// What was not collected is taken back, and given anew before others.
	require.EqualValues(t, 2, q.Withdraw())
	require.Equal(t, 3, q.Waiting())
	require.NoError(t, p.Put(12, 0))
	require.NoError(t, p.Put(13, 0))
	require.Zero(t, q.serve(r, p))
	for w, want := range map[*waiter][2]uint64{h1: {48, 1}, b: {49, 3}, c: {52, 1}} {
		require.Equal(t, want, [2]uint64{w.Given.first, w.Got})
		q.leave(w)
	}
	require.Zero(t, q.Waiting())
	require.Zero(t, q.Wanted())
	require.Nil(t, q.First())
}

// TestQueuePassedOver: a call whose own claim is passed over comes first in line.
func TestQueuePassedOver(t *testing.T) {
	var q line
	r, p := shutRing(t)
	p.Open()
	r.Claim(4)
	own := r.Claim(2)
	p.Shut()
	late := q.join(noClaim, 1, false)
	h1, h2 := q.join(own, 1, true), q.join(own+1, 1, true)
	require.NoError(t, p.Restart(20, 0, 1))
	require.EqualValues(t, 2, q.serve(r, p))
	require.Equal(t, []uint64{81, 82, 83}, []uint64{h1.Given.first, h2.Given.first, late.Given.first})
	for _, w := range []*waiter{h1, late, h2} {
		q.leave(w)
	}
	require.Zero(t, q.Waiting())
	require.Zero(t, q.Wanted())

	// Nobody else waits: the queue begins with them.
	p.Open()
	for range 9 {
		r.Take()
	}
	p.Shut()
	h1, h2 = q.join(21<<2, 1, true), q.join(21<<2+1, 1, true)
	require.NoError(t, p.Restart(30, 0, 0))
	require.EqualValues(t, 2, q.serve(r, p))
	require.Equal(t, []uint64{120, 121}, []uint64{h1.Given.first, h2.Given.first})
}

// withServed calls f in a bubble, with the lock held, when calls wait of which the first 16 have been
// served and have not collected yet. It returns what they returned, those that wait longer than after
// when the generator was closed.
func withServed(
	t *testing.T, after time.Duration, f func(*testing.T, *locked, *fake.Clock),
) (got [20]uid.UID, errs [20]error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC))
		g, err := New(&fake.Worker{}, Config{Layout: runsOf16, MaxLead: 1, Now: clock.Now})
		require.NoError(t, err)
		_, err = g.Fill(make([]uid.UID, 16))
		require.NoError(t, err)
		var returned sync.WaitGroup
		for i := range got {
			returned.Go(func() { got[i], errs[i] = g.GetUID() })
			synctest.Wait()
		}
		clock.Step(time.Second)
		func() {
			l := g.lock()
			defer g.mu.Unlock()
			l.refill(l.now())
			require.Equal(t, len(got)-16, l.queue.Waiting())
			f(t, l, clock)
		}()
		time.Sleep(after)
		synctest.Wait()
		require.NoError(t, g.Close())
		returned.Wait()
	})
	return got, errs
}

var runsOf16 = bits.MustLayout(bits.Config{TimeBits: 30, WorkerBits: 20, SequenceBits: 4})

// TestRevocationTakesBack: what calls were given and have not collected is not issued when the
// reservation is withdrawn, and Close leaves nothing to collect.
func TestRevocationTakesBack(t *testing.T) {
	_, errs := withServed(t, 0, func(*testing.T, *locked, *fake.Clock) {})
	for i, err := range errs {
		if i < 16 {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, uid.ErrClosed)
		}
	}

	var void uint64
	got, errs := withServed(t, 0, func(t *testing.T, l *locked, clock *fake.Clock) {
		l.discard()
		require.Equal(t, 20, l.queue.Waiting())
		require.EqualValues(t, 16, l.counts.lost.Load())
		void = l.discardedBelow << l.valBits
		clock.Step(time.Second)
		l.refill(l.now())
		require.Equal(t, 4, l.queue.Waiting())
	})
	for i := range 16 {
		require.NoError(t, errs[i])
		require.Equal(t, uid.UID(void)+uid.UID(i), got[i], "in the old order")
	}
	require.ErrorIs(t, errs[16], uid.ErrClosed)

	_, errs = withServed(t, 0, func(_ *testing.T, l *locked, _ *fake.Clock) { l.end() })
	for _, err := range errs {
		require.ErrorIs(t, err, uid.ErrClosed)
	}

	// run has just found that nobody draws, and has to watch the clock again.
	_, errs = withServed(t, time.Second, func(_ *testing.T, l *locked, _ *fake.Clock) {
		l.park()
		l.discard()
	})
	for i, err := range errs {
		require.Equal(t, i < 16, err == nil, "call %d: %v", i, err)
	}
}
