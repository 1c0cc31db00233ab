package health

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/count"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func seconds(n float64) Duration { return Duration{time.Duration(n * 1e9)} }

// healthy is a cached generator on a lease.
func healthy() Health {
	return Health{
		Generator: "cached", Time: noon, Buffered: 65536,
		Reservation: &Reservation{WorkerID: 7, Until: noon.Add(74 * time.Second), Remaining: seconds(74.2), Bounded: true},
		Lead:        &Lead{Now: seconds(0), Bound: seconds(600), Tick: seconds(1)},
		TimeField:   &TimeField{Expires: noon.AddDate(7, 0, 0), Remaining: Duration{7 * 365 * 24 * time.Hour}},
		Worker:      &Worker{Kind: "lease", Place: "namespace orders", Ends: noon.Add(5 * time.Minute), IDs: &IDs{Taken: 8, Total: 1024}},
		Counts:      map[string]uint64{count.Issued: 12, count.Lost: 0},
	}
}

// numbers is a segment's generator.
func numbers() Health {
	return Health{
		Generator: "segment", Tag: "invoices", Time: noon, Buffered: 900,
		Numbers: &Numbers{Lasts: seconds(1800), Newest: 5000, Left: math.MaxInt64 - 5001, Total: math.MaxInt64 - 1},
		Counts:  map[string]uint64{count.Issued: 4100},
	}
}

func samples() []Health {
	a, b, c := healthy(), numbers(), healthy()
	a.Judge(nil)
	b.Failing = &Failing{Error: `the "database" is down`, Since: noon.Add(-time.Second), Attempts: 3}
	b.Judge(nil)
	c.Judge(uid.ErrClosed)
	return []Health{a, b, c}
}

// Each rule, with the numbers on both of its sides.
func TestJudge(t *testing.T) {
	down := &Failing{Error: "the database is down", Since: noon, Attempts: 1}
	type want struct {
		code  Code
		level Level
	}
	failing := func(h *Health, left Duration) { h.Failing, h.Reservation.Remaining = down, left }
	for name, c := range map[string]struct {
		of     func() Health
		change func(*Health)
		ended  error
		want   []want
	}{
		"healthy":         {of: healthy},
		"healthy numbers": {of: numbers},
		"closed":          {of: healthy, ended: fmt.Errorf("it: %w", uid.ErrClosed), want: []want{{Closed, LevelError}}},
		"exhausted":       {of: numbers, ended: fmt.Errorf("it: %w", uid.ErrExhausted), want: []want{{Exhausted, LevelError}}},
		"numbers lost":    {of: numbers, ended: errors.New("lost"), want: []want{{NumbersLost, LevelError}}},
		"closed, and nothing else counts": {of: healthy, ended: uid.ErrClosed, want: []want{{Closed, LevelError}},
			change: func(h *Health) { failing(h, Duration{}); h.TimeField.Ending = true }},

		"a minute is left":                                         {of: healthy, change: func(h *Health) { failing(h, seconds(60)) }},
		"less than a minute is left":                               {of: healthy, change: func(h *Health) { failing(h, Duration{time.Minute - 1}) }, want: []want{{ReservationFailing, LevelWarning}}},
		"little is left of a reservation that is renewed":          {of: healthy, change: func(h *Health) { h.Reservation.Remaining = seconds(1) }},
		"used up while more is on its way":                         {of: healthy, change: func(h *Health) { h.Reservation.UsedUp = true }, want: []want{{ReservationUsedUp, LevelWarning}}},
		"used up and failing":                                      {of: healthy, change: func(h *Health) { failing(h, seconds(50)); h.Reservation.UsedUp = true }, want: []want{{NoReservation, LevelError}}},
		"nothing reserved yet":                                     {of: healthy, change: func(h *Health) { h.Reservation.UsedUp, h.Reservation.Until = true, time.Time{} }, want: []want{{NoReservation, LevelError}}},
		"the clock has passed the reservation, but UIDs are ready": {of: healthy, change: func(h *Health) { failing(h, Duration{}) }, want: []want{{ReservationFailing, LevelWarning}}},

		"numbers for a minute":              {of: numbers, change: func(h *Health) { h.Failing, h.Numbers.Lasts = down, seconds(60) }},
		"numbers for less than a minute":    {of: numbers, change: func(h *Health) { h.Failing, h.Numbers.Lasts = down, Duration{time.Minute - 1} }, want: []want{{ReservationFailing, LevelWarning}}},
		"numbers for nobody knows how long": {of: numbers, change: func(h *Health) { h.Failing, h.Numbers.Lasts = down, Duration{} }},
		"no numbers":                        {of: numbers, change: func(h *Health) { h.Failing, h.Buffered = down, 0 }, want: []want{{NoReservation, LevelError}}},
		"no numbers yet":                    {of: numbers, change: func(h *Health) { h.Buffered = 0 }},
		"few numbers":                       {of: numbers, change: func(h *Health) { h.Numbers.Low = true }, want: []want{{NumbersLow, LevelWarning}}},

		"nine tenths of the lead":     {of: healthy, change: func(h *Health) { h.Lead.Now = seconds(540) }, want: []want{{LeadNearBound, LevelWarning}}},
		"less of the lead":            {of: healthy, change: func(h *Health) { h.Lead.Now = seconds(539) }},
		"no lead at all":              {of: healthy, change: func(h *Health) { h.Lead.Bound = Duration{} }},
		"an unbounded lead":           {of: healthy, change: func(h *Health) { h.Lead.Now, h.Lead.Bound, h.Lead.Unbounded = seconds(1e6), Duration{}, true }},
		"a wait of a tick":            {of: healthy, change: func(h *Health) { h.Lead.Wait = seconds(1) }},
		"a wait of more":              {of: healthy, change: func(h *Health) { h.Lead.Wait = Duration{time.Second + 1} }, want: []want{{ClockIsBehind, LevelError}}},
		"the time field is ending":    {of: healthy, change: func(h *Health) { h.TimeField.Ending = true }, want: []want{{TimeFieldEnding, LevelWarning}}},
		"the time field is over":      {of: healthy, change: func(h *Health) { h.TimeField.Remaining = Duration{} }, want: []want{{Exhausted, LevelError}}},
		"few worker IDs":              {of: healthy, change: func(h *Health) { h.Worker.IDs.Low = true }, want: []want{{WorkerIDsLow, LevelWarning}}},
		"a worker that tells nothing": {of: healthy, change: func(h *Health) { h.Worker = nil }},

		"errors come first": {of: healthy, change: func(h *Health) { failing(h, seconds(5)); h.Lead.Wait = seconds(9) },
			want: []want{{ClockIsBehind, LevelError}, {ReservationFailing, LevelWarning}}},
	} {
		h := c.of()
		if c.change != nil {
			c.change(&h)
		}
		h.Judge(c.ended)
		var got []want
		ready := true
		for _, r := range h.Reasons {
			require.NotEmpty(t, r.Text)
			require.NotContains(t, r.Text, "%!", r.Text)
			ready = ready && r.Level != LevelError
			got = append(got, want{r.Code, r.Level})
			require.Contains(t, h.String(), r.Text)
		}
		require.Equal(t, c.want, got, name)
		require.Equal(t, ready, h.Ready, name)
		require.NotNil(t, h.Reasons, "[] in JSON")
		if h.Failing != nil && len(got) > 0 && (got[0].code == NoReservation || got[0].code == ReservationFailing) {
			require.Contains(t, h.Reasons[0].Text, "the database is down", name)
		}
	}
}

func TestString(t *testing.T) {
	h := healthy()
	h.Judge(nil)
	require.Equal(t, "ready", h.String())
	h.Reservation.UsedUp, h.Reservation.Remaining = true, Duration{}
	h.Failing = &Failing{Error: "the database is down"}
	h.TimeField.Ending = true
	h.Judge(nil)
	require.Equal(t, "not ready: no tick is reserved that could be issued: the database is down; "+
		"the last tick of the layout begins at 2033-11-22T12:00:00Z", h.String())
}

// A person reads it, and so does a program of any language.
func TestJSON(t *testing.T) {
	h := healthy()
	h.Failing = &Failing{Error: `the "database" is down`, Since: noon.Add(-time.Second), Attempts: 3}
	h.Reservation.Remaining = seconds(42.5)
	h.Judge(nil)
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
		duration := rapid.Custom(func(t *rapid.T) Duration { return Duration{time.Duration(rapid.Int64().Draw(t, "ns"))} })
		instant := rapid.Custom(func(t *rapid.T) time.Time {
			at := time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns"))
			return at.In(time.FixedZone("", rapid.IntRange(-12, 14).Draw(t, "zone")*3600))
		})
		h := Health{
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
			h.Reservation = &Reservation{
				WorkerID: rapid.Int64().Draw(t, "worker"), Until: instant.Draw(t, "until"), Remaining: duration.Draw(t, "remaining"),
				Bounded: some.Draw(t, "bounded"), UsedUp: some.Draw(t, "used up"),
			}
		}
		if some.Draw(t, "lead") {
			h.Lead = &Lead{duration.Draw(t, "now"), duration.Draw(t, "lag"), duration.Draw(t, "bound"), duration.Draw(t, "reach"),
				some.Draw(t, "unbounded"), duration.Draw(t, "lag bound"), duration.Draw(t, "tick"), duration.Draw(t, "wait")}
		}
		if some.Draw(t, "time field") {
			h.TimeField = &TimeField{instant.Draw(t, "expires"), duration.Draw(t, "remaining"), some.Draw(t, "ending")}
		}
		if some.Draw(t, "numbers") {
			h.Numbers = &Numbers{duration.Draw(t, "lasts"), rapid.Int64().Draw(t, "drawn"), rapid.Int64().Draw(t, "step"), rapid.String().Draw(t, "store"),
				rapid.Int64().Draw(t, "newest"), rapid.Int64().Draw(t, "left"), rapid.Int64().Draw(t, "total"), some.Draw(t, "low")}
		}
		if some.Draw(t, "ring") {
			n := rapid.Int64()
			h.Ring = &Ring{n.Draw(t, "slots"), n.Draw(t, "per tick"), n.Draw(t, "cursor"), n.Draw(t, "used"), n.Draw(t, "tail"), some.Draw(t, "usable")}
		}
		if some.Draw(t, "worker") {
			h.Worker = &Worker{Kind: rapid.String().Draw(t, "kind"), Place: rapid.String().Draw(t, "place"), Ends: instant.Draw(t, "ends")}
			if some.Draw(t, "IDs") {
				h.Worker.IDs = &IDs{rapid.Int64().Draw(t, "taken"), rapid.Int64().Draw(t, "total"), some.Draw(t, "low")}
			}
		}
		if some.Draw(t, "failing") {
			h.Failing = &Failing{rapid.String().Draw(t, "error"), instant.Draw(t, "since"), rapid.Int64().Draw(t, "attempts")}
		}
		h.Judge(rapid.SampledFrom([]error{nil, uid.ErrClosed, uid.ErrExhausted, errors.New("lost")}).Draw(t, "ended"))
		text, err := json.Marshal(h)
		require.NoError(t, err)
		var read Health
		require.NoError(t, json.Unmarshal(text, &read))
		require.Equal(t, h, read)
	})
}

// The year 10000 is zero, and not an error of the JSON encoder.
func TestTimesThatJSONCannotHold(t *testing.T) {
	h := healthy()
	h.TimeField.Expires = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	h.Reservation.Until = h.TimeField.Expires
	h.Time = noon.In(time.FixedZone("elsewhere", 3600))
	h.Judge(nil)
	text, err := json.Marshal(h)
	require.NoError(t, err)
	require.NotContains(t, string(text), "expires")
	require.NotContains(t, string(text), "until")
	require.Contains(t, string(text), `"time":"2026-11-22T12:00:00Z"`)
}
