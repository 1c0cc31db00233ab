package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker"
)

func TestCompareClocks(t *testing.T) {
	asked := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	const ms = time.Millisecond
	for _, tt := range []struct {
		name             string
		theirs, answered time.Duration // after asked
		off, limit       time.Duration
		refused          string
	}{
		{"equal", 0, 0, 0, 0, ""},
		{"within the call", 3 * time.Second, 5 * time.Second, 0, 0, ""},
		{"ahead", 102 * ms, 100 * ms, 0, 2 * ms, ""},
		{"too far ahead", 103 * ms, 100 * ms, 0, 2 * ms,
			"05:06:07.1Z, the store's 2026-03-04T05:06:07.103Z, 3ms apart; at most 2ms"},
		{"behind", -2 * ms, 100 * ms, 0, 2 * ms, ""},
		{"too far behind", -3 * ms, 100 * ms, 0, 2 * ms, "3ms apart; at most 2ms"},
		{"off by itself", 0, 0, 2 * ms, 2 * ms, ""},
		{"too far off by itself", 0, 0, 3 * ms, 2 * ms, "0s apart and up to 3ms more; at most 2ms"},
		{"both", 101 * ms, 100 * ms, ms, 2 * ms, ""},
		{"too far with both", 102 * ms, 100 * ms, ms, 2 * ms, "2ms apart and up to 1ms more; at most 2ms"},
		{"without a limit", 1000 * time.Hour, 0, 1<<63 - 1, 1<<63 - 1, "1000h0m0s apart and up to"},
		{"our clock went back in between", 0, -time.Second, 0, time.Second, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := compareClocks(asked, asked.Add(tt.theirs), asked.Add(tt.answered), tt.off, tt.limit)
			if tt.refused == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, worker.ErrClock)
			require.ErrorContains(t, err, tt.refused)
		})
	}
}
