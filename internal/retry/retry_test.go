package retry_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
)

// Those that fail together do not come back together: each pause is drawn from half of what it
// may be to all of it.
func TestPausesAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const fleet = 500
		down := retry.Transient(errors.New("the store is down"))
		var pauses [4][]float64 // as parts of the longest, by attempt
		for range fleet {
			last, n := time.Now(), -1
			require.NoError(t, retry.Do(t.Context(), time.Minute, slog.New(slog.DiscardHandler), func(context.Context) error {
				if n >= 0 {
					pauses[n] = append(pauses[n], float64(time.Since(last))/float64(50*time.Millisecond<<n))
				}
				if last, n = time.Now(), n+1; n == len(pauses) {
					return nil
				}
				return down
			}))
		}
		for _, of := range pauses {
			var low, high int
			for _, p := range of {
				require.GreaterOrEqual(t, p, 0.5)
				require.Less(t, p, 1.0)
				if p < 0.6 {
					low++
				} else if p > 0.9 {
					high++
				}
			}
			require.InDelta(t, fleet/5, low, fleet/10)
			require.InDelta(t, fleet/5, high, fleet/10)
		}
	})
}
