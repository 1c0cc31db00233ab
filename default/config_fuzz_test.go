package uncached

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/worker"
)

// FuzzConfig makes generators of any configuration. One that can be made issues UIDs of the
// clock's tick that increase, and after a step back does what its policy says or fails.
func FuzzConfig(f *testing.F) {
	f.Add(28, 22, 13, int64(time.Second), uint8(0), int64(0), 0, false, int64(1))
	f.Add(41, 10, 12, int64(time.Millisecond), uint8(3), int64(0), 64, true, int64(1023))
	f.Add(41, 10, 12, int64(time.Millisecond), uint8(4), int64(0), 3, true, int64(5))
	f.Add(1, 0, 0, int64(time.Minute), uint8(2), int64(-1), -1, true, int64(-1))
	f.Fuzz(func(t *testing.T, tb, wb, sb int, unit int64, policy uint8, limit int64, n int, random bool, id int64) {
		shape := bits.Config{TimeBits: tb, WorkerBits: wb, SequenceBits: sb, Unit: time.Duration(unit)}
		layout, err := bits.NewLayout(shape)
		if err != nil {
			return
		}
		// A clock that goes back waits no longer than this.
		limit = min(limit, int64(time.Millisecond))
		now := layout.Epoch().Add(time.Hour)
		cfg := Config{
			Layout: layout, RandomStart: random, Logger: slog.New(slog.DiscardHandler),
			Now:       func() time.Time { return now },
			ClockBack: []Policy{Logical(), Fail(), Wait(time.Duration(limit)), Remember(n), RollbackBits(n)}[policy%5],
		}
		g, err := New(worker.Static(id, rand.Text()), cfg)
		if err != nil {
			require.Nil(t, g)
			require.Less(t, len(err.Error()), 400)
			return
		}
		defer g.Close()
		seen := map[uid.UID]bool{}
		draw := func() {
			for range 3 {
				u, err := g.TryGetUID()
				if err != nil {
					expected := errors.Is(err, uid.ErrRejectedTake) || errors.Is(err, uid.ErrExhausted)
					require.True(t, expected || errors.Is(err, uid.ErrClockBack), err)
					return
				}
				require.False(t, seen[u])
				seen[u] = true
				require.GreaterOrEqual(t, must(layout.Tick(u)), layout.TickAt(now))
			}
		}
		draw()
		now = now.Add(-layout.Unit())
		draw()
		now = now.Add(3 * layout.Unit())
		draw()
	})
}
