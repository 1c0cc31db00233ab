package backfill_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/backfill"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/worker/disposable"
)

// FuzzConfig makes runs with any settings. They are refused with no number used up, or the run gives a
// UID for its first and its last moment, in the ticks of these.
func FuzzConfig(f *testing.F) {
	f.Add(28, 3, 2, int64(time.Second), int64(1600000000e9), int64(1700000000e9), int64(1800000000e9), 1, int64(0))
	f.Add(41, 10, 12, int64(time.Millisecond), int64(0), int64(0), int64(1800000000e9), 0, int64(-1))
	f.Add(62, 1, 0, int64(1), int64(-1), int64(1800000000e9+1), int64(1800000000e9), 3, int64(time.Hour))
	f.Fuzz(func(t *testing.T, timeBits, workerBits, sequenceBits int, unit, from, to, now int64, workers int,
		back int64) {
		l, err := bits.NewLayout(bits.Config{TimeBits: timeBits, WorkerBits: workerBits, SequenceBits: sequenceBits,
			Unit: time.Duration(unit), Epoch: time.Unix(0, 0)})
		if err != nil || workers > 8 {
			return
		}
		cfg := backfill.Config{Layout: l, From: time.Unix(0, from), To: time.Unix(0, to), Workers: workers,
			Logger: quiet,
			Sorted: true, Back: time.Duration(back), Now: func() time.Time { return time.Unix(0, now) }}
		n := &numbers{next: []int64{1, 2, 3, 4, 5, 6, 7, 8}}
		g, err := backfill.New(backfill.FromNumbers(n, disposable.Config{Host: "h", Logger: quiet}), cfg)
		if err != nil {
			require.True(t, errors.Is(err, uid.ErrConfig) || errors.Is(err, uid.ErrRange), "%v", err)
			require.True(t, len(n.next) == 8 || l.MaxWorkerID() < 8, "%v", err)
			return
		}
		require.False(t, cfg.To.After(cfg.Now()))
		for _, at := range []time.Time{cfg.From, cfg.To} {
			u, err := g.AtOrAfter(at, 0)
			if errors.Is(err, backfill.ErrFull) {
				require.Equal(t, l.TickAt(cfg.From), l.TickAt(cfg.To))
				return
			}
			require.NoError(t, err)
			require.Equal(t, l.TickAt(at), must(l.Tick(u)))
		}
	})
}
