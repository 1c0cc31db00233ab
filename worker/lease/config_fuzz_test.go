package lease

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// FuzzLeaseConfig holds what comes of any settings against the rules of the protocol.
func FuzzLeaseConfig(f *testing.F) {
	f.Add("", "", int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), false, false, false)
	f.Add("a.state", "me", int64(time.Second), int64(time.Minute), int64(time.Hour), int64(1),
		int64(time.Second), int64(math.MaxInt64), int64(math.MaxInt64), int64(time.Hour), int64(512), int64(1023), true, false, false)
	f.Add("a.state", "me", int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(time.Hour), int64(0), int64(0), false, false, true)
	f.Add("", "me", int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(7), true, true, true)
	f.Add("", strings.Repeat("x", 129), int64(-1), int64(1), int64(2), int64(3), int64(-4), int64(-5), int64(6), int64(7), int64(-1), int64(-2), false, true, true)
	f.Fuzz(func(t *testing.T, file, holder string, timeout, window, ttl, quarantine, skew, offset, ahead, offline, first, last int64, durable, lossy, promised bool) {
		cfg := Config{
			StateFile: file, Holder: holder,
			Timeout: time.Duration(timeout), Window: time.Duration(window), TTL: time.Duration(ttl), Quarantine: time.Duration(quarantine),
			MaxClockSkew: time.Duration(skew), MaxClockOffset: time.Duration(offset), MaxAhead: time.Duration(ahead),
			Offline: time.Duration(offline), DurableStore: durable, LossyStore: lossy, IDs: Range{First: first, Last: last},
		}
		_, err := New(nil, cfg)
		require.ErrorIs(t, err, uid.ErrConfig, "there is no store")
		l, err := New(promise(promised), cfg)
		if err != nil {
			require.True(t, errors.Is(err, uid.ErrConfig) || errors.Is(err, uid.ErrRange), err)
			require.Less(t, len(err.Error()), 2000)
			return
		}
		c := l.cfg
		require.Equal(t, !lossy && (durable || promised), c.DurableStore)
		require.False(t, c.DurableStore && c.LossyStore)
		require.True(t, c.IDs == Range{} || c.IDs.within(math.MaxInt64))
		require.Positive(t, c.Window)
		require.Positive(t, c.Timeout)
		require.GreaterOrEqual(t, c.ttl(), c.Window+c.Window/2)
		require.GreaterOrEqual(t, c.Quarantine, c.MaxClockSkew)
		require.GreaterOrEqual(t, c.MaxAhead, c.reach())
		require.True(t, c.Offline == 0 || c.DurableStore && c.StateFile != "")
		require.NotEmpty(t, c.Holder)
		again, err := c.withDefaults()
		require.NoError(t, err)
		require.Equal(t, c.Window, again.Window)
		require.Equal(t, c.TTL, again.TTL)
	})
}

// promise is a store of which nothing is known but what it promises.
type promise bool

func (p promise) Durable() bool                                           { return bool(p) }
func (promise) Name() string                                              { return "a promise" }
func (promise) Inspect(context.Context) ([]string, error)                 { panic("New asks a store") }
func (promise) Init(context.Context, func(*Namespace, Clock) error) error { panic("New asks a store") }
func (promise) Take(context.Context, Wanted, func(*Namespace, *Row, Clock) error) error {
	panic("New asks a store")
}
func (promise) Change(context.Context, int64, func(*Row, Clock) error) error {
	panic("New asks a store")
}
