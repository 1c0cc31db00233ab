package bits

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

func TestExpiryStart(t *testing.T) {
	l := Default()
	end := l.Expires()
	const day = 24 * time.Hour
	for _, c := range []struct {
		policy Expiry
		now    time.Time
		want   error
		warns  bool
	}{
		{Expiry{}, l.Epoch().Add(-1), uid.ErrRange, false},
		{Expiry{}, l.Epoch(), nil, false},
		{Expiry{}, end.Add(-365 * day), nil, false},
		{Expiry{}, end.Add(-365*day + 1), nil, true},
		{Expiry{}, end.Add(-30 * day), nil, true},
		{Expiry{}, end.Add(-30*day + 1), uid.ErrExhausted, true},
		{Expiry{}, end, uid.ErrExhausted, true},
		{Expiry{}, end.Add(100 * 365 * day), uid.ErrExhausted, true},

		{Expiry{Refuse: time.Hour, Warn: day}, end.Add(-day), nil, false},
		{Expiry{Refuse: time.Hour, Warn: day}, end.Add(-day + 1), nil, true},
		{Expiry{Refuse: time.Hour, Warn: day}, end.Add(-time.Hour), nil, true},
		{Expiry{Refuse: time.Hour, Warn: day}, end.Add(-time.Hour + 1), uid.ErrExhausted, true},

		{Expiry{Refuse: -1, Warn: -1}, end.Add(-1), nil, false},
		{Expiry{Refuse: -1, Warn: -1}, end, nil, false},
		{Expiry{Refuse: -1, Warn: -1}, end.Add(l.Unit() - 1), nil, false},
		{Expiry{Refuse: -1, Warn: -1}, end.Add(l.Unit()), uid.ErrExhausted, false},
		{Expiry{Refuse: -1}, end.Add(l.Unit()), uid.ErrExhausted, true},
		{Expiry{Refuse: -1, Warn: -1}, l.Epoch().Add(-1), uid.ErrRange, false},
	} {
		err := c.policy.Start(l, c.now)
		require.ErrorIs(t, err, c.want, "%+v", c)
		require.Equal(t, c.warns, c.policy.Warns(l, c.now), "%+v", c)
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

// The last tick is as long as the others, and a time field of 63 bits, whose end
// no number of ticks can say, has one too.
func TestExpiryOfEveryPreset(t *testing.T) {
	for _, p := range append(Presets(), Named{Name: "63 bits", Layout: mustBuild(Config{TimeBits: 63, Unit: time.Nanosecond})}) {
		policy := Expiry{Refuse: -1}
		last := p.Layout.Expires().Add(p.Layout.Unit() - 1)
		require.NoError(t, policy.Start(p.Layout, last), p.Name)
		require.ErrorIs(t, policy.Start(p.Layout, last.Add(1)), uid.ErrExhausted, p.Name)
		require.ErrorIs(t, Expiry{}.Start(p.Layout, p.Layout.Expires()), uid.ErrExhausted, p.Name)
	}
}
