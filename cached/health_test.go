package cached_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/fake"
)

// codes are the reasons of a health. What is read back from its JSON is the same.
func codes(t testing.TB, h health.Health) (all []health.Code) {
	t.Helper()
	for _, r := range h.Reasons {
		all = append(all, r.Code)
	}
	text, err := json.Marshal(h)
	require.NoError(t, err)
	var read health.Health
	require.NoError(t, json.Unmarshal(text, &read))
	require.Equal(t, h, read)
	return all
}

// A worker that tells of itself.
type telling struct{ *fake.Worker }

func (telling) WorkerHealth() health.Worker {
	return health.Worker{Kind: "fake", Place: "the test", IDs: &health.IDs{Taken: 9, Total: 10, Low: true}}
}

// The whole life of a generator whose store goes away and comes back.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(day)
		w := &fake.Worker{ID: 7, Window: 300}
		g := start(t, w, clock, cached.Config{})
		synctest.Wait()
		h := g.Health()
		require.Empty(t, codes(t, h))
		require.True(t, h.Ready)
		require.Equal(t, "cached", h.Generator)
		require.Equal(t, day, h.Time)
		require.EqualValues(t, 8*8192, h.Buffered)
		require.Equal(t, &health.Reservation{
			WorkerID: 7, Until: day.Add(300 * time.Second), Remaining: health.Duration{Duration: 301 * time.Second}, Bounded: true,
		}, h.Reservation)
		require.Equal(t, &health.Lead{
			Bound: health.Duration{Duration: 10 * time.Minute}, Reach: health.Duration{Duration: 300 * time.Second}, Tick: health.Duration{Duration: time.Second},
		}, h.Lead)
		require.Equal(t, bits.Default().Expires().UTC(), h.TimeField.Expires)
		require.Equal(t, h.TimeField.Expires.Add(time.Second).Sub(day), h.TimeField.Remaining.Duration)
		require.Nil(t, h.Numbers)
		require.Nil(t, h.Worker)
		require.Nil(t, h.Failing)

		for range 3 {
			_, err := g.GetUID()
			require.NoError(t, err)
		}
		require.EqualValues(t, 3, g.Health().Counts[health.Issued])

		w.Set(func(w *fake.Worker) { w.Fail = fake.ErrDown })
		time.Sleep(240*time.Second + 500*time.Millisecond) // 60.5 s are left
		h = g.Health()
		require.True(t, h.Ready)
		require.Empty(t, codes(t, h), "a minute is left")
		require.Equal(t, fake.ErrDown.Error(), h.Failing.Error)
		require.Equal(t, day.Add(150*time.Second), h.Failing.Since)
		require.EqualValues(t, h.Failing.Attempts, h.Counts[health.RenewalFailures])
		time.Sleep(time.Second)
		h = g.Health()
		require.True(t, h.Ready)
		require.Equal(t, []health.Code{health.ReservationFailing}, codes(t, h))
		require.Equal(t, 59500*time.Millisecond, h.Reservation.Remaining.Duration)
		_, err := g.GetUID()
		require.NoError(t, err)

		time.Sleep(59*time.Second + 500*time.Millisecond)
		time.Sleep(2 * time.Second) // MaxLag later
		h = g.Health()
		require.False(t, h.Ready)
		require.Equal(t, []health.Code{health.NoReservation}, codes(t, h))
		require.Zero(t, h.Reservation.Remaining)
		_, err = g.GetUID()
		require.ErrorIs(t, err, uid.ErrNoReservation)

		w.Set(func(w *fake.Worker) { w.Fail = nil })
		time.Sleep(10 * time.Second)
		h = g.Health()
		require.Empty(t, codes(t, h))
		require.True(t, h.Ready)
		require.Nil(t, h.Failing)

		require.NoError(t, g.Close())
		h = g.Health()
		require.False(t, h.Ready)
		require.Equal(t, []health.Code{health.Closed}, codes(t, h))
		require.Zero(t, h.Reservation.Until)
	})
}

// What is ready to be issued, and what is not, is as calls find it.
func TestHealthSaysWhatCallsFind(t *testing.T) {
	full := bits.MustLayout(bits.Config{TimeBits: 8, WorkerBits: 10, SequenceBits: 4, Unit: time.Second, Epoch: day})
	for name, c := range map[string]struct {
		worker *fake.Worker
		cfg    cached.Config
		at     time.Time
		step   time.Duration
		drain  bool
		codes  []health.Code
		want   error
	}{
		"nothing reserved yet": {worker: fake.Giving(uid.Reservation{Last: -1, Renew: 1 << 40}), codes: []health.Code{health.NoReservation}, want: uid.ErrNoReservation},
		"the first tick is far ahead": {
			worker: fake.Giving(uid.Reservation{First: bits.Default().TickAt(day) + 90, Last: 1 << 40, Renew: 1 << 40}),
			cfg:    cached.Config{MaxLead: time.Minute}, codes: []health.Code{health.ClockIsBehind}, want: uid.ErrRejectedTake,
		},
		"at the bound": {cfg: cached.Config{MaxLead: 10 * time.Second, Layout: runsOf16}, worker: fake.Endless(1), drain: true,
			codes: []health.Code{health.LeadNearBound}, want: uid.ErrRejectedTake},
		"a reservation that a burst has used up, and more on its way": {
			worker: fake.Giving(uid.Reservation{Last: runsOf16.TickAt(day) + 20, Renew: 1 << 29}), cfg: cached.Config{Layout: runsOf16},
			drain: true, codes: []health.Code{health.ReservationUsedUp}, want: uid.ErrNoReservation,
		},
		"the clock was set back":        {worker: fake.Endless(1), step: -time.Hour},
		"the time field is nearly full": {worker: fake.Endless(1), at: bits.Default().Expires().AddDate(0, -6, 0), codes: []health.Code{health.TimeFieldEnding}},
		"the time field is full": {worker: fake.Endless(1), at: day.Add(250 * time.Second), step: time.Minute,
			cfg: cached.Config{Layout: full, Expiry: bits.Expiry{Refuse: -1, Warn: -1}}, codes: []health.Code{health.Exhausted}, want: uid.ErrExhausted},
		"the time field was used up by a burst": {worker: fake.Endless(1), at: day.Add(250 * time.Second), drain: true,
			cfg: cached.Config{Layout: full, Expiry: bits.Expiry{Refuse: -1, Warn: -1}}, codes: []health.Code{health.Exhausted}, want: uid.ErrExhausted},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if c.at.IsZero() {
					c.at = day
				}
				clock := fake.NewClock(c.at)
				g := start(t, c.worker, clock, c.cfg)
				synctest.Wait()
				if c.step != 0 {
					clock.Step(c.step)
					time.Sleep(2 * time.Second) // for the generator's goroutine to see it
				}
				for c.drain {
					if _, err := g.TryGetUID(); err != nil {
						break
					}
				}
				h := g.Health()
				require.Equal(t, c.codes, codes(t, h))
				require.Equal(t, len(c.codes) == 0 || h.Reasons[0].Level == health.LevelWarning, h.Ready)
				_, err := g.TryGetUID()
				if c.want == nil {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, c.want)
				}
			})
		})
	}
}

// Reasons that need no call to fail.
func TestHealthOfTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, telling{fake.Endless(3)}, fake.NewClock(day), cached.Config{MaxLead: cached.Unbounded})
		h := g.Health()
		require.True(t, h.Ready)
		require.Equal(t, []health.Code{health.WorkerIDsLow}, codes(t, h))
		require.Equal(t, "the test", h.Worker.Place)
		require.False(t, h.Reservation.Bounded)
		require.True(t, h.Lead.Unbounded)
		require.Zero(t, h.Lead.Bound)
		require.Equal(t, h.TimeField.Expires, h.Reservation.Until)
	})
}

// Health asks for nothing, wakes nobody, and never waits for the worker.
func TestHealthChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(day)
		w := &fake.Worker{ID: 1, Window: 60}
		g := start(t, w, clock, cached.Config{})
		synctest.Wait()
		hang := make(chan struct{})
		w.Set(func(w *fake.Worker) {
			w.OnExtend = func(ctx context.Context, _ int64) (uid.Reservation, error) {
				select {
				case <-hang:
				case <-ctx.Done():
				}
				return uid.Reservation{}, ctx.Err()
			}
		})
		before := g.Stats()
		for range 100 {
			g.Health()
		}
		require.Equal(t, before, g.Stats())
		require.Empty(t, w.Asks())
		time.Sleep(35 * time.Second)
		synctest.Wait()
		require.NotEmpty(t, w.Asks(), "an Extend is under way")
		asked := time.Now()
		require.Nil(t, g.Health().Failing)
		require.Zero(t, time.Since(asked))
		close(hang)
	})
}
