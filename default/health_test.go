package uncached_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/internal/count"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/reason"
)

// Health says what a call finds, under each policy, before and behind its clock.
func TestHealthSaysWhatCallsFind(t *testing.T) {
	noon := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	const second = time.Second
	for name, c := range map[string]struct {
		worker *fake.Worker
		cfg    uncached.Config
		steps  []time.Duration // before each but the first, a UID is drawn
		codes  []string
		want   error
	}{
		"Logical, behind":  {worker: fake.Endless(1), steps: []time.Duration{-time.Hour}},
		"Fail, behind":     {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.Fail()}, steps: []time.Duration{-time.Hour}, codes: []string{reason.ClockIsBehind}, want: uid.ErrClockBack},
		"Fail, in time":    {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.Fail()}, steps: []time.Duration{second}},
		"Wait, behind":     {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.Wait(time.Minute)}, steps: []time.Duration{-time.Hour}, codes: []string{reason.ClockIsBehind}, want: uid.ErrClockBack},
		"Remember, behind": {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.Remember(16)}, steps: []time.Duration{-10 * second}},
		"Remember, too far behind": {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.Remember(16)}, steps: []time.Duration{-32 * second},
			codes: []string{reason.ClockIsBehind}, want: uid.ErrClockBack},
		"Remember, far behind, in a place that nobody has used": {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.Remember(16)}, steps: []time.Duration{-40 * second}},
		"RollbackBits, behind": {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.RollbackBits(1)}, steps: []time.Duration{-time.Hour}},
		"RollbackBits, behind for the second time": {worker: fake.Endless(1), cfg: uncached.Config{ClockBack: uncached.RollbackBits(1)}, steps: []time.Duration{-time.Hour, -time.Hour},
			codes: []string{reason.ClockIsBehind}, want: uid.ErrClockBack},
		"Fail, and the first tick is ahead": {worker: fake.Giving(uid.Reservation{First: bits.Default().TickAt(noon) + 90, Last: 1 << 40, Renew: 1 << 40}),
			cfg: uncached.Config{ClockBack: uncached.Fail()}, codes: []string{reason.ClockIsBehind}, want: uid.ErrClockBack},
		"Logical, and the first tick is ahead": {worker: fake.Giving(uid.Reservation{First: bits.Default().TickAt(noon) + 90, Last: 1 << 40, Renew: 1 << 40})},
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
				conformance.Finds(t, g, c.want, c.codes...)
			})
		})
	}
}

// What Health knows of a clock that is behind.
func TestHealthBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(conformance.Day)
		g, err := uncached.New(fake.Endless(7), uncached.Config{Now: clock.Now})
		require.NoError(t, err)
		defer g.Close()
		_, err = g.GetUID()
		require.NoError(t, err)
		clock.Step(-time.Hour)
		_, err = g.GetUID()
		require.NoError(t, err)
		h := g.Health()
		require.Equal(t, time.Hour, h.Lead.Now.Duration)
		require.EqualValues(t, 1, h.Counts[count.ClockBehind])
		require.Zero(t, h.Counts[count.SequenceWaits])
	})
}
