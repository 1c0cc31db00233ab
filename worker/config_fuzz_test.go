package worker

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// refused requires an error that can be told apart and is short, and reports whether there
// is one.
func refused(t *testing.T, err error) bool {
	if err != nil {
		require.True(t, errors.Is(err, uid.ErrConfig) || errors.Is(err, uid.ErrRange), err)
		require.Less(t, len(err.Error()), 2000)
	}
	return err != nil
}

// FuzzLeaseConfig holds what comes of any settings against the rules of the protocol.
func FuzzLeaseConfig(f *testing.F) {
	f.Add("", "", "", "", "", int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), false)
	f.Add("shop", "LEASES", "mysql", "a.state", "me", int64(time.Second), int64(time.Minute), int64(time.Hour), int64(1),
		int64(time.Second), int64(math.MaxInt64), int64(math.MaxInt64), int64(time.Hour), true)
	f.Add("\xff", "a b", "oracle", "", strings.Repeat("x", 129), int64(-1), int64(1), int64(2), int64(3), int64(-4), int64(-5), int64(6), int64(7), false)
	f.Fuzz(func(t *testing.T, namespace, table, dialect, file, holder string,
		timeout, window, ttl, quarantine, skew, offset, ahead, offline int64, durable bool) {
		cfg := LeaseConfig{
			Namespace: namespace, Table: table, Dialect: Dialect(dialect), StateFile: file, Holder: holder,
			Timeout: time.Duration(timeout), Window: time.Duration(window), TTL: time.Duration(ttl), Quarantine: time.Duration(quarantine),
			MaxClockSkew: time.Duration(skew), MaxClockOffset: time.Duration(offset), MaxAhead: time.Duration(ahead),
			Offline: time.Duration(offline), DurableStore: durable,
		}
		_, err := NewLease(sqlx.NewDb(nil, "mysql"), cfg)
		require.ErrorIs(t, err, uid.ErrConfig, "there is no database")
		c, err := cfg.withDefaults()
		if refused(t, err) {
			return
		}
		require.Positive(t, c.Window)
		require.Positive(t, c.Timeout)
		require.GreaterOrEqual(t, c.ttl(), c.Window+c.Window/2)
		require.GreaterOrEqual(t, c.Quarantine, c.MaxClockSkew)
		require.GreaterOrEqual(t, c.MaxAhead, c.reach())
		require.True(t, c.Offline == 0 || c.DurableStore && c.StateFile != "")
		require.True(t, c.Namespace != "" && c.Holder != "")
		again, err := c.withDefaults()
		require.NoError(t, err)
		require.Equal(t, c.Window, again.Window)
		require.Equal(t, c.TTL, again.TTL)
	})
}

// FuzzSources reads IDs from texts that others have set.
func FuzzSources(f *testing.F) {
	f.Add("web-12.shop.svc.cluster.local", int64(1<<22-1))
	f.Add("12", int64(11))
	f.Add("-99999999999999999999", int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, text string, most int64) {
		id, err := OrdinalID(text)(most)
		require.True(t, refused(t, err) || 0 <= id && id <= most)
		id, err = parseID("the text", text, most)
		require.True(t, refused(t, err) || 0 <= id && id <= most)
	})
}

// FuzzFileConfig makes workers with any settings, of which no file is opened yet.
func FuzzFileConfig(f *testing.F) {
	f.Add("w.state", int64(0), int64(0), "", int64(3))
	f.Add("", int64(-1), int64(math.MaxInt64), "host", int64(-3))
	f.Fuzz(func(t *testing.T, path string, window, ahead int64, host string, id int64) {
		w, err := NewFile(path, FixedID(id), FileConfig{Window: time.Duration(window), MaxAhead: time.Duration(ahead), Host: host})
		if refused(t, err) {
			require.Nil(t, w)
			return
		}
		require.Positive(t, w.cfg.Window)
		require.GreaterOrEqual(t, w.cfg.MaxAhead, w.cfg.Window+w.cfg.Window/2)
	})
}
