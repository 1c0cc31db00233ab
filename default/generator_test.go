package uncached

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/telemetry"
)

// all is a reservation of every tick for worker 7.
var all = uid.Reservation{WorkerID: 7, Last: math.MaxInt64, Renew: math.MaxInt64}

// A tick's sequence is used to its end, then the call sleeps until the next tick begins: what
// a layout sustains is what its sequence holds.
func TestSequenceUsedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(morning.Add(250 * time.Millisecond))
		g := quiet(t, fake.Endless(7), Config{Now: clock.Now})
		began := time.Now()
		for tick := range 3 {
			for i := range int64(8192) {
				require.Equal(t, at{since: time.Duration(tick) * time.Second, sequence: i}, take(t, g))
			}
		}
		require.Equal(t, 1750*time.Millisecond, time.Since(began))
		require.EqualValues(t, 2, g.Health().Counts[telemetry.SequenceWaits])

		_, err := g.TryGetUID()
		require.ErrorIs(t, err, uid.ErrRejectedTake)
		require.ErrorContains(t, err, "1s away")

		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, errorOf(g.GetUIDContext(ctx)), context.DeadlineExceeded)
		require.Equal(t, 2050*time.Millisecond, time.Since(began))

		// 20,000 callers wait for the next three ticks.
		var wg sync.WaitGroup
		var mu sync.Mutex
		seen := map[uid.UID]bool{}
		for range 20000 {
			wg.Go(func() {
				u, err := g.GetUID()
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					seen[u] = true
				}
			})
		}
		wg.Wait()
		require.Len(t, seen, 20000)
		require.Equal(t, 4750*time.Millisecond, time.Since(began))
	})
}

// What is left of a tick that began at a random sequence is used to its end and no further.
func TestRandomStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := quiet(t, fake.Endless(7), Config{Layout: millis, RandomStart: true, Now: fake.NewClock(morning).Now})
		dst := make([]uid.UID, 4096)
		must(g.Fill(dst))
		require.True(t, slices.IsSorted(dst))
		first := must(g.ParseUID(dst[0]))
		require.Equal(t, time.Millisecond, must(g.ParseUID(dst[len(dst)-1])).Time.Sub(first.Time))
	})
	// A layout without a sequence has nothing to choose from.
	plain := bits.MustLayout(bits.Config{TimeBits: 45, WorkerBits: 10, Unit: time.Millisecond})
	g := quiet(t, fake.Endless(7), Config{Layout: plain, RandomStart: true})
	require.Zero(t, take(t, g).sequence)
}

// brief has few ticks, and long many UIDs in each.
var (
	brief = bits.MustLayout(bits.Config{TimeBits: 10, WorkerBits: 4, SequenceBits: 2})
	long  = bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 5, SequenceBits: 30})
)

// The last tick is issued in full, then nothing for ever, whatever the clock does.
func TestEndOfTheTimeField(t *testing.T) {
	for _, policy := range []Policy{Logical(), Fail(), Wait(DefaultWait), Remember(16), RollbackBits(1)} {
		for _, passes := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				clock := fake.NewClock(brief.Expires().Add(-time.Second))
				cfg := Config{Layout: brief, ClockBack: policy, Expiry: bits.Expiry{Refuse: -1}, Now: clock.Now}
				g := quiet(t, fake.Endless(7), cfg)
				draws := 8
				if passes {
					draws = 6 // the clock passes the end before the last tick is used up
				}
				for i := range draws {
					u := must(g.GetUID())
					require.Equal(t, must(brief.Compose(brief.MaxTick()-1+int64(i/4), 7, int64(i%4))), u)
				}
				if passes {
					clock.Step(time.Second)
				}
				began := time.Now()
				for range 3 {
					_, err := g.GetUID()
					require.ErrorIs(t, err, uid.ErrExhausted)
					require.ErrorContains(t, err, "2026-01-01T00:17:03Z")
					require.ErrorIs(t, errorOf(g.TryGetUID()), uid.ErrExhausted)
					n, err := g.Fill(make([]uid.UID, 2))
					require.ErrorIs(t, err, uid.ErrExhausted)
					require.Zero(t, n)
					clock.Step(-300 * time.Second)
				}
				require.Zero(t, time.Since(began))
				require.NoError(t, g.Close())
				require.ErrorIs(t, errorOf(g.GetUID()), uid.ErrClosed)
			})
		}
	}
}

// A logical tick does not go past the end either, nor does one that a worker begins beyond it.
func TestEndOfTheTimeFieldAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(brief.Expires())
		cfg := Config{Layout: brief, Expiry: bits.Expiry{Refuse: -1}, Now: clock.Now}
		g := quiet(t, fake.Endless(7), cfg)
		take(t, g)
		clock.Step(-time.Minute)
		for range 3 {
			take(t, g)
		}
		require.ErrorIs(t, errorOf(g.GetUID()), uid.ErrExhausted)

		for _, policy := range []Policy{Logical(), Fail(), Wait(DefaultWait), Remember(16)} {
			beyond := all
			beyond.First = brief.MaxTick() + 1
			cfg.ClockBack = policy
			g := quiet(t, fake.Giving(beyond), cfg)
			require.ErrorIs(t, errorOf(g.GetUID()), uid.ErrExhausted)
		}
	})
}

// No worker is asked for ticks that the time field does not have.
func TestWishEndsWithTheTimeField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(brief.Expires())
		w := fake.Giving(uid.Reservation{WorkerID: 7, Last: brief.MaxTick() - 1, Renew: math.MaxInt64})
		g := quiet(t, w, Config{Layout: brief, Expiry: bits.Expiry{Refuse: -1}, Now: clock.Now})
		w.Give(all, nil)
		must(g.GetUID())
		require.Equal(t, brief.MaxTick(), through(w))
	})
}

// A call that has seen a reservation which is gone since neither waits for the next one, nor
// takes it for the end.
func TestReservationThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := quiet(t, fake.Endless(7), Config{Layout: seconds, Now: fake.NewClock(morning).Now})
		gr := g.tenure.Grant()
		require.NoError(t, g.Close())
		require.NoError(t, g.awaitGrant(t.Context(), nil, step{do: awaitGrant, tick: 1, grant: gr}))
		g.exhaust(gr)
		require.ErrorIs(t, errorOf(g.GetUID()), uid.ErrClosed)
	})
}

// A clock that is set to before the epoch is behind, and nothing else.
func TestClockBeforeTheEpoch(t *testing.T) {
	for _, policy := range policies {
		synctest.Test(t, func(t *testing.T) {
			clock := fake.NewClock(millis.Epoch().Add(time.Second))
			g := quiet(t, fake.Endless(7), Config{Layout: millis, ClockBack: policy, Now: clock.Now})
			clock.Step(-time.Minute)
			u, err := g.TryGetUID()
			if policy.kind == kindLogical {
				require.NoError(t, err)
				require.Equal(t, millis.Epoch(), must(g.ParseUID(u)).Time)
			} else {
				require.ErrorIs(t, err, uid.ErrClockBack)
			}
		})
	}
}

func TestDrawingAllocatesNothing(t *testing.T) {
	for _, policy := range []Policy{Logical(), Fail(), Wait(DefaultWait), Remember(16), RollbackBits(1)} {
		g, clock := clocked(t, Config{Layout: long, ClockBack: policy})
		ctx := t.Context()
		dst := make([]uid.UID, 100)
		draw := func() {
			must(g.GetUID())
			must(g.GetUIDContext(ctx))
			must(g.TryGetUID())
			must(g.Fill(dst))
		}
		require.Zero(t, testing.AllocsPerRun(100, draw), policy)
		if policy.kind == kindLogical {
			clock.Step(-time.Hour)
			require.Zero(t, testing.AllocsPerRun(100, draw), "behind")
		}
	}
}

// A generator that enters the tick at which renewal is due says so at once, even if the
// tenure, which goes by timers, would find out much later.
func TestRenewalByTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(morning)
		tick := seconds.TickAt(morning)
		w := fake.Giving(uid.Reservation{WorkerID: 7, First: tick, Last: tick + 7200, Renew: tick + 3600})
		g := quiet(t, w, Config{Layout: seconds, Now: clock.Now})
		take(t, g)
		synctest.Wait() // the tenure has set its timer
		clock.Step(time.Hour)
		w.Give(all, nil)
		take(t, g)
		synctest.Wait()
		require.Equal(t, 1, len(w.Asks()))
		require.Equal(t, tick+3601, through(w), "a second ahead")
		require.Equal(t, seconds.Expires().Add(time.Second), g.Health().Reservation.Until)
	})
}

// A call that was granted something when it began, and finds it withdrawn after it has
// taken its position, gets no UID by it.
func TestWithdrawnWhileDrawing(t *testing.T) {
	other := all
	other.WorkerID = 2
	for _, c := range []struct {
		name     string
		withdraw func(*Generator, *fake.Worker)
		want     error
	}{
		{"for another worker ID", func(g *Generator, w *fake.Worker) { grantNow(g, w, other) }, nil},
		{"for nothing", func(_ *Generator, w *fake.Worker) {
			w.Give(all, errors.New("gone"))
			w.Terms.Revoke()
		}, uid.ErrNoReservation},
		{"for good", func(g *Generator, _ *fake.Worker) { _ = g.Close() }, uid.ErrClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := fake.Giving(all)
			g, clock, do := between(t, w, Config{Layout: seconds})
			take(t, g)
			clock.Step(time.Second)         // the first of a tick does not add: see TestAddUnderAWithdrawnGrant
			do(func() { c.withdraw(g, w) }) // between the grant and the position
			u, err := g.TryGetUID()
			require.ErrorIs(t, err, c.want)
			if c.want == nil {
				p := must(g.ParseUID(u))
				require.EqualValues(t, other.WorkerID, p.WorkerID)
				require.Equal(t, morning.Add(time.Second), p.Time)
			}
		})
	}
}
