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
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/telemetry"
)

var noon = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// Health says what a call finds, under each policy, before and behind its clock.
func TestHealthSaysWhatCallsFind(t *testing.T) {
	const second, hour = time.Second, time.Hour
	type steps []time.Duration
	for name, c := range map[string]struct {
		policy uncached.Policy
		ahead  bool  // whether the worker's first tick is ahead of the clock
		steps  steps // before each, a UID is drawn
		fails  bool
	}{
		"Logical, behind":              {steps: steps{-hour}},
		"Logical, first tick ahead":    {ahead: true},
		"Fail, behind":                 {policy: uncached.Fail(), steps: steps{-hour}, fails: true},
		"Fail, in time":                {policy: uncached.Fail(), steps: steps{second}},
		"Fail, first tick ahead":       {policy: uncached.Fail(), ahead: true, fails: true},
		"Wait, behind":                 {policy: uncached.Wait(time.Minute), steps: steps{-hour}, fails: true},
		"Remember, behind":             {policy: uncached.Remember(16), steps: steps{-10 * second}},
		"Remember, too far behind":     {policy: uncached.Remember(16), steps: steps{-32 * second}, fails: true},
		"Remember, in an unused place": {policy: uncached.Remember(16), steps: steps{-40 * second}},
		"RollbackBits, behind":         {policy: uncached.RollbackBits(1), steps: steps{-hour}},
		"RollbackBits, behind twice":   {policy: uncached.RollbackBits(1), steps: steps{-hour, -hour}, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := fake.NewClock(noon)
				worker := fake.Endless(1)
				if c.ahead {
					first := bits.Default().TickAt(noon) + 90
					worker = fake.Giving(uid.Reservation{First: first, Last: 1 << 40, Renew: 1 << 40})
				}
				g := uncached.MustNew(worker, uncached.Config{ClockBack: c.policy, Now: clock.Now})
				defer func() { require.NoError(t, g.Close()) }()
				for _, step := range c.steps {
					_, err := g.GetUID()
					require.NoError(t, err)
					clock.Step(step)
				}
				if c.fails {
					conformance.Finds(t, g, uid.ErrClockBack, telemetry.ClockIsBehind)
				} else {
					conformance.Finds(t, g, nil)
				}
			})
		})
	}
}

// aheadWorker is one that says why it begins ahead of the clock.
type aheadWorker struct {
	*fake.Worker
	until time.Time
}

func (w aheadWorker) WorkerHealth() health.Worker {
	return health.Worker{Kind: "lease", Ahead: &health.Ahead{Cause: "a failover", Until: w.until}}
}

// A worker that begins ahead is no fault of the clock's: Logical makes UIDs, and nothing is counted or logged.
func TestBeganAhead(t *testing.T) {
	for name, c := range map[string]struct {
		policy uncached.Policy
		fails  error
	}{
		"Logical": {},
		"Fail":    {uncached.Fail(), uid.ErrClockBack},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var logged logtest.Records
				clock := fake.NewClock(noon)
				first := bits.Default().TickAt(noon) + 120
				w := aheadWorker{fake.Giving(uid.Reservation{First: first, Last: 1 << 40, Renew: 1 << 40}),
					noon.Add(2 * time.Minute)}
				g := uncached.MustNew(w, uncached.Config{ClockBack: c.policy, Now: clock.Now, Logger: logged.Logger()})
				defer func() { require.NoError(t, g.Close()) }()
				_, err := g.GetUID()
				require.ErrorIs(t, err, c.fails)
				h := g.Health()
				require.Equal(t, c.fails == nil, h.Ready)
				require.Equal(t, telemetry.BeganAhead, h.Reasons[0].Code)
				require.Contains(t, h.String(), "a failover")
				require.Zero(t, h.Counts[telemetry.ClockBehind])
				require.Empty(t, logged.String())

				time.Sleep(3 * time.Minute)
				_, err = g.GetUID()
				require.NoError(t, err)
				require.Empty(t, g.Health().Reasons)
				clock.Step(-time.Hour)
				_, _ = g.GetUID()
				require.EqualValues(t, 1, g.Health().Counts[telemetry.ClockBehind], "once it was there it counts")
			})
		})
	}
}
