package doctor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/storage"
)

// The store's clock was read at some time during the shortest trip.
func TestClockOffset(t *testing.T) {
	theirs := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	// Times before and after the first trip, the second...; then the last goes on.
	for value, ours := range map[string][]int64{
		"the store's is +0 ms from ours, ± 5 ms":   {-5, 5},
		"the store's is +100 ms from ours, ± 5 ms": {-105, -95},
		"the store's is -100 ms from ours, ± 5 ms": {95, 105},
		"the store's is +30 ms from ours, ± 1 ms":  {-900, 100, -31, -29, -7, 13},
		"the store's is +7 ms from ours, ± 0 ms":   {-7, -27}, // ours went back
	} {
		c := &check{Config: Config{Now: func() time.Time {
			now := theirs.Add(time.Duration(ours[0]) * time.Millisecond)
			if len(ours) > 2 {
				ours = ours[1:]
			} else {
				ours[0], ours[1] = ours[1], ours[0]
			}
			return now
		}}}
		found, err := c.clocks(t.Context(), &fake{clock: storage.Clock{Now: theirs}})
		require.NoError(t, err)
		checkFinding(t, found[0], LevelOK, value)
	}
}

func TestJudgeClock(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		offset, bound, off time.Duration
		want               Level
		value              string
	}{
		{3 * ms, ms, 0, LevelOK, "+3 ms from ours, ± 1 ms"},
		{-400 * ms, ms, 0, LevelOK, "-400 ms"},
		{-600 * ms, ms, 0, LevelWarn, "-600 ms"},
		{600 * ms, 200 * ms, 0, LevelOK, "± 200 ms"},
		{2001 * ms, ms / 2, 0, LevelError, "± 1 ms"},
		{-3 * time.Second, 900 * ms, 0, LevelError, "-3000 ms"},
		{-3 * time.Second, 1100 * ms, 0, LevelWarn, "-3000 ms"},
		{0, 3 * time.Second, 0, LevelNote, "± 3000 ms"},
		{time.Hour, 3 * time.Second, 0, LevelError, "+3600000 ms"},
		{0, ms, 250 * ms, LevelNote, "from ours, ± 1 ms, and off by 250ms at most"},
		{0, ms, 2 * time.Second, LevelNote, "2s"},
		{0, ms, 2*time.Second + 1, LevelError, "2s"},
		{300 * ms, 100 * ms, 1800 * ms, LevelNote, "1.8s"},
		{301 * ms, 100 * ms, 1800 * ms, LevelError, "1.8s"},
		{-600 * ms, ms, 250 * ms, LevelWarn, "-600 ms"},
	} {
		theirs := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
		trip := roundTrip{theirs.Add(-tt.offset - tt.bound), theirs, theirs.Add(-tt.offset + tt.bound), tt.off}
		checkFinding(t, trip.judge(), tt.want, tt.value)
	}
}
