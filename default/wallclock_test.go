package uncached

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/telemetry"
)

// glancing makes a generator that takes a wall clock for the machine's, beside the monotonic
// clock: in a synctest bubble, the bubble's.
func glancing(t testing.TB, w uid.Worker, cfg Config, wall func() time.Time) *Generator {
	cfg.Now = wall
	g := quiet(t, w, cfg)
	g.clock.each = !g.sharesReadings()
	return g
}

// A wallOf counts how often a clock is read.
type wallOf struct {
	*fake.Clock
	readings int
}

func (w *wallOf) Now() time.Time {
	w.readings++
	return w.Clock.Now()
}

// The machine's wall clock is read once in maxReadingAge, and at the boundaries of ticks.
func TestReadings(t *testing.T) {
	for _, tt := range []struct {
		layout bits.Layout
		start  time.Duration
		wait   time.Duration // after the first UID
		read   bool          // whether the second one takes another reading
		want   at            // the second one, after the first one
	}{
		{seconds, 0, 0, false, at{sequence: 1}},
		{seconds, 0, maxReadingAge - 1, false, at{sequence: 1}},
		{seconds, 0, maxReadingAge, true, at{sequence: 1}},
		{seconds, time.Second - 300, 299, false, at{sequence: 1}},
		{seconds, time.Second - 300, 300, true, at{since: time.Second}},
		{millis, 700_000, 299_999, false, at{sequence: 1}},
		{millis, 700_000, 300_000, true, at{since: time.Millisecond}},
		{millis, 0, 5 * time.Millisecond, true, at{since: 5 * time.Millisecond}},
	} {
		for _, policy := range []Policy{Logical(), Fail(), Wait(DefaultWait), RollbackBits(2)} {
			synctest.Test(t, func(t *testing.T) {
				clock := &wallOf{Clock: fake.NewClock(morning.Add(tt.start))}
				g := glancing(t, fake.Endless(7), Config{Layout: tt.layout, ClockBack: policy}, clock.Now)
				before := clock.readings
				require.Equal(t, at{}, take(t, g))
				require.Equal(t, before+1, clock.readings)
				time.Sleep(tt.wait)
				require.Equal(t, tt.want, take(t, g))
				require.Equal(t, tt.read, clock.readings == before+2, tt)
			})
		}
	}
}

// A clock that is configured is read for each UID; so is the machine's where it has to be.
func TestReadsEachTime(t *testing.T) {
	fast := bits.MustLayout(bits.Config{TimeBits: 51, WorkerBits: 5, SequenceBits: 7, Unit: time.Second / 2000})
	for _, tt := range []struct {
		cfg  Config
		each bool
	}{
		{Config{Layout: seconds}, false},
		{Config{Layout: millis, ClockBack: RollbackBits(2)}, false},
		{Config{Layout: millis, Now: time.Now}, true},
		{Config{Layout: millis, ClockBack: Remember(2)}, true},
		{Config{Layout: fast}, true},
	} {
		g := quiet(t, fake.Endless(7), tt.cfg)
		require.Equal(t, tt.each, g.clock.each, tt)
		require.NoError(t, g.Close())
	}
	synctest.Test(t, func(t *testing.T) {
		clock := &wallOf{Clock: fake.NewClock(morning)}
		g := quiet(t, fake.Endless(7), Config{Layout: seconds, Now: clock.Now})
		for range 5 {
			before := clock.readings
			take(t, g)
			require.Equal(t, before+1, clock.readings)
		}
	})
}

// A step of the wall clock counts when the last reading is maxReadingAge old, and is then dealt with as
// if it came then. Until then UIDs are of the tick from before.
func TestStepWithinAGlance(t *testing.T) {
	const ms = time.Millisecond
	for _, policy := range policies {
		for _, step := range []time.Duration{-time.Hour, -5 * ms, 5 * ms, time.Hour} {
			t.Run(fmt.Sprint(policy, step), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					clock := fake.NewClock(morning)
					g := glancing(t, fake.Endless(7), Config{Layout: millis, ClockBack: policy}, clock.Now)
					require.Equal(t, at{}, take(t, g))
					clock.Step(step)
					if policy.kind == kindRemember { // it reads the clock for each UID
						require.Equal(t, at{since: step}, take(t, g))
						return
					}
					require.Equal(t, at{sequence: 1}, take(t, g))
					time.Sleep(maxReadingAge - 1)
					require.Equal(t, at{sequence: 2}, take(t, g))
					require.Zero(t, g.Health().Counts[telemetry.ClockBehind])
					time.Sleep(time.Nanosecond)
					if step > 0 {
						require.Equal(t, at{since: step + ms}, take(t, g))
						return
					}
					requireSetback(t, g, at{sequence: 2}, -step-ms)
					require.NotZero(t, g.Health().Counts[telemetry.ClockBehind])
				})
			})
		}
	}
}

// A machine that was suspended goes on with the tick from before for maxReadingAge, but never with a
// tick that is not reserved.
func TestSuspendedWithinAGlance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(morning)
		first := seconds.Terms().TickAt(morning)
		w := fake.Giving(uid.Reservation{WorkerID: 7, First: first, Last: first + 10, Renew: first + 11})
		g := glancing(t, w, Config{Layout: seconds}, clock.Now)
		require.Equal(t, at{}, take(t, g))
		clock.Step(time.Hour) // the monotonic clock stood still meanwhile
		require.Equal(t, at{sequence: 1}, take(t, g))
		time.Sleep(maxReadingAge)
		for range 3 {
			require.ErrorIs(t, errorOf(g.TryGetUID()), uid.ErrNoReservation)
		}
	})
}

// What was noted by one monotonic clock means nothing by another, be that ahead or behind. In a
// synctest bubble a generator from outside finds another one.
func TestOtherMonotonicClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(morning)
		g := glancing(t, fake.Endless(7), Config{Layout: millis}, clock.Now)
		const age = maxReadingAge
		for i, shift := range []time.Duration{0, -time.Hour, time.Hour, -age, age, 26 * 365 * 24 * time.Hour, 0} {
			g.clock.born = g.born.Add(shift)
			require.Equal(t, at{since: time.Duration(i) * time.Second}, take(t, g), shift)
			clock.Step(time.Second)
		}
	})
}
