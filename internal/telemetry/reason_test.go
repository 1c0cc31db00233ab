package telemetry_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/telemetry"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func seconds(n float64) health.Duration { return health.Duration{Duration: time.Duration(n * 1e9)} }

// healthy is a cached generator on a lease.
func healthy() health.Health {
	year := 365 * 24 * time.Hour
	return health.Health{
		Generator: "cached", Time: noon, Buffered: 65536,
		Reservation: &health.Reservation{WorkerID: 7, Until: noon.Add(74 * time.Second),
			Remaining: seconds(74.2), Bounded: true},
		Lead:      &health.Lead{Now: seconds(0), Bound: seconds(600), Tick: seconds(1)},
		TimeField: &health.TimeField{Expires: noon.AddDate(7, 0, 0), Remaining: health.Duration{Duration: 7 * year}},
		Worker: &health.Worker{Kind: "lease", Place: "namespace orders", Ends: noon.Add(5 * time.Minute),
			IDs: &health.IDs{Taken: 8, Total: 1024}},
		Counts: map[string]uint64{telemetry.Issued: 12, telemetry.Lost: 0},
	}
}

// numbers is a segment's generator.
func numbers() health.Health {
	const most = math.MaxInt64 - 1
	return health.Health{
		Generator: "segment", Tag: "invoices", Time: noon, Buffered: 900,
		Numbers: &health.Numbers{Lasts: seconds(1800), Newest: 5000, Left: most - 5000, Total: most},
		Counts:  map[string]uint64{telemetry.Issued: 4100},
	}
}

// Each rule, with the numbers on both of its sides.
func TestJudge(t *testing.T) {
	down := &health.Failing{Error: "the database is down", Since: noon, Attempts: 1}
	type want struct{ code, level string }
	type H = health.Health
	warns := func(code string) []want { return []want{{code, telemetry.Warning}} }
	fails := func(code string) []want { return []want{{code, telemetry.Error}} }
	ahead := func(d time.Duration) *health.Ahead { return &health.Ahead{Cause: "a failover", Until: noon.Add(d)} }
	var none health.Duration
	under, over := health.Duration{Duration: time.Minute - 1}, health.Duration{Duration: time.Second + 1}
	failing := func(h *health.Health, left health.Duration) { h.Failing, h.Reservation.Remaining = down, left }
	for name, c := range map[string]struct {
		of     func() health.Health
		change func(*health.Health)
		ended  error
		want   []want
	}{
		"healthy":         {of: healthy},
		"healthy numbers": {of: numbers},
		"closed":          {of: healthy, ended: fmt.Errorf("it: %w", uid.ErrClosed), want: fails(telemetry.Closed)},
		"exhausted": {of: numbers, ended: fmt.Errorf("it: %w", uid.ErrExhausted),
			want: fails(telemetry.Exhausted)},
		"numbers lost": {of: numbers, ended: errors.New("lost"), want: fails(telemetry.NumbersLost)},
		"closed, and nothing else counts": {of: healthy, ended: uid.ErrClosed, want: fails(telemetry.Closed),
			change: func(h *H) { failing(h, none); h.TimeField.Ending = true }},

		"a minute is left": {of: healthy, change: func(h *H) { failing(h, seconds(60)) }},
		"less than a minute is left": {of: healthy, change: func(h *H) { failing(h, under) },
			want: warns(telemetry.ReservationFailing)},
		"little is left of a reservation that is renewed": {of: healthy,
			change: func(h *H) { h.Reservation.Remaining = seconds(1) }},
		"used up while more is on its way": {of: healthy, change: func(h *H) { h.Reservation.UsedUp = true },
			want: warns(telemetry.ReservationUsedUp)},
		"used up and failing": {of: healthy, want: fails(telemetry.NoReservation),
			change: func(h *H) { failing(h, seconds(50)); h.Reservation.UsedUp = true }},
		"nothing reserved yet": {of: healthy, want: fails(telemetry.NoReservation),
			change: func(h *H) { h.Reservation.UsedUp, h.Reservation.Until = true, time.Time{} }},
		"the clock has passed the reservation, but UIDs are ready": {of: healthy,
			change: func(h *H) { failing(h, none) }, want: warns(telemetry.ReservationFailing)},

		"numbers for a minute": {of: numbers, change: func(h *H) { h.Failing, h.Numbers.Lasts = down, seconds(60) }},
		"numbers for less than a minute": {of: numbers, want: warns(telemetry.ReservationFailing),
			change: func(h *H) { h.Failing, h.Numbers.Lasts = down, under }},
		"numbers for nobody knows how long": {of: numbers,
			change: func(h *H) { h.Failing, h.Numbers.Lasts = down, none }},
		"no numbers": {of: numbers, change: func(h *H) { h.Failing, h.Buffered = down, 0 },
			want: fails(telemetry.NoReservation)},
		"no numbers yet": {of: numbers, change: func(h *H) { h.Buffered = 0 }},
		"few numbers":    {of: numbers, change: func(h *H) { h.Numbers.Low = true }, want: warns(telemetry.NumbersLow)},

		"nine tenths of the lead": {of: healthy, change: func(h *H) { h.Lead.Now = seconds(540) },
			want: warns(telemetry.LeadNearBound)},
		"less of the lead": {of: healthy, change: func(h *H) { h.Lead.Now = seconds(539) }},
		"no lead at all":   {of: healthy, change: func(h *H) { h.Lead.Bound = none }},
		"an unbounded lead": {of: healthy, change: func(h *H) {
			h.Lead.Now, h.Lead.Bound, h.Lead.Unbounded = seconds(1e6), none, true
		}},
		"a wait of a tick": {of: healthy, change: func(h *H) { h.Lead.Wait = seconds(1) }},
		"a wait of more": {of: healthy, change: func(h *H) { h.Lead.Wait = over },
			want: fails(telemetry.ClockIsBehind)},
		"began ahead": {of: healthy, change: func(h *H) { h.Worker.Ahead = ahead(1) },
			want: warns(telemetry.BeganAhead)},
		"too far ahead": {of: healthy, change: func(h *H) { h.Worker.Ahead, h.Lead.Wait = ahead(1), over },
			want: fails(telemetry.BeganAhead)},
		"was ahead": {of: healthy, change: func(h *H) { h.Worker.Ahead = ahead(0) }},
		"the time field is ending": {of: healthy, change: func(h *H) { h.TimeField.Ending = true },
			want: warns(telemetry.TimeFieldEnding)},
		"the time field is over": {of: healthy, change: func(h *H) { h.TimeField.Remaining = none },
			want: fails(telemetry.Exhausted)},
		"few worker IDs": {of: healthy, change: func(h *H) { h.Worker.IDs.Low = true },
			want: warns(telemetry.WorkerIDsLow)},
		"a worker that tells nothing": {of: healthy, change: func(h *H) { h.Worker = nil }},

		"errors come first": {of: healthy, change: func(h *H) { failing(h, seconds(5)); h.Lead.Wait = seconds(9) },
			want: []want{
				{telemetry.ClockIsBehind, telemetry.Error}, {telemetry.ReservationFailing, telemetry.Warning}}},
	} {
		h := c.of()
		if c.change != nil {
			c.change(&h)
		}
		telemetry.Judge(&h, c.ended)
		var got []want
		ready := true
		for _, r := range h.Reasons {
			require.NotEmpty(t, r.Text)
			require.NotContains(t, r.Text, "%!", r.Text)
			ready = ready && r.Level != telemetry.Error
			got = append(got, want{r.Code, r.Level})
			require.Contains(t, h.String(), r.Text)
		}
		require.Equal(t, c.want, got, name)
		require.Equal(t, ready, h.Ready, name)
		require.NotNil(t, h.Reasons, "[] in JSON")
		failed := []string{telemetry.NoReservation, telemetry.ReservationFailing}
		if h.Failing != nil && len(got) > 0 && slices.Contains(failed, got[0].code) {
			require.Contains(t, h.Reasons[0].Text, "the database is down", name)
		}
	}
}

// The year 10000 is zero, and not an error of the JSON encoder.
func TestTimesThatJSONCannotHold(t *testing.T) {
	h := healthy()
	h.TimeField.Expires = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	h.Reservation.Until = h.TimeField.Expires
	h.Time = noon.In(time.FixedZone("elsewhere", 3600))
	telemetry.Judge(&h, nil)
	text, err := json.Marshal(h)
	require.NoError(t, err)
	require.NotContains(t, string(text), "expires")
	require.NotContains(t, string(text), "until")
	require.Contains(t, string(text), `"time":"2026-11-22T12:00:00Z"`)
}
