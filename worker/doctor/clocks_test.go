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
		checkFinding(t, judgeClock(tt.offset, tt.bound, tt.off, 2*time.Second), tt.want, tt.value)
	}
}
