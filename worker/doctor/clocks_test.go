package doctor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClockOffset(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return now.Add(d * time.Millisecond) }
	for _, tt := range []struct {
		trips         []roundTrip
		offset, bound time.Duration
	}{
		{[]roundTrip{{at(0), at(5), at(10)}}, 0, 5},
		{[]roundTrip{{at(0), at(105), at(10)}}, 100, 5},
		{[]roundTrip{{at(0), at(-95), at(10)}}, -100, 5},
		{[]roundTrip{{at(0), at(900), at(1000)}, {at(0), at(31), at(2)}, {at(0), at(7), at(20)}}, 30, 1},
		{[]roundTrip{{at(0), at(7), at(-20)}}, 7, 0}, // ours went back
	} {
		offset, bound := clockOffset(tt.trips)
		require.Equal(t, tt.offset*time.Millisecond, offset)
		require.Equal(t, tt.bound*time.Millisecond, bound)
	}
}

func TestJudgeClock(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		offset, bound time.Duration
		want          Level
		value         string
	}{
		{3 * ms, ms, LevelOK, "+3 ms from ours, ± 1 ms"},
		{-400 * ms, ms, LevelOK, "-400 ms"},
		{-600 * ms, ms, LevelWarn, "-600 ms"},
		{600 * ms, 200 * ms, LevelOK, "± 200 ms"},
		{2001 * ms, ms / 2, LevelError, "± 1 ms"},
		{-3 * time.Second, 900 * ms, LevelError, "-3000 ms"},
		{-3 * time.Second, 1100 * ms, LevelWarn, "-3000 ms"},
		{0, 3 * time.Second, LevelNote, "± 3000 ms"},
		{time.Hour, 3 * time.Second, LevelError, "+3600000 ms"},
	} {
		checkFinding(t, judgeClock(tt.offset, tt.bound, 2*time.Second), tt.want, tt.value)
	}
}
