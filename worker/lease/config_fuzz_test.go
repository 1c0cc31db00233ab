package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
)

// FuzzLeaseConfig holds what comes of any settings against the rules of the protocol.
func FuzzLeaseConfig(f *testing.F) {
	f.Add(int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), false)
	f.Add(int64(time.Second), int64(time.Minute), int64(time.Hour), int64(1), int64(512),
		int64(1023), int64(Never), false)
	f.Add(int64(0), int64(time.Hour), int64(0), int64(0), int64(0), int64(7), int64(Anytime), true)
	f.Add(int64(-1), int64(1), int64(2), int64(3), int64(-1), int64(-2), int64(7), true)
	f.Fuzz(func(t *testing.T, timeout, window, ttl, skew, first, last, losses int64, promised bool) {
		cfg := Config{
			Timeout: time.Duration(timeout), Window: time.Duration(window), TTL: time.Duration(ttl),
			MaxClockSkew: time.Duration(skew), Losses: Losses(losses), IDs: Range{First: first, Last: last},
		}
		_, err := New(nil, cfg)
		require.ErrorIs(t, err, uid.ErrConfig, "there is no store")
		store := promise{durable: promised}
		w, err := New(store, cfg)
		if logtest.Refused(t, err) {
			return
		}
		l := w.(*lessee)
		c := l.cfg
		require.Equal(t, c.Losses == Never || c.Losses == NeverUnchecked || promised && c.Losses == ByHistory, l.never)
		require.True(t, c.IDs == Range{} || 0 <= c.IDs.First && c.IDs.First <= c.IDs.Last)
		require.Positive(t, c.Window)
		require.Equal(t, cfg.Timeout, c.Timeout)
		require.GreaterOrEqual(t, c.TTL, c.ahead())
		require.GreaterOrEqual(t, c.quarantine(), c.MaxClockSkew)
		if !l.never {
			require.LessOrEqual(t, c.ahead(), l.reach(storage.Clock{}), "less is reserved than is burnt")
		}
		again, err := c.withDefaults()
		require.NoError(t, err)
		require.Equal(t, c.Window, again.Window)
		require.Equal(t, c.TTL, again.TTL)
	})
}

// A promise is a store of which nothing is known but what it promises: New that asks it for more panics.
type promise struct {
	Store
	durable bool
}

func (p promise) Durable() bool { return p.durable }
func (promise) Name() string    { return "a promise" }
