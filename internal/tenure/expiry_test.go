package tenure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/presets"
)

func TestExpiryStart(t *testing.T) {
	l := bits.Default()
	end := l.Expires()
	const day = 24 * time.Hour
	for _, c := range []struct {
		policy bits.Expiry
		now    time.Time
		want   error
		warns  bool
	}{
		{bits.Expiry{}, l.Epoch().Add(-1), uid.ErrRange, false},
		{bits.Expiry{}, l.Epoch(), nil, false},
		{bits.Expiry{}, end.Add(-365 * day), nil, false},
		{bits.Expiry{}, end.Add(-365*day + 1), nil, true},
		{bits.Expiry{}, end.Add(-30 * day), nil, true},
		{bits.Expiry{}, end.Add(-30*day + 1), uid.ErrExhausted, true},
		{bits.Expiry{}, end, uid.ErrExhausted, true},
		{bits.Expiry{}, end.Add(100 * 365 * day), uid.ErrExhausted, true},

		{bits.Expiry{Refuse: time.Hour, Warn: day}, end.Add(-day), nil, false},
		{bits.Expiry{Refuse: time.Hour, Warn: day}, end.Add(-day + 1), nil, true},
		{bits.Expiry{Refuse: time.Hour, Warn: day}, end.Add(-time.Hour), nil, true},
		{bits.Expiry{Refuse: time.Hour, Warn: day}, end.Add(-time.Hour + 1), uid.ErrExhausted, true},

		{bits.Expiry{Refuse: -1, Warn: -1}, end.Add(-1), nil, false},
		{bits.Expiry{Refuse: -1, Warn: -1}, end, nil, false},
		{bits.Expiry{Refuse: -1, Warn: -1}, end.Add(l.Unit() - 1), nil, false},
		{bits.Expiry{Refuse: -1, Warn: -1}, end.Add(l.Unit()), uid.ErrExhausted, false},
		{bits.Expiry{Refuse: -1}, end.Add(l.Unit()), uid.ErrExhausted, true},
		{bits.Expiry{Refuse: -1, Warn: -1}, l.Epoch().Add(-1), uid.ErrRange, false},
	} {
		err := CheckExpiry(c.policy, l, c.now)
		require.ErrorIs(t, err, c.want, "%+v", c)
		require.Equal(t, c.warns, Warns(c.policy, l, c.now), "%+v", c)
		switch c.want {
		case uid.ErrExhausted:
			require.ErrorContains(t, err, "2034-07-04T21:24:15Z")
		case uid.ErrRange:
			require.ErrorContains(t, err, "2026-01-01T00:00:00Z")
		}
	}
	require.Equal(t, 30*day, defaultRefuse)
	require.Equal(t, 365*day, defaultWarn)
}

// The last tick is as long as the others, that of a time field of 63 bits too.
func TestExpiryOfEveryPreset(t *testing.T) {
	all := map[string]bits.Layout{"63 bits": bits.MustLayout(bits.Config{TimeBits: 63, Unit: time.Nanosecond})}
	for _, p := range presets.Layouts() {
		all[p.Name] = bits.MustParseLayout(p.Name)
	}
	for name, l := range all {
		policy := bits.Expiry{Refuse: -1}
		last := l.Expires().Add(l.Unit() - 1)
		require.NoError(t, CheckExpiry(policy, l, last), name)
		require.ErrorIs(t, CheckExpiry(policy, l, last.Add(1)), uid.ErrExhausted, name)
		require.ErrorIs(t, CheckExpiry(bits.Expiry{}, l, l.Expires()), uid.ErrExhausted, name)
	}
	require.ErrorIs(t, CheckExpiry(bits.Expiry{}, bits.Layout{}, time.Now()), uid.ErrRange)
}
