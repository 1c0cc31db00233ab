package reason_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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

// numbers is a segment's generator.
func numbers() health.Health {
	return health.Health{
		Generator: "segment", Tag: "invoices", Time: noon, Buffered: 900,
		Numbers: &health.Numbers{Lasts: seconds(1800), Newest: 5000, Left: math.MaxInt64 - 5001, Total: math.MaxInt64 - 1},
		Counts:  map[string]uint64{count.Issued: 4100},
	}
}

// Each rule, with the numbers on both of its sides.
func TestJudge(t *testing.T) {
	down := &health.Failing{Error: "the database is down", Since: noon, Attempts: 1}
	type want struct {
		code, level string
	}
	failing := func(h *health.Health, left health.Duration) { h.Failing, h.Reservation.Remaining = down, left }
	for name, c := range map[string]struct {
		of     func() health.Health
		change func(*health.Health)
		ended  error
		want   []want
	}{
		"healthy":         {of: healthy},
		"healthy numbers": {of: numbers},
		"closed":          {of: healthy, ended: fmt.Errorf("it: %w", uid.ErrClosed), want: []want{{reason.Closed, reason.Error}}},
		"exhausted":       {of: numbers, ended: fmt.Errorf("it: %w", uid.ErrExhausted), want: []want{{reason.Exhausted, reason.Error}}},
		"numbers lost":    {of: numbers, ended: errors.New("lost"), want: []want{{reason.NumbersLost, reason.Error}}},
		"closed, and nothing else counts": {of: healthy, ended: uid.ErrClosed, want: []want{{reason.Closed, reason.Error}},
			change: func(h *health.Health) { failing(h, health.Duration{}); h.TimeField.Ending = true }},

		"a minute is left":                                         {of: healthy, change: func(h *health.Health) { failing(h, seconds(60)) }},
		"less than a minute is left":                               {of: healthy, change: func(h *health.Health) { failing(h, health.Duration{Duration: time.Minute - 1}) }, want: []want{{reason.ReservationFailing, reason.Warning}}},
		"little is left of a reservation that is renewed":          {of: healthy, change: func(h *health.Health) { h.Reservation.Remaining = seconds(1) }},
		"used up while more is on its way":                         {of: healthy, change: func(h *health.Health) { h.Reservation.UsedUp = true }, want: []want{{reason.ReservationUsedUp, reason.Warning}}},
		"used up and failing":                                      {of: healthy, change: func(h *health.Health) { failing(h, seconds(50)); h.Reservation.UsedUp = true }, want: []want{{reason.NoReservation, reason.Error}}},
		"nothing reserved yet":                                     {of: healthy, change: func(h *health.Health) { h.Reservation.UsedUp, h.Reservation.Until = true, time.Time{} }, want: []want{{reason.NoReservation, reason.Error}}},
		"the clock has passed the reservation, but UIDs are ready": {of: healthy, change: func(h *health.Health) { failing(h, health.Duration{}) }, want: []want{{reason.ReservationFailing, reason.Warning}}},

		"numbers for a minute":              {of: numbers, change: func(h *health.Health) { h.Failing, h.Numbers.Lasts = down, seconds(60) }},
		"numbers for less than a minute":    {of: numbers, change: func(h *health.Health) { h.Failing, h.Numbers.Lasts = down, health.Duration{Duration: time.Minute - 1} }, want: []want{{reason.ReservationFailing, reason.Warning}}},
		"numbers for nobody knows how long": {of: numbers, change: func(h *health.Health) { h.Failing, h.Numbers.Lasts = down, health.Duration{} }},
		"no numbers":                        {of: numbers, change: func(h *health.Health) { h.Failing, h.Buffered = down, 0 }, want: []want{{reason.NoReservation, reason.Error}}},
		"no numbers yet":                    {of: numbers, change: func(h *health.Health) { h.Buffered = 0 }},
		"few numbers":                       {of: numbers, change: func(h *health.Health) { h.Numbers.Low = true }, want: []want{{reason.NumbersLow, reason.Warning}}},

		"nine tenths of the lead": {of: healthy, change: func(h *health.Health) { h.Lead.Now = seconds(540) }, want: []want{{reason.LeadNearBound, reason.Warning}}},
		"less of the lead":        {of: healthy, change: func(h *health.Health) { h.Lead.Now = seconds(539) }},
		"no lead at all":          {of: healthy, change: func(h *health.Health) { h.Lead.Bound = health.Duration{} }},
		"an unbounded lead": {of: healthy, change: func(h *health.Health) {
			h.Lead.Now, h.Lead.Bound, h.Lead.Unbounded = seconds(1e6), health.Duration{}, true
		}},
		"a wait of a tick":            {of: healthy, change: func(h *health.Health) { h.Lead.Wait = seconds(1) }},
		"a wait of more":              {of: healthy, change: func(h *health.Health) { h.Lead.Wait = health.Duration{Duration: time.Second + 1} }, want: []want{{reason.ClockIsBehind, reason.Error}}},
		"the time field is ending":    {of: healthy, change: func(h *health.Health) { h.TimeField.Ending = true }, want: []want{{reason.TimeFieldEnding, reason.Warning}}},
		"the time field is over":      {of: healthy, change: func(h *health.Health) { h.TimeField.Remaining = health.Duration{} }, want: []want{{reason.Exhausted, reason.Error}}},
		"few worker IDs":              {of: healthy, change: func(h *health.Health) { h.Worker.IDs.Low = true }, want: []want{{reason.WorkerIDsLow, reason.Warning}}},
		"a worker that tells nothing": {of: healthy, change: func(h *health.Health) { h.Worker = nil }},

		"errors come first": {of: healthy, change: func(h *health.Health) { failing(h, seconds(5)); h.Lead.Wait = seconds(9) },
			want: []want{{reason.ClockIsBehind, reason.Error}, {reason.ReservationFailing, reason.Warning}}},
	} {
		h := c.of()
		if c.change != nil {
			c.change(&h)
		}
		reason.Judge(&h, c.ended)
		var got []want
		ready := true
		for _, r := range h.Reasons {
			require.NotEmpty(t, r.Text)
			require.NotContains(t, r.Text, "%!", r.Text)
			ready = ready && r.Level != reason.Error
			got = append(got, want{r.Code, r.Level})
			require.Contains(t, h.String(), r.Text)
		}
		require.Equal(t, c.want, got, name)
		require.Equal(t, ready, h.Ready, name)
		require.NotNil(t, h.Reasons, "[] in JSON")
		if h.Failing != nil && len(got) > 0 && (got[0].code == reason.NoReservation || got[0].code == reason.ReservationFailing) {
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
	reason.Judge(&h, nil)
	text, err := json.Marshal(h)
	require.NoError(t, err)
	require.NotContains(t, string(text), "expires")
	require.NotContains(t, string(text), "until")
	require.Contains(t, string(text), `"time":"2026-11-22T12:00:00Z"`)
}
