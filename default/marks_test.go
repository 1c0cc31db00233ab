package uncached

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
)

// narrow has four UIDs a tick, and just room enough for adds.
var narrow = layout(42, 19, 2)

func layout(ticks, worker, sequence int) bits.Layout {
	cfg := bits.Config{TimeBits: ticks, WorkerBits: worker, SequenceBits: sequence, Unit: time.Millisecond}
	return bits.MustLayout(cfg)
}

// between makes a generator whose calls do something once, between their reading of the clock, after a look at the
// hint, and the add or the position.
func between(t *testing.T, w uid.Worker, cfg Config) (g *Generator, clock *fake.Clock, do func(func())) {
	clock = fake.NewFrozenClock(morning)
	var once func()
	cfg.Now = func() time.Time {
		now := clock.Now()
		if f := once; f != nil {
			once = nil
			f()
		}
		return now
	}
	g = quiet(t, w, cfg)
	return g, clock, func(f func()) { once = f }
}

// Calls add once a tick has begun, under the policies and layouts where they may.
func TestWhoAdds(t *testing.T) {
	for _, tt := range []struct {
		cfg  Config
		adds bool
	}{
		{Config{}, true},
		{Config{Layout: millis, ClockBack: Fail()}, true},
		{Config{Layout: narrow, RandomStart: true}, true},
		{Config{Layout: layout(43, 18, 2)}, false},
		{Config{Layout: layout(48, 3, 12)}, false},
		{Config{Layout: millis, ClockBack: Remember(2)}, false},
		{Config{Layout: millis, ClockBack: RollbackBits(2)}, false},
	} {
		g, clock, _ := between(t, fake.Endless(7), tt.cfg)
		for range 3 {
			first := take(t, g)
			require.Equal(t, tt.adds, g.adds.Load() == 2*g.tickAt(clock.Now()), tt.cfg)
			require.Equal(t, at{since: first.since, sequence: first.sequence + 1}, take(t, g))
			clock.Step(time.Second)
		}
	}
}

// Adds that come after a tick's last UID find room beside the tick: no UID is of a later one, the next
// tick is whole, and nobody adds in the old one any more.
func TestLateAdds(t *testing.T) {
	for _, policy := range []Policy{Logical(), Fail()} {
		g, clock, do := between(t, fake.Endless(7), Config{Layout: narrow, ClockBack: policy})
		require.Equal(t, at{}, take(t, g))
		var nested func(int)
		nested = func(depth int) {
			if depth == 0 {
				require.Equal(t, 3, must(g.Fill(make([]uid.UID, 3))))
				return
			}
			do(func() { nested(depth - 1) })
			require.ErrorIs(t, errorOf(g.TryGetUID()), uid.ErrRejectedTake)
		}
		nested(100)
		require.Equal(t, g.tickAt(morning), g.newest())
		require.Equal(t, g.marks[0].Load()&g.lowMask, int64(3+100), "late adds")
		for range 100 {
			require.ErrorIs(t, errorOf(g.TryGetUID()), uid.ErrRejectedTake)
		}
		g.beginAdds(g.tickAt(morning)) // as by who was held up since it moved the mark
		require.ErrorIs(t, errorOf(g.TryGetUID()), uid.ErrRejectedTake)
		require.Equal(t, g.marks[0].Load()&g.lowMask, int64(3+100), "adds in a tick that is used up")
		clock.Step(time.Millisecond)
		for i := range int64(4) {
			require.Equal(t, at{since: time.Millisecond, sequence: i}, take(t, g))
		}
		require.Zero(t, g.Health().Lead.Now.Duration)
	}
}

// An add that comes when a later tick has begun leaves its position unused: that tick may not be
// reserved for the call's grant.
func TestAddInALaterTick(t *testing.T) {
	g, clock, do := between(t, fake.Endless(7), Config{Layout: narrow})
	require.Equal(t, at{}, take(t, g))
	do(func() {
		clock.Step(time.Millisecond)
		require.Equal(t, at{since: time.Millisecond}, take(t, g))
	})
	require.Equal(t, at{since: time.Millisecond, sequence: 2}, take(t, g))
	require.Equal(t, 2*g.tickAt(clock.Now()), g.adds.Load(), "the late one has not ended the adds of the tick")
}

// An add that comes when the grant was withdrawn leaves its position unused.
func TestAddUnderAWithdrawnGrant(t *testing.T) {
	w := fake.Giving(all)
	g, _, do := between(t, w, Config{Layout: narrow})
	take(t, g)
	do(func() {
		w.Give(all, errors.New("gone"))
		w.Terms.Revoke()
	})
	require.ErrorIs(t, errorOf(g.TryGetUID()), uid.ErrNoReservation)
}

// A tick in which calls added is not theirs any more once another reservation begins later, or ends before.
func TestAddIsReserved(t *testing.T) {
	now := narrow.TickAt(morning)
	for _, r := range []uid.Reservation{
		{WorkerID: 7, First: now + 1, Last: now + 10, Renew: now + 10},
		{WorkerID: 7, Last: now - 1, Renew: now + 10},
	} {
		w := fake.Giving(all)
		g, _, _ := between(t, w, Config{Layout: narrow, ClockBack: Fail()})
		take(t, g)
		grantNow(g, w, r)
		require.Error(t, errorOf(g.TryGetUID()))
	}
}
