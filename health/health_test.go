package health_test

import (
	"encoding/json"
	"errors"
	"os"
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
	until, ends, ids := noon.Add(74*time.Second), noon.Add(5*time.Minute), &health.IDs{Taken: 8, Total: 1024}
	return health.Health{
		Generator: "cached", Time: noon, Buffered: 65536,
		Reservation: &health.Reservation{WorkerID: 7, Until: until, Remaining: seconds(74.2), Bounded: true},
		Lead:        &health.Lead{Now: seconds(0), Bound: seconds(600), Tick: seconds(1)},
		TimeField:   &health.TimeField{Expires: noon.AddDate(7, 0, 0), Remaining: seconds(7 * 365 * 24 * 3600)},
		Worker:      &health.Worker{Kind: "lease", Place: "namespace orders", Ends: ends, IDs: ids},
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
	want, err := os.ReadFile("testdata/health.json")
	require.NoError(t, err)
	require.Equal(t, string(want), string(text)+"\n")
}

// Whatever the numbers are, also times that JSON cannot hold, they come back as they were judged.
func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := func(name string) string { return rapid.String().Draw(t, name) }
		some := func(name string) bool { return rapid.Bool().Draw(t, name) }
		number := func(name string) int64 { return rapid.Int64().Draw(t, name) }
		duration := func(name string) health.Duration { return health.Duration{Duration: time.Duration(number(name))} }
		instant := func(name string) time.Time {
			s, ns := rapid.Int64Range(-1<<40, 1<<40), rapid.Int64Range(0, 999999999)
			zone := time.FixedZone("", rapid.IntRange(-12, 14).Draw(t, "zone")*3600)
			return time.Unix(s.Draw(t, name), ns.Draw(t, "ns")).In(zone)
		}
		h := health.Health{
			Generator: word("generator"), Tag: word("tag"), Time: instant("time"), Buffered: number("buffered"),
			Counts: map[string]uint64{},
		}
		for _, n := range count.All() {
			if some("counts") {
				h.Counts[n] = rapid.Uint64().Draw(t, n)
			}
		}
		if some("reservation") {
			h.Reservation = &health.Reservation{
				WorkerID: number("worker"), Until: instant("until"), Remaining: duration("remaining"),
				Bounded: some("bounded"), UsedUp: some("used up"),
			}
		}
		if some("lead") {
			h.Lead = &health.Lead{duration("now"), duration("lag"), duration("bound"), duration("reach"),
				some("unbounded"), duration("lag bound"), duration("tick"), duration("wait")}
		}
		if some("time field") {
			h.TimeField = &health.TimeField{instant("expires"), duration("remaining"), some("ending")}
		}
		if some("numbers") {
			h.Numbers = &health.Numbers{duration("lasts"), number("drawn"), number("step"), word("store"),
				number("newest"), number("left"), number("total"), some("low")}
		}
		if some("ring") {
			h.Ring = &health.Ring{number("slots"), number("per tick"), number("cursor"), number("used"), number("tail"),
				some("usable")}
		}
		if some("worker") {
			h.Worker = &health.Worker{Kind: word("kind"), Place: word("place"), Ends: instant("ends")}
			if some("IDs") {
				h.Worker.IDs = &health.IDs{number("taken"), number("total"), some("low")}
			}
		}
		if some("failing") {
			h.Failing = &health.Failing{word("error"), instant("since"), number("attempts")}
		}
		ended := rapid.SampledFrom([]error{nil, uid.ErrClosed, uid.ErrExhausted, errors.New("lost")})
		reason.Judge(&h, ended.Draw(t, "ended"))
		text, err := json.Marshal(h)
		require.NoError(t, err)
		var read health.Health
		require.NoError(t, json.Unmarshal(text, &read))
		require.Equal(t, h, read)
	})
}
