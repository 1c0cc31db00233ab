package conformance

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/telemetry"
)

// Codes are the reasons of a health. What is read back from its JSON is the same.
func Codes(t testing.TB, h health.Health) (all []string) {
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

// Finds requires that Health gives these reasons, and that a call finds what it says: nil for a UID.
func Finds(t testing.TB, g Generator, want error, codes ...string) {
	t.Helper()
	h := g.Health()
	require.Equal(t, codes, Codes(t, h))
	require.Equal(t, len(codes) == 0 || h.Reasons[0].Level == telemetry.Warning, h.Ready)
	_, err := g.TryGetUID()
	if want == nil {
		require.NoError(t, err)
	} else {
		require.ErrorIs(t, err, want)
	}
}

// telling is a worker that tells of itself.
type telling struct{ *fake.Worker }

func (telling) WorkerHealth() health.Worker {
	return health.Worker{Kind: "fake", Place: "the test", IDs: &health.IDs{Taken: 9, Total: 10, Low: true}}
}

// health is the whole life of a generator whose store goes away and comes back.
func (s Subject) health(t *testing.T) {
	clock := fake.NewClock(Day)
	w := &fake.Worker{ID: 7, Window: 300}
	g := s.at(t, clock, w, Config{Layout: seconds})
	synctest.Wait()
	h := g.Health()
	require.Empty(t, Codes(t, h))
	require.True(t, h.Ready)
	require.Equal(t, s.Name, h.Generator)
	require.Equal(t, Day, h.Time)
	require.Equal(t, &health.Reservation{
		WorkerID: 7, Bounded: true,
		Until: Day.Add(301 * time.Second), Remaining: health.Duration{Duration: 301 * time.Second},
	}, h.Reservation)
	require.Equal(t, time.Second, h.Lead.Tick.Duration)
	require.Equal(t, seconds.Expires().UTC(), h.TimeField.Expires)
	require.Equal(t, h.TimeField.Expires.Add(time.Second).Sub(Day), h.TimeField.Remaining.Duration)
	require.Nil(t, h.Numbers)
	require.Nil(t, h.Worker)
	require.Nil(t, h.Failing)
	next(t, g)

	w.Set(func(w *fake.Worker) { w.Fail = fake.ErrDown })
	time.Sleep(240*time.Second + 500*time.Millisecond) // 60.5 s are left
	h = g.Health()
	Finds(t, g, nil) // a minute is left
	require.Equal(t, fake.ErrDown.Error(), h.Failing.Error)
	require.Equal(t, Day.Add(150*time.Second), h.Failing.Since)
	require.EqualValues(t, h.Failing.Attempts, h.Counts[telemetry.RenewalFailures])
	time.Sleep(time.Second)
	Finds(t, g, nil, telemetry.ReservationFailing)
	require.Equal(t, 59500*time.Millisecond, g.Health().Reservation.Remaining.Duration)

	time.Sleep(62 * time.Second)
	Finds(t, g, uid.ErrNoReservation, telemetry.NoReservation)
	require.Zero(t, g.Health().Reservation.Remaining)

	w.Set(func(w *fake.Worker) { w.Fail = nil })
	time.Sleep(10 * time.Second)
	Finds(t, g, nil)
	require.Nil(t, g.Health().Failing)
	require.NoError(t, g.Close())
	Finds(t, g, uid.ErrClosed, telemetry.Closed)
	require.Zero(t, g.Health().Reservation.Until)

	h = s.at(t, fake.NewClock(Day), fake.Endless(3), Config{Layout: seconds}).Health()
	require.False(t, h.Reservation.Bounded)
	require.Equal(t, h.TimeField.Expires.Add(time.Second), h.Reservation.Until, "the end of the last tick")
	g = s.start(t, telling{fake.Endless(3)}, Config{Layout: seconds, Now: fake.NewClock(Day).Now})
	Finds(t, g, nil, telemetry.WorkerIDsLow)
	require.Equal(t, "the test", g.Health().Worker.Place)
}

// healthFinds: Health says what a call finds, near the ends of things.
func (s Subject) healthFinds(t *testing.T) {
	l := bits.MustLayout(bits.Config{TimeBits: 8, WorkerBits: 10, SequenceBits: 4, Epoch: time.Now()})
	never := bits.Expiry{Refuse: -1, Warn: -1}
	for _, c := range []struct {
		worker *fake.Worker
		cfg    Config
		at     time.Time
		step   time.Duration
		want   error
		codes  []string
	}{
		{worker: fake.Endless(1), at: Day},
		{worker: fake.Giving(uid.Reservation{Last: -1, Renew: 1 << 40}), at: Day,
			want: uid.ErrNoReservation, codes: []string{telemetry.NoReservation}},
		{worker: fake.Endless(1), at: seconds.Expires().AddDate(0, -6, 0), codes: []string{telemetry.TimeFieldEnding}},
		{worker: fake.Endless(1), cfg: Config{Layout: l, Expiry: never}, at: l.Epoch(), step: 5 * time.Minute,
			want: uid.ErrExhausted, codes: []string{telemetry.Exhausted}},
	} {
		if c.cfg.Layout.IsZero() {
			c.cfg.Layout = seconds
		}
		clock := fake.NewClock(c.at)
		g := s.at(t, clock, c.worker, c.cfg)
		synctest.Wait()
		clock.Step(c.step)
		time.Sleep(2 * time.Second) // for a generator's goroutine to see it
		Finds(t, g, c.want, c.codes...)
		require.NoError(t, g.Close())
	}
}

// healthChangesNothing: Health asks for nothing, wakes nobody, and never waits for the worker.
func (s Subject) healthChangesNothing(t *testing.T) {
	w := &fake.Worker{ID: 1, Window: 60}
	g := s.at(t, fake.NewClock(Day), w, Config{Layout: seconds})
	synctest.Wait()
	until := hold(w)
	before := g.Health()
	for range 100 {
		require.Equal(t, before, g.Health())
	}
	require.Empty(t, w.Asks())
	time.Sleep(35 * time.Second)
	synctest.Wait()
	require.NotEmpty(t, w.Asks(), "an Extend is under way")
	asked := time.Now()
	require.Nil(t, g.Health().Failing)
	require.Zero(t, time.Since(asked))
	close(until)
}
