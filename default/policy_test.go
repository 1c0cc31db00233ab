package uncached

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/telemetry"
)

// Layouts of milliseconds and of seconds, whose worker ID field has room for a count of
// steps back.
var (
	millis  = bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond})
	seconds = bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 22, SequenceBits: 13})
)

// turned are layouts as RollbackBits makes them. They are made here, outside of synctest
// bubbles, where it is the year 2000 and every epoch in the future.
var turned = map[turns]bits.Layout{}

type turns struct {
	layout bits.Layout
	policy Policy
}

func init() {
	for l, n := range map[bits.Layout]int{millis: 2, seconds: 2, wide: 8, brief: 1, long: 1} {
		p := RollbackBits(n)
		turned[turns{l, p}] = must(p.layout(l))
	}
}

// must returns what a call returns that does not fail.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// errorOf returns the error of a call.
func errorOf[V any](_ V, err error) error { return err }

// policies are one of each kind.
var policies = []Policy{Logical(), Fail(), Wait(DefaultWait), Remember(1024), RollbackBits(2)}

// quiet makes a generator that logs nothing. It is closed at the end of the test.
func quiet(t testing.TB, w uid.Worker, cfg Config) *Generator {
	if l, ok := turned[turns{cfg.Layout, cfg.ClockBack}]; ok {
		cfg.Layout = l
	}
	cfg.Logger = slog.New(slog.DiscardHandler)
	g := MustNew(w, cfg)
	t.Cleanup(func() { _ = g.Close() })
	return g
}

// clocked makes a quiet generator by a clock that shows morning.
func clocked(t testing.TB, cfg Config) (*Generator, *fake.Clock) {
	clock := fake.NewClock(morning)
	cfg.Now = clock.Now
	return quiet(t, fake.Endless(7), cfg), clock
}

// at is a UID as a test sees it.
type at struct {
	since    time.Duration // from morning on
	turn     int64
	sequence int64
}

func take(t testing.TB, g *Generator) at {
	t.Helper()
	p := must(g.ParseUID(must(g.GetUID())))
	a := at{since: p.Time.Sub(morning), sequence: p.Sequence}
	if p.Fields == "" {
		require.EqualValues(t, 7, p.WorkerID)
	}
	for name, value := range p.Machine() {
		if name == rollbackField {
			a.turn = value
		} else {
			require.EqualValues(t, 7, value)
		}
	}
	return a
}

func requireBack(t testing.TB, g *Generator, back, limit time.Duration) {
	t.Helper()
	began := time.Now()
	_, err := g.GetUID()
	require.ErrorIs(t, err, uid.ErrClockBack)
	var e *uid.ClockBackError
	require.ErrorAs(t, err, &e)
	require.Equal(t, back, e.Back)
	require.Equal(t, limit, e.Limit)
	require.Equal(t, back, e.Last.Sub(e.Now))
	require.Equal(t, g.now(), e.Now)
	require.Zero(t, time.Since(began), "it waited")
}

// requireTake requires that a call waits so long, and what it returns.
func requireTake(t testing.TB, g *Generator, wait time.Duration, want at) {
	t.Helper()
	began := time.Now()
	require.Equal(t, want, take(t, g))
	require.Equal(t, wait, time.Since(began))
}

// requireSetback requires what a policy does when the clock is behind the last UID by so much. Remember has issued one
// UID in each of the last 1,023 ticks of a millisecond.
func requireSetback(t testing.TB, g *Generator, last at, back time.Duration) {
	t.Helper()
	next := last
	next.sequence++
	switch policy := g.cfg.ClockBack; {
	case policy.kind == kindLogical:
		requireTake(t, g, 0, next)
	case policy.kind == kindFail:
		requireBack(t, g, back, 0)
	case policy.kind == kindWait && back > policy.limit:
		requireBack(t, g, back, policy.limit)
	case policy.kind == kindWait:
		requireTake(t, g, back, next)
	case policy.kind == kindRemember && back > 1023*time.Millisecond:
		requireBack(t, g, back, 1023*time.Millisecond)
	case policy.kind == kindRemember:
		requireTake(t, g, 0, at{since: last.since - back, sequence: 1})
	case policy.kind == kindRollback:
		requireTake(t, g, 0, at{since: last.since - back, turn: last.turn + 1})
	}
}

// The clock goes back once, over the boundary of ticks of a millisecond.
func TestClockBack(t *testing.T) {
	for _, policy := range policies {
		for _, d := range []time.Duration{time.Millisecond, 5 * time.Millisecond, time.Second, time.Hour} {
			t.Run(fmt.Sprint(policy, d), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g, clock := clocked(t, Config{Layout: millis, ClockBack: policy})
					for range 1024 { // so that there is something to remember
						take(t, g)
						time.Sleep(time.Millisecond)
					}
					start := clock.Now().Sub(morning)
					for i := range int64(3) {
						require.Equal(t, at{since: start, sequence: i}, take(t, g))
					}
					clock.Step(-d)
					requireSetback(t, g, at{since: start, sequence: 2}, d)
					if policy.kind == kindLogical {
						h := g.Health()
						require.Equal(t, d, h.Lead.Now.Duration)
						require.EqualValues(t, 1, h.Counts[telemetry.ClockBehind])
						require.Zero(t, h.Counts[telemetry.SequenceWaits])
					}
					// Once the clock has caught up, all is as it was, but for what was counted.
					time.Sleep(d)
					after := take(t, g)
					require.Equal(t, clock.Now().Sub(morning), after.since)
					require.Equal(t, policy.kind == kindRollback, after.turn == 1)
				})
			})
		}
	}
}

// The clock shows the same time again and again: UIDs go on within the tick, and the call
// that finds it used up waits, asleep, until the clock moves.
func TestClockRepeats(t *testing.T) {
	const half = 500 * time.Millisecond
	for _, policy := range policies {
		synctest.Test(t, func(t *testing.T) {
			g, clock := clocked(t, Config{Layout: millis, ClockBack: policy})
			clock.Freeze()
			for i := range millis.MaxSequence() + 1 {
				require.Equal(t, at{sequence: i}, take(t, g))
			}
			require.ErrorIs(t, errorOf(g.TryGetUID()), uid.ErrRejectedTake)
			time.AfterFunc(half, clock.Thaw)
			requireTake(t, g, half+time.Millisecond, at{since: time.Millisecond})
			require.LessOrEqual(t, g.Health().Counts[telemetry.SequenceWaits], uint64(502), "it spins")
		})
	}
}

// A call that sleeps when the machine is suspended, or until a clock has caught up that is set
// right meanwhile, does not sleep on for what is left.
func TestSuspendedWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, clock := clocked(t, Config{Layout: seconds, ClockBack: Wait(time.Minute)})
		take(t, g)
		clock.Step(-time.Minute)
		time.AfterFunc(2500*time.Millisecond, func() { clock.Step(time.Minute) })
		requireTake(t, g, 3*time.Second, at{since: 3 * time.Second})
	})
	minutes := bits.MustLayout(bits.Config{TimeBits: 30, WorkerBits: 10, SequenceBits: 0, Unit: time.Minute})
	synctest.Test(t, func(t *testing.T) {
		g, clock := clocked(t, Config{Layout: minutes})
		take(t, g)
		time.AfterFunc(2500*time.Millisecond, func() { clock.Step(time.Hour) })
		requireTake(t, g, 3*time.Second, at{since: time.Hour})
	})
}

// The clock is set back by an hour while the program is restarted, after a crash or in good
// order, with a worker that has a state file.
func TestClockBackOverARestart(t *testing.T) {
	for _, policy := range policies {
		for _, crashes := range []bool{false, true} {
			t.Run(fmt.Sprint(policy, crashes), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					clock := fake.NewClock(morning)
					state := &store{window: 10, now: clock.Now, high: -1}
					cfg := Config{Layout: seconds, ClockBack: policy, Now: clock.Now}
					w := state.worker()
					g := quiet(t, w, cfg)
					before := take(t, g)
					require.Equal(t, at{}, before)
					next := time.Second // the first tick that the state file allows
					if crashes {
						w.crash()
						next = 11 * time.Second
					}
					require.NoError(t, g.Close())

					clock.Step(-time.Hour)
					g = quiet(t, state.worker(), cfg)
					limit := time.Duration(0)
					switch policy.kind {
					case kindLogical:
						require.Equal(t, at{since: next}, take(t, g))
						return
					case kindWait:
						limit = DefaultWait
					}
					requireBack(t, g, time.Hour+next, limit)
					time.Sleep(time.Hour + next - DefaultWait)
					if policy.kind != kindWait {
						requireBack(t, g, DefaultWait, limit)
						time.Sleep(DefaultWait)
					}
					require.Equal(t, at{since: next}, take(t, g))
				})
			})
		}
	}
}

func TestWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, clock := clocked(t, Config{Layout: millis, ClockBack: Wait(50 * time.Millisecond)})
		take(t, g)

		// A clock that goes back again and again during the wait.
		clock.Step(-40 * time.Millisecond)
		time.AfterFunc(30*time.Millisecond, func() { clock.Step(-20 * time.Millisecond) })
		began := time.Now()
		_, err := g.GetUID()
		var e *uid.ClockBackError
		require.ErrorAs(t, err, &e)
		require.Equal(t, 20*time.Millisecond, e.Back)
		require.Equal(t, 40*time.Millisecond, time.Since(began))

		// One that stands still.
		time.Sleep(20 * time.Millisecond)
		clock.Step(-30 * time.Millisecond)
		clock.Freeze()
		began = time.Now()
		require.ErrorIs(t, errorOf(g.GetUID()), uid.ErrClockBack)
		require.Equal(t, 30*time.Millisecond, time.Since(began))
		clock.Thaw()

		// A context that ends first.
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		began = time.Now()
		require.ErrorIs(t, errorOf(g.GetUIDContext(ctx)), context.DeadlineExceeded)
		require.Equal(t, 5*time.Millisecond, time.Since(began))

		// A call that does not wait at all.
		require.ErrorIs(t, errorOf(g.TryGetUID()), uid.ErrClockBack)
		require.Equal(t, 5*time.Millisecond, time.Since(began))

		// A generator that is closed meanwhile.
		time.AfterFunc(time.Millisecond, func() { g.Close() })
		require.ErrorIs(t, errorOf(g.GetUID()), uid.ErrClosed)
		require.Equal(t, 6*time.Millisecond, time.Since(began))
	})
}

// Under Logical, what is beyond the tick's sequence comes at the rate that the layout
// sustains, and no faster.
func TestLogicalBorrowsNoMoreThanTheStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, clock := clocked(t, Config{Layout: tinySec})
		take(t, g)
		clock.Step(-time.Hour)
		for i := int64(1); i < 4; i++ {
			require.Equal(t, at{sequence: i}, take(t, g))
		}
		_, err := g.TryGetUID()
		require.ErrorIs(t, err, uid.ErrRejectedTake)
		require.NotErrorIs(t, err, uid.ErrClockBack)
		began := time.Now()
		for tick := time.Second; tick <= 20*time.Second; tick += time.Second {
			for i := range int64(4) {
				require.Equal(t, at{since: tick, sequence: i}, take(t, g))
				require.Equal(t, tick, time.Since(began))
			}
		}
		require.Equal(t, time.Hour, g.Health().Lead.Now.Duration)
		// Ten minutes without a call shorten the lead, and what was not drawn is not saved
		// up: only the tick that has long been over gives way to the next one.
		time.Sleep(10 * time.Minute)
		require.Equal(t, 50*time.Minute, g.Health().Lead.Now.Duration)
		for i := range int64(4) {
			requireTake(t, g, 0, at{since: 21 * time.Second, sequence: i})
		}
		requireTake(t, g, time.Second, at{since: 22 * time.Second})

		// A call that comes late for a tick does not put off the one after it.
		for range 3 {
			take(t, g)
		}
		time.Sleep(1400 * time.Millisecond)
		for i := range int64(4) {
			requireTake(t, g, 0, at{since: 23 * time.Second, sequence: i})
		}
		requireTake(t, g, 600*time.Millisecond, at{since: 24 * time.Second})

		// The next step back, after the clock has caught up, is like the first.
		time.Sleep(2 * time.Hour)
		for range 4 {
			take(t, g)
		}
		clock.Step(-time.Minute)
		began = time.Now()
		take(t, g)
		require.Equal(t, time.Second, time.Since(began))
		require.Equal(t, time.Minute, g.Health().Lead.Now.Duration)
	})
}

// Calls that find the tick used up at the same time go on to the same next one.
func TestLogicalTickIsOpenedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, clock := clocked(t, Config{Layout: tiny})
		for range 4 {
			take(t, g)
		}
		clock.Step(-time.Hour)
		require.ErrorIs(t, errorOf(g.TryGetUID()), uid.ErrRejectedTake)
		time.Sleep(time.Millisecond)
		b := g.howFarBack(reading{g.tenure.Grant(), 0, clock.Now(), g.tickAt(clock.Now())}, 0)
		for range 2 {
			require.Equal(t, step{do: takeFrom, tick: tiny.TickAt(morning) + 1}, keepToTick(g, b))
		}

		// One that was chosen, and used up before it could be drawn from, is not waited for
		// by the clock, which will be there an hour later.
		for range 3 {
			take(t, g)
		}
		g.policy = func(g *Generator, b setback) step {
			g.policy = keepToTick
			next := keepToTick(g, b)
			_, _, out := g.take(g.tenure.Grant(), next.tick, 0, 4)
			require.Equal(t, issued, out)
			return next
		}
		requireTake(t, g, time.Millisecond, at{since: 2 * time.Millisecond})
	})
}

// A step back in the midst of Remember's ticks goes on where each of them stood.
func TestRememberGoesOnWhereTicksStood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, clock := clocked(t, Config{Layout: tinySec, ClockBack: Remember(4)})
		for tick, n := range []int64{1, 4, 0, 2} {
			for i := range n {
				require.Equal(t, at{since: time.Duration(tick) * time.Second, sequence: i}, take(t, g))
			}
			time.Sleep(time.Second)
		}
		clock.Step(-4 * time.Second) // the ticks 0 to 3 are remembered
		require.Equal(t, at{sequence: 1}, take(t, g))
		// The second tick is used up: its calls wait for the third, of which there was none.
		clock.Step(time.Second)
		require.ErrorIs(t, errorOf(g.TryGetUID()), uid.ErrRejectedTake)
		requireTake(t, g, time.Second, at{since: 2 * time.Second})
		clock.Step(time.Second)
		require.Equal(t, at{since: 3 * time.Second, sequence: 2}, take(t, g))
		// The fifth takes the place of the first.
		clock.Step(time.Second)
		require.Equal(t, at{since: 4 * time.Second}, take(t, g))
		clock.Step(-4 * time.Second)
		requireBack(t, g, 4*time.Second, 3*time.Second)
	})
}

// A count that has come round is not used for ticks again that it was used for.
func TestRollbackBitsDoNotRepeatATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, clock := clocked(t, Config{Layout: seconds, ClockBack: RollbackBits(2)})
		for turn := range int64(4) {
			require.Equal(t, at{turn: turn}, take(t, g))
			require.Equal(t, at{turn: turn, sequence: 1}, take(t, g))
			clock.Step(2 * time.Second)
			require.Equal(t, at{since: 2 * time.Second, turn: turn}, take(t, g))
			clock.Step(-2 * time.Second)
		}
		// The turn 0 was used up to 2s.
		requireBack(t, g, 2*time.Second, 0)
		clock.Step(2 * time.Second)
		require.Equal(t, at{since: 2 * time.Second, turn: 3, sequence: 1}, take(t, g))
		clock.Step(3 * time.Second)
		require.Equal(t, at{since: 5 * time.Second, turn: 3}, take(t, g))
		clock.Step(-2 * time.Second)
		require.Equal(t, at{since: 3 * time.Second, turn: 0}, take(t, g))
		// Turn 1 was used up to 2s as well.
		clock.Step(-time.Second)
		requireBack(t, g, time.Second, 0)
	})
}

// Nothing that was issued before a step back is later than what the worker is told at the end.
func TestReleaseKnowsTheNewestTick(t *testing.T) {
	for _, policy := range policies {
		synctest.Test(t, func(t *testing.T) {
			clock := fake.NewClock(morning)
			w := fake.Giving(uid.Reservation{WorkerID: 7, Last: math.MaxInt64, Renew: math.MaxInt64})
			g := quiet(t, w, Config{Layout: seconds, ClockBack: policy, Now: clock.Now})
			take(t, g)
			clock.Step(-10 * time.Second)
			g.TryGetUID()
			require.NoError(t, g.Close())
			require.Equal(t, []int64{seconds.TickAt(morning)}, w.Released)
		})
	}
}

func TestPolicyText(t *testing.T) {
	for p, want := range map[Policy]string{
		{}:                "Logical()",
		Logical():         "Logical()",
		Fail():            "Fail()",
		Wait(time.Second): "Wait(1s)",
		Remember(8):       "Remember(8)",
		RollbackBits(3):   "RollbackBits(3)",
	} {
		require.Equal(t, want, p.String())
	}
}

func TestPolicyRefuses(t *testing.T) {
	noWorkers := bits.MustLayout(bits.Config{TimeBits: 40, WorkerBits: 2, SequenceBits: 10})
	parts := []uid.Field{{Name: "rack", Bits: 2}, {Name: "worker", Bits: 2}}
	named := bits.MustLayout(bits.Config{TimeBits: 40, WorkerBits: 4, SequenceBits: 10, Fields: parts})
	for _, c := range []struct {
		policy Policy
		layout bits.Layout
		text   string
	}{
		{Wait(0), bits.Default(), "Wait(0s)"},
		{Wait(-time.Second), bits.Default(), "Wait(-1s)"},
		{Remember(0), bits.Default(), "Remember(0)"},
		{Remember(1), bits.Default(), "Remember(1)"},
		{Remember(24), bits.Default(), "Remember(24)"},
		{Remember(1 << 17), bits.Default(), "65536"},
		{RollbackBits(0), bits.Default(), "RollbackBits(0)"},
		{RollbackBits(11), bits.Default(), "10 bits"},
		{RollbackBits(3), noWorkers, "2 worker bits"},
		{RollbackBits(2), named, "rollback:2"},
		{RollbackBits(1), turned[turns{millis, RollbackBits(2)}], "rollback:1"},
	} {
		_, err := New(fake.Endless(0), Config{Layout: c.layout, ClockBack: c.policy})
		require.ErrorIs(t, err, uid.ErrConfig, c.policy)
		require.ErrorContains(t, err, c.text)
	}
}

func TestRollbackBitsTakeWorkerIDs(t *testing.T) {
	cfg := Config{ClockBack: RollbackBits(2)}
	_, err := New(fake.Endless(1<<20), cfg)
	require.ErrorIs(t, err, uid.ErrRange)
	require.ErrorContains(t, err, "1048575")

	w := fake.Giving(uid.Reservation{WorkerID: 1<<20 - 1, Last: math.MaxInt64, Renew: math.MaxInt64})
	g := quiet(t, w, cfg)
	require.EqualValues(t, 1<<20-1, w.Terms.MaxWorkerID)
	require.Equal(t, "28/22/13 unit=1s epoch=2026-01-01T00:00:00Z fields=rollback:2,worker:20", w.Terms.Layout)
	require.Equal(t, w.Terms.Layout, g.Layout().String())

	// All of the worker bits count, for the one worker 0.
	cfg.Layout = bits.MustLayout(bits.Config{TimeBits: 40, WorkerBits: 2, SequenceBits: 10})
	g = quiet(t, fake.Endless(0), cfg)
	require.Equal(t, []uid.Field{{Name: "rollback", Bits: 2}}, g.Layout().Fields())
	require.ErrorIs(t, errorOf(New(fake.Endless(1), cfg)), uid.ErrRange)
}

// A clock that is behind is logged, and not for each call.
func TestClockBackIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		clock := fake.NewClock(morning)
		logger := slog.New(slog.NewTextHandler(&log, nil))
		g := MustNew(fake.Endless(7), Config{Layout: millis, Now: clock.Now, Logger: logger})
		defer g.Close()
		lines := func() int { return strings.Count(log.String(), "\n") }
		take(t, g)
		require.Zero(t, lines())
		clock.Step(-time.Hour)
		for range 10 {
			take(t, g)
		}
		require.Equal(t, 1, lines())
		require.Contains(t, log.String(), "back=1h0m0s")
		require.Contains(t, log.String(), "Logical()")
		require.EqualValues(t, 10, g.Health().Counts[telemetry.ClockBehind])
		time.Sleep(logEvery)
		take(t, g)
		take(t, g)
		require.Equal(t, 2, lines())
	})
}

// A start within the tick that the process before has used waits for the next one: normal life, for Debug. It
// does not keep what is grave out of the log.
func TestStartWithinATickIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(morning)
		first := seconds.TickAt(morning) + 1
		r := uid.Reservation{WorkerID: 7, First: first, Last: first + 100, Renew: math.MaxInt64}
		var records logtest.Records
		cfg := Config{Layout: seconds, Now: clock.Now, ClockBack: Wait(time.Hour), Logger: records.Logger()}
		g := MustNew(fake.Giving(r), cfg)
		defer g.Close()
		take(t, g)
		require.Equal(t, 1, records.Count(`level=DEBUG msg="uid: the clock is behind" back=1s`), records.String())
		require.Equal(t, 1, records.Count("level="))
		clock.Step(-2 * time.Second)
		take(t, g)
		require.Equal(t, 1, records.Count("level=WARN"), records.String())
	})
}

// A reading from before a step back that another call has counted already is not used: it is
// of another turn.
func TestReadingOfAnotherTurn(t *testing.T) {
	g, clock, do := between(t, fake.Endless(7), Config{Layout: millis, ClockBack: RollbackBits(2)})
	overtake := func() {
		clock.Step(-10 * time.Millisecond)
		must(g.GetUID())
	}
	take(t, g)
	do(overtake)
	require.Equal(t, at{since: -10 * time.Millisecond, turn: 1, sequence: 1}, take(t, g))

	do(overtake)
	u, _, err := g.drawSlow(t.Context(), 1, true)
	require.NoError(t, err)
	require.Equal(t, must(millis.Compose(millis.TickAt(clock.Now()), 2<<8|7, 1)), u)

	// Of two calls that have seen the same step, one counts it.
	clock.Step(-10 * time.Millisecond)
	b := g.howFarBack(reading{g.tenure.Grant(), g.rollback(), clock.Now(), g.tickAt(clock.Now())}, 0)
	for i := range int64(2) {
		require.Equal(t, takeFrom, countRollback(g, b).do)
		require.Equal(t, at{since: -30 * time.Millisecond, turn: 3, sequence: i}, take(t, g))
	}
}

// A reading that was overtaken by another call is not a clock that went back.
func TestOvertakenReading(t *testing.T) {
	for _, policy := range policies {
		g, clock, do := between(t, fake.Endless(7), Config{Layout: millis, ClockBack: policy})
		// Between a reading and what the caller does with it, the clock goes on by as much as
		// no policy lets pass, and another call draws.
		overtake := func() {
			clock.Step(1024 * time.Millisecond)
			must(g.GetUID())
		}
		take(t, g)
		do(overtake)
		require.Equal(t, 1024*time.Millisecond, take(t, g).since)

		// The same on the second look.
		clock.Step(time.Hour)
		take(t, g)
		rollback := g.rollback()
		do(overtake)
		u, _, err := g.drawSlow(t.Context(), 1, true)
		require.NoError(t, err)
		require.Equal(t, rollback, g.rollback())
		require.Equal(t, clock.Now().Truncate(time.Millisecond), must(g.ParseUID(u)).Time)
		require.Zero(t, g.Health().Counts[telemetry.ClockBehind])
	}
}
