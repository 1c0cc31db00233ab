package fake

import (
	"time"

	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/telemetry"
)

// A Reporter has the health that it is.
type Reporter health.Health

// Health is health.Reporter's.
func (r Reporter) Health() health.Health { return health.Health(r) }

// Reporters are generators of each kind, which between them have every number that there is, and
// every count.
func Reporters() map[string]health.Reporter {
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s := func(n float64) health.Duration { return health.Duration{Duration: time.Duration(n * 1e9)} }
	years := health.Duration{Duration: 7 * 365 * 24 * time.Hour}
	orders := health.Health{
		Generator: "cached", Time: at, Buffered: 65536,
		Reservation: &health.Reservation{WorkerID: 7, Until: at.Add(s(42).Duration), Remaining: s(42.5), Bounded: true},
		Lead:        &health.Lead{Now: s(5), Bound: s(600), Reach: s(600), Tick: s(1)},
		TimeField:   &health.TimeField{Expires: at.AddDate(7, 0, 0), Remaining: years},
		Worker: &health.Worker{Kind: "lease", Place: "the store", Ends: at.Add(200 * time.Second),
			IDs: &health.IDs{Taken: 8, Total: 1024}},
		Failing: &health.Failing{Error: ErrDown.Error(), Since: at.Add(-20 * time.Second), Attempts: 6},
		Counts: map[string]uint64{
			telemetry.Issued: 123456, telemetry.Lost: 3, telemetry.Ticks: 500, telemetry.StaleTicks: 20,
			telemetry.Refills: 100, telemetry.RejectedTakes: 2, telemetry.RejectedPuts: 1, telemetry.HandlerPanics: 0,
			telemetry.RenewalFailures: 6,
		},
	}
	events := health.Health{
		Generator: "uncached", Time: at,
		Reservation: &health.Reservation{WorkerID: 1, Until: at.AddDate(7, 0, 0), Remaining: years},
		Lead:        &health.Lead{Tick: s(1), Wait: s(30)},
		TimeField:   &health.TimeField{Expires: at.AddDate(7, 0, 0), Remaining: years},
		Counts: map[string]uint64{
			telemetry.ClockBehind: 4, telemetry.SequenceWaits: 9, telemetry.RenewalFailures: 0,
		},
	}
	invoices := health.Health{
		Generator: "segment", Tag: "invoices", Time: at, Buffered: 900,
		Numbers: &health.Numbers{Lasts: s(450), Newest: 5000, Left: 95000, Total: 100000},
		Counts: map[string]uint64{
			telemetry.Issued: 4100, telemetry.RejectedTakes: 1, telemetry.HandlerPanics: 0,
			telemetry.RenewalFailures: 0, telemetry.NumbersTaken: 5000, telemetry.Segments: 3,
			telemetry.NumbersGivenBack: 0, telemetry.NumbersDropped: 0,
		},
	}
	all := map[string]health.Reporter{}
	for name, h := range map[string]health.Health{"orders": orders, "events": events, "invoices": invoices} {
		telemetry.Judge(&h, nil)
		all[name] = Reporter(h)
	}
	return all
}
