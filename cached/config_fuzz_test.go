package cached

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

// FuzzConfig makes generators of any configuration. One that can be made issues a UID that
// is what the configuration says, or says why not.
func FuzzConfig(f *testing.F) {
	f.Add(28, 22, 13, int64(time.Second), int64(0), int64(0), 0, 0, false, int64(1))
	f.Add(41, 10, 12, int64(time.Millisecond), int64(Unbounded), int64(time.Hour), 65536, 99, true, int64(1023))
	f.Add(1, 0, 0, int64(time.Minute), int64(-1), int64(1), 3, 100, true, int64(-1))
	f.Fuzz(func(t *testing.T, tb, wb, sb int, unit, lead, lag int64, slots, padding int, random bool, id int64) {
		shape := bits.Config{TimeBits: tb, WorkerBits: wb, SequenceBits: sb, Unit: time.Duration(unit)}
		layout, err := bits.NewLayout(shape)
		if err != nil {
			return
		}
		cfg := Config{
			Layout: layout, MaxLead: time.Duration(lead), MaxLag: time.Duration(lag), Slots: slots, RandomStart: random,
			PaddingFactor: padding, OnRejectedTake: uid.Fail, Logger: slog.New(slog.DiscardHandler),
			Now: func() time.Time { return layout.Epoch().Add(time.Hour) },
		}
		g, err := New(worker.Static(id, rand.Text()), cfg)
		if err != nil {
			require.Nil(t, g)
			require.Less(t, len(err.Error()), 400)
			return
		}
		defer g.Close()
		require.True(t, lead >= 0 && (lag == 0 || lag >= int64(layout.Unit())))
		u, err := g.GetUID()
		if err != nil {
			require.True(t, errors.Is(err, uid.ErrRejectedTake) || errors.Is(err, uid.ErrExhausted), err)
			return
		}
		p, err := g.ParseUID(u)
		require.NoError(t, err)
		require.Equal(t, id, p.WorkerID)
		require.True(t, p.Time.Equal(layout.TimeOf(layout.TickAt(cfg.Now()))))
		many := make([]uid.UID, 40)
		n, err := g.Fill(many)
		require.True(t, n == len(many) || err != nil)
		for _, v := range many[:n] {
			require.Greater(t, v, u)
			u = v
		}
	})
}

// TestDefaultSlots: a ring of ticks of few UIDs has more of them, but none buffers more than eight seconds, or ticks.
func TestDefaultSlots(t *testing.T) {
	for _, c := range []struct {
		sequenceBits int
		unit         time.Duration
		want         int
	}{
		{13, time.Second, 8}, {12, time.Millisecond, 8}, {8, time.Millisecond, 8}, {7, time.Millisecond, 16},
		{0, time.Millisecond, 2048}, {0, time.Nanosecond, 2048}, {0, 10 * time.Millisecond, 512},
		{0, 250 * time.Millisecond, 32}, {0, 500 * time.Millisecond, 16}, {0, time.Second, 8}, {0, time.Hour, 8},
	} {
		shape := bits.Config{TimeBits: 34, WorkerBits: 8, SequenceBits: c.sequenceBits, Unit: c.unit}
		cfg, err := Config{Layout: bits.MustLayout(shape)}.withDefaults()
		require.NoError(t, err)
		require.Equal(t, c.want, cfg.Slots, "%+v", c)
	}
}
