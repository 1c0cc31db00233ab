package cached_test

import (
	"cmp"
	"testing"
	"testing/synctest"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/telemetry"
)

// What is ready to be issued, and what is not, is as calls find it.
func TestHealthSaysWhatCallsFind(t *testing.T) {
	full := bits.MustLayout(bits.Config{TimeBits: 8, WorkerBits: 10, SequenceBits: 4, Unit: time.Second, Epoch: day})
	for name, c := range map[string]struct {
		worker *fake.Worker
		cfg    cached.Config
		at     time.Time
		step   time.Duration
		drain  bool
		codes  []string
		want   error
	}{
		"the first tick is far ahead": {cfg: cached.Config{MaxLead: time.Minute},
			worker: fake.Giving(uid.Reservation{First: bits.Default().TickAt(day) + 90, Last: 1 << 40, Renew: 1 << 40}),
			codes:  []string{telemetry.ClockIsBehind}, want: uid.ErrRejectedTake},
		"at the bound": {cfg: cached.Config{MaxLead: 10 * time.Second, Layout: runsOf16}, worker: fake.Endless(1),
			drain: true, codes: []string{telemetry.LeadNearBound}, want: uid.ErrRejectedTake},
		"a reservation that a burst has used up, and more on its way": {cfg: cached.Config{Layout: runsOf16},
			worker: fake.Giving(uid.Reservation{Last: runsOf16.TickAt(day) + 20, Renew: 1 << 29}),
			drain:  true, codes: []string{telemetry.ReservationUsedUp}, want: uid.ErrNoReservation},
		"the clock was set back": {worker: fake.Endless(1), step: -time.Hour},
		"the time field was used up by a burst": {worker: fake.Endless(1), at: day.Add(250 * time.Second), drain: true,
			cfg:   cached.Config{Layout: full, Expiry: bits.Expiry{Refuse: -1, Warn: -1}},
			codes: []string{telemetry.Exhausted}, want: uid.ErrExhausted},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := fake.NewClock(cmp.Or(c.at, day))
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
				conformance.Finds(t, g, c.want, c.codes...)
			})
		})
	}
}
