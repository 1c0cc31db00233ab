package uidtest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/uidtest"
)

// FuzzConfig: whatever MustNew takes, the n-th UID is of the layout and the worker, and smaller than
// the next one.
func FuzzConfig(f *testing.F) {
	f.Add(28, 22, 13, int64(0), int64(7), int64(1), int64(0))
	f.Add(1, 0, 62, int64(time.Second), int64(0), int64(1<<62), int64(3))
	f.Add(63, 0, 0, int64(1), int64(0), int64(1<<63-1), int64(-1))
	f.Add(2, 61, 0, int64(-1), int64(1<<61-1), int64(4), int64(0))
	f.Fuzz(func(t *testing.T, timeBits, workerBits, sequenceBits int, offset, workerID, n, failAfter int64) {
		l, err := bits.NewLayout(bits.Config{TimeBits: timeBits, WorkerBits: workerBits, SequenceBits: sequenceBits})
		if err != nil {
			return
		}
		start := l.Epoch().Add(time.Duration(offset))
		cfg := uidtest.Config{Layout: l, Start: start, WorkerID: workerID, FailAfter: failAfter}
		if failAfter > 0 {
			cfg.Err = uid.ErrRejectedTake
		}
		g, err := made(cfg)
		if err != nil {
			require.True(t, errors.Is(err, uid.ErrRange) || errors.Is(err, uid.ErrConfig), err)
			return
		}
		u, err := g.Nth(n)
		if err != nil {
			require.True(t, errors.Is(err, uid.ErrRange) && n < 1 || errors.Is(err, uid.ErrExhausted), err)
			return
		}
		parts := must(g.ParseUID(u))
		require.Equal(t, workerID, parts.WorkerID)
		require.False(t, parts.Time.Before(l.TimeOf(l.TickAt(cfg.Start))))
		if n < 1<<63-1 {
			if next, err := g.Nth(n + 1); err == nil {
				require.Greater(t, next, u)
			}
		}
	})
}
