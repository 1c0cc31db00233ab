package health_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/count"
	"github.com/uidgen/uid/internal/reason"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func seconds(n float64) health.Duration { return health.Duration{Duration: time.Duration(n * 1e9)} }

// healthy is a cached generator on a lease.
func healthy() health.Health {
	return health.Health{
		Generator: "cached", Time: noon, Buffered: 65536,
		Reservation: &health.Reservation{WorkerID: 7, Until: noon.Add(74 * time.Second), Remaining: seconds(74.2), Bounded: true},
		Lead:        &health.Lead{Now: seconds(0), Bound: seconds(600), Tick: seconds(1)},
		TimeField:   &health.TimeField{Expires: noon.AddDate(7, 0, 0), Remaining: health.Duration{Duration: 7 * 365 * 24 * time.Hour}},
		Worker:      &health.Worker{Kind: "lease", Place: "namespace orders", Ends: noon.Add(5 * time.Minute), IDs: &health.IDs{Taken: 8, Total: 1024}},
		Counts:      map[string]uint64{count.Issued: 12, count.Lost: 0},
	}
}

func TestString(t *testing.T) {
	h := health.Health{Ready: true}
	require.Equal(t, "ready", h.String())
	h.Reasons = []health.Reason{{Text: "7 are left"}, {Text: "the database is down"}}
	require.Equal(t, "ready: 7 are left; the database is down", h.String())
	h.Ready = false
	require.Equal(t, "not ready: 7 are left; the database is down", h.String())
}

func TestJSON(t *testing.T) {
	h := healthy()
	h.Failing = &health.Failing{Error: `the "database" is down`, Since: noon.Add(-time.Second), Attempts: 3}
	h.Reservation.Remaining = seconds(42.5)
	reason.Judge(&h, nil)
	text, err := json.MarshalIndent(h, "", "  ")
	require.NoError(t, err)
	require.Equal(t, `{
  "generator": "cached",
  "time": "2026-11-22T12:00:00Z",
  "ready": true,
  "reasons": [
    {
      "code": "reservation_failing",
      "level": "warning",
      "text": "the reservation ends in 43s and cannot be renewed: the \"database\" is down"
    }
  ],
  "buffered": 65536,
  "waiting": 0,
  "reservation": {
    "worker_id": 7,
    "until": "2026-11-22T12:01:14Z",
    "remaining_seconds": 42.5,
    "bounded": true,
    "used_up": false
  },
  "lead": {
    "now_seconds": 0,
    "lag_seconds": 0,
    "bound_seconds": 600,
    "reach_seconds": 0,
    "unbounded": false,
    "lag_bound_seconds": 0,
    "tick_seconds": 1,
    "wait_seconds": 0
  },
  "time_field": {
    "expires": "2033-11-22T12:00:00Z",
    "remaining_seconds": 220752000,
    "ending": false
  },
  "worker": {
    "kind": "lease",
    "place": "namespace orders",
    "ends": "2026-11-22T12:05:00Z",
    "ids": {
      "taken": 8,
      "total": 1024,
      "low": false
    }
  },
  "failing": {
    "error": "the \"database\" is down",
    "since": "2026-11-22T11:59:59Z",
    "attempts": 3
  },
  "counts": {
    "issued": 12,
    "lost": 0
  }
}`, string(text))
}

// Whatever the numbers are, also times that JSON cannot hold, they come back as they were judged.
func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		duration := rapid.Custom(func(t *rapid.T) health.Duration {
			return health.Duration{Duration: time.Duration(rapid.Int64().Draw(t, "ns"))}
		})
		instant := rapid.Custom(func(t *rapid.T) time.Time {
			at := time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns"))
			return at.In(time.FixedZone("", rapid.IntRange(-12, 14).Draw(t, "zone")*3600))
		})
		h := health.Health{
			Generator: rapid.String().Draw(t, "generator"), Tag: rapid.String().Draw(t, "tag"), Time: instant.Draw(t, "time"),
			Buffered: rapid.Int64().Draw(t, "buffered"), Counts: map[string]uint64{},
		}
		for _, n := range count.All() {
			if rapid.Bool().Draw(t, "counts") {
				h.Counts[n] = rapid.Uint64().Draw(t, n)
			}
		}
		some := rapid.Bool()
		if some.Draw(t, "reservation") {
			h.Reservation = &health.Reservation{
				WorkerID: rapid.Int64().Draw(t, "worker"), Until: instant.Draw(t, "until"), Remaining: duration.Draw(t, "remaining"),
				Bounded: some.Draw(t, "bounded"), UsedUp: some.Draw(t, "used up"),
			}
		}
		if some.Draw(t, "lead") {
			h.Lead = &health.Lead{duration.Draw(t, "now"), duration.Draw(t, "lag"), duration.Draw(t, "bound"), duration.Draw(t, "reach"),
				some.Draw(t, "unbounded"), duration.Draw(t, "lag bound"), duration.Draw(t, "tick"), duration.Draw(t, "wait")}
		}
		if some.Draw(t, "time field") {
			h.TimeField = &health.TimeField{instant.Draw(t, "expires"), duration.Draw(t, "remaining"), some.Draw(t, "ending")}
		}
		if some.Draw(t, "numbers") {
			h.Numbers = &health.Numbers{duration.Draw(t, "lasts"), rapid.Int64().Draw(t, "drawn"), rapid.Int64().Draw(t, "step"), rapid.String().Draw(t, "store"),
				rapid.Int64().Draw(t, "newest"), rapid.Int64().Draw(t, "left"), rapid.Int64().Draw(t, "total"), some.Draw(t, "low")}
		}
		if some.Draw(t, "ring") {
			n := rapid.Int64()
			h.Ring = &health.Ring{n.Draw(t, "slots"), n.Draw(t, "per tick"), n.Draw(t, "cursor"), n.Draw(t, "used"), n.Draw(t, "tail"), some.Draw(t, "usable")}
		}
		if some.Draw(t, "worker") {
			h.Worker = &health.Worker{Kind: rapid.String().Draw(t, "kind"), Place: rapid.String().Draw(t, "place"), Ends: instant.Draw(t, "ends")}
			if some.Draw(t, "IDs") {
				h.Worker.IDs = &health.IDs{rapid.Int64().Draw(t, "taken"), rapid.Int64().Draw(t, "total"), some.Draw(t, "low")}
			}
		}
		if some.Draw(t, "failing") {
			h.Failing = &health.Failing{rapid.String().Draw(t, "error"), instant.Draw(t, "since"), rapid.Int64().Draw(t, "attempts")}
		}
		reason.Judge(&h, rapid.SampledFrom([]error{nil, uid.ErrClosed, uid.ErrExhausted, errors.New("lost")}).Draw(t, "ended"))
		text, err := json.Marshal(h)
		require.NoError(t, err)
		var read health.Health
		require.NoError(t, json.Unmarshal(text, &read))
		require.Equal(t, h, read)
	})
}
