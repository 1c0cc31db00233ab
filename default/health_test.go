package uncached_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/fake"
)

// Health says what a call finds, under each policy, before and behind its clock.
func TestHealthSaysWhatCallsFind(t *testing.T) {
	noon := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	full := bits.MustLayout(bits.Config{TimeBits: 8, WorkerBits: 10, SequenceBits: 4, Unit: time.Second, Epoch: noon})
	const second = time.Second
	for name, c := range map[string]struct {
		worker *fake.Worker
		cfg    uncached.Config
		steps  []time.Duration // before each but the first, a UID is drawn
		codes  []health.Code
		want   error
	}{
		"healthy":          {worker: fake.Endless(1)},
		"Logical, behind":  {worker: fake.Endless(1), steps: []time.Duration{-time.Hour}},
		"Fail, behind":     {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.Fail()}, steps: []time.Duration{-time.Hour}, codes: []health.Code{health.ClockIsBehind}, want: uid.ErrClockBack},
		"Fail, in time":    {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.Fail()}, steps: []time.Duration{second}},
		"Wait, behind":     {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.Wait(time.Minute)}, steps: []time.Duration{-time.Hour}, codes: []health.Code{health.ClockIsBehind}, want: uid.ErrClockBack},
		"Remember, behind": {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.Remember(16)}, steps: []time.Duration{-10 * second}},
		"Remember, too far behind": {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.Remember(16)}, steps: []time.Duration{-32 * second},
			codes: []health.Code{health.ClockIsBehind}, want: uid.ErrClockBack},
		"Remember, far behind, in a place that nobody has used": {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.Remember(16)}, steps: []time.Duration{-40 * second}},
		"RollbackBits, behind": {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.RollbackBits(1)}, steps: []time.Duration{-time.Hour}},
		"RollbackBits, behind for the second time": {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.RollbackBits(1)}, steps: []time.Duration{-time.Hour, -time.Hour},
			codes: []health.Code{health.ClockIsBehind}, want: uid.ErrClockBack},
		"nothing reserved yet": {worker: fake.Giving(uid.Reservation{Last: -1, Renew: 1 << 40}), codes: []health.Code{health.NoReservation}, want: uid.ErrNoReservation},
		"Fail, and the first tick is ahead": {worker: fake.Giving(uid.Reservation{First: bits.Default().TickAt(noon) + 90, Last: 1 << 40, Renew: 1 << 40}),
			cfg: uncached.Config{ClockBack: uncached.Fail()}, codes: []health.Code{health.ClockIsBehind}, want: uid.ErrClockBack},
		"Logical, and the first tick is ahead": {worker: fake.Giving(uid.Reservation{First: bits.Default().TickAt(noon) + 90, Last: 1 << 40, Renew: 1 << 40})},
		"the time field is full": {worker: fake.Endless(1), steps: []time.Duration{time.Hour},
			cfg: uncached.Config{Layout: full, Expiry: bits.Expiry{Refuse: -1, Warn: -1}}, codes: []health.Code{health.Exhausted}, want: uid.ErrExhausted},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := fake.NewClock(noon)
				c.cfg.Now = clock.Now
				g, err := uncached.New(c.worker, c.cfg)
				require.NoError(t, err)
				defer func() { require.NoError(t, g.Close()) }()
				for _, step := range c.steps {
					_, err := g.GetUID()
					require.NoError(t, err)
					clock.Step(step)
				}
				h := g.Health()
				var codes []health.Code
				for _, r := range h.Reasons {
					codes = append(codes, r.Code)
				}
				require.Equal(t, c.codes, codes, h.String())
				require.Equal(t, len(c.codes) == 0, h.Ready)
				_, err = g.TryGetUID()
				if c.want == nil {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, c.want)
				}
			})
		})
	}
}

// The numbers of an outage.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		noon := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
		clock := fake.NewClock(noon)
		w := &fake.Worker{ID: 7, Window: 100, Now: clock.Now}
		g, err := uncached.New(w, uncached.Config{Now: clock.Now})
		require.NoError(t, err)
		h := g.Health()
		require.True(t, h.Ready)
		require.Equal(t, "uncached", h.Generator)
		require.Equal(t, noon, h.Time)
		require.Zero(t, h.Buffered)
		require.Equal(t, noon.Add(100*time.Second), h.Reservation.Until)
		require.Equal(t, 101*time.Second, h.Reservation.Remaining.Duration)

		w.Set(func(w *fake.Worker) { w.Fail = fake.ErrDown })
		time.Sleep(55 * time.Second)
		h = g.Health()
		require.True(t, h.Ready)
		require.Equal(t, health.ReservationFailing, h.Reasons[0].Code)
		require.Equal(t, noon.Add(50*time.Second), h.Failing.Since)
		time.Sleep(46 * time.Second)
		h = g.Health()
		require.False(t, h.Ready)
		require.Equal(t, health.NoReservation, h.Reasons[0].Code)

		w.Set(func(w *fake.Worker) { w.Fail = nil })
		time.Sleep(10 * time.Second)
		_, err = g.GetUID()
		require.NoError(t, err)
		clock.Step(-time.Hour)
		_, err = g.GetUID()
		require.NoError(t, err)
		h = g.Health()
		require.Equal(t, time.Hour, h.Lead.Now.Duration)
		require.EqualValues(t, 1, h.Counts[health.ClockBehind])
		require.Zero(t, h.Counts[health.SequenceWaits])

		require.NoError(t, g.Close())
		require.Equal(t, health.Closed, g.Health().Reasons[0].Code)
	})
}
