package lease_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

func TestNewLeaseRefuses(t *testing.T) {
	store := storetest.NewMemory(storetest.MemoryConfig{}).Store(orders)
	for text, cfg := range map[string]lease.Config{
		"Window -1s is not within 0 and":           {Window: -time.Second},
		"TTL 1m0s is less than 3/2 of Window 1m0s": {TTL: time.Minute},
		"3/2 of Window 1m20.000000001s, for which ticks are reserved, and MaxClockSkew 2s have to be 2m2s together": {
			Window: 80*time.Second + 1},
		"3/2 of Window 1m0s, for which ticks are reserved, and MaxClockSkew 9m0s": {MaxClockSkew: 9 * time.Minute},
		"3/2 of Window 876000h0m0s":                    {Window: 876000 * time.Hour, TTL: 876000 * time.Hour},
		"TTL 2562047h47m16.854775807s is not within 0": {TTL: math.MaxInt64},
		"MaxClockSkew -1ns":                            {MaxClockSkew: -1},
		"Losses 4 is not known":                        {Losses: 4},
		"Timeout -1ns":                                 {Timeout: -1},
		"IDs from -1 to 5 are no range":                {IDs: lease.Range{First: -1, Last: 5}},
		"IDs from 6 to 5 are no range":                 {IDs: lease.Range{First: 6, Last: 5}},
		"IDs from 0 to -1 are no range":                {IDs: lease.Range{First: 0, Last: -1}},
	} {
		l, err := lease.New(store, cfg)
		require.Nil(t, l)
		require.ErrorContains(t, err, text)
		logtest.Refused(t, err)
	}
	_, err := lease.New(nil, lease.Config{})
	require.ErrorIs(t, err, uid.ErrConfig)
	l := must(lease.New(store, lease.Config{Window: 500 * time.Microsecond}))
	_, err = l.Acquire(t.Context(), millis(1023))
	logtest.Error(t, err, uid.ErrConfig, "Window 500µs is shorter than the layout's tick, 1ms")
}

// A lease without a Logger writes to slog.Default as it was when the lease was made.
func TestDefaultLogger(t *testing.T) {
	logged := logtest.Default(t)
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, storetest.MemoryConfig{})
		cfg := h.config(lease.Config{})
		cfg.Logger = nil
		store := h.memory.Store(orders)
		require.NoError(t, lease.Found(t.Context(), store, lease.Founding{Layout: milliseconds}))
		w := must(lease.New(store, cfg))
		l := w.(*lease.Lease)
		l.SetNow(h.now)
		h.acquire(l)
		require.Regexp(t, `./\d+$`, h.row(0).Holder, "the host's name and the process's ID")
	})
	require.Equal(t, 1, logged.Count(`msg="worker ID leased" worker_id=0 store="namespace \"orders\" in memory"`))
}
