package retry_test

import (
	"context"
	"errors"
	"fmt"
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
			attempt := func(context.Context) error {
				if n >= 0 {
					pauses[n] = append(pauses[n], float64(time.Since(last))/float64(50*time.Millisecond<<n))
				}
				if last, n = time.Now(), n+1; n == len(pauses) {
					return nil
				}
				return down
			}
			require.NoError(t, retry.Do(t.Context(), time.Minute, slog.New(slog.DiscardHandler), attempt))
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

// Who says nothing of how long he waits is soon told that there is no server; who does, or a server that
// has answered once, is waited for.
func TestNobodyAnswers(t *testing.T) {
	refused, busy := retry.Unreachable(errors.New("refused")), retry.Transient(errors.New("busy"))
	for name, tt := range map[string]struct {
		timeout, deadline time.Duration
		errs              []error // of the attempts; the last one of all that follow
		most, least       time.Duration
	}{
		"refused":        {0, 0, []error{refused}, 3 * time.Second, time.Second},
		"busy":           {0, 0, []error{busy}, retry.DefaultTimeout, retry.DefaultTimeout},
		"answers once":   {0, 0, []error{refused, busy, refused}, retry.DefaultTimeout, retry.DefaultTimeout},
		"with a timeout": {20 * time.Second, 0, []error{refused}, 20 * time.Second, 20 * time.Second},
		"with the default's": {retry.DefaultTimeout, 0, []error{refused},
			retry.DefaultTimeout, retry.DefaultTimeout},
		"with a deadline":       {0, time.Minute, []error{refused}, time.Minute, time.Minute},
		"with a short deadline": {0, time.Second, []error{refused}, time.Second, time.Second},
		"with both":             {20 * time.Second, time.Minute, []error{refused}, 20 * time.Second, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, began, n := t.Context(), time.Now(), 0
				if tt.deadline > 0 {
					var cancel func()
					ctx, cancel = context.WithTimeout(ctx, tt.deadline)
					defer cancel()
				}
				err := retry.Do(ctx, tt.timeout, slog.New(slog.DiscardHandler), func(context.Context) error {
					n++
					return tt.errs[min(n, len(tt.errs))-1]
				})
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.ErrorIs(t, err, tt.errs[len(tt.errs)-1])
				took := time.Since(began)
				require.LessOrEqual(t, took, tt.most)
				require.GreaterOrEqual(t, took, tt.least)
				if tt.deadline == 0 {
					require.ErrorContains(t, err, fmt.Sprintf("gave up after %v: ", took.Round(100*time.Millisecond)))
				}
			})
		})
	}
}
