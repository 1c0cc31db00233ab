package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClock(t *testing.T) {
	const s = time.Second
	from := time.Now().Add(-10 * s)
	c, err := newClock(clockText(from, []step{{5 * s, 7 * s}, {8 * s, -2 * s}, {20 * s, 3 * s}, {21 * s, -1 * s}}))
	require.NoError(t, err)
	// The clock was started 10 s after the first instant.
	for at, offset := range map[time.Duration]time.Duration{0: -2 * s, 9 * s: -2 * s, 10*s + s/2: 3 * s, 12 * s: -1 * s} {
		require.Equal(t, offset, c.offset(at), "%v", at)
	}
	require.Equal(t, -2*s, c.ahead(s))
	require.Equal(t, 3*s, c.ahead(15*s))
	require.Equal(t, c.at(9*s-2*s), c.low(9*s, 9*s))
	require.Equal(t, c.at(9*s-2*s), c.low(9*s, 10*s+s/2))
	require.Equal(t, c.at(10*s+s/2-1*s), c.low(10*s+s/2, 13*s))
	require.WithinDuration(t, time.Now().Add(-2*s), c.now(), time.Minute)

	c, err = newClock("")
	require.NoError(t, err)
	require.Zero(t, c.offset(0))
	require.Zero(t, c.offset(time.Hour))
}

func TestClockRefuses(t *testing.T) {
	const from = "2026-11-21T08:00:00Z"
	far := time.Now().Add(time.Hour).Format(time.RFC3339Nano)
	for _, text := range []string{"x", from + " 1s", from + " 1s:", from + " :1s", from + " 1:1", far + " 2s:1s 1s:2s"} {
		_, err := newClock(text)
		require.ErrorContains(t, err, "soak: "+clockEnv, "%q", text)
	}
}

func FuzzClock(f *testing.F) {
	f.Add("")
	f.Add("2026-11-21T08:00:00.5Z 12.5s:-2s 40s:1.5s")
	f.Add("2026-11-21T08:00:00Z 1s:")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := newClock(text)
		if err != nil {
			return
		}
		for at := time.Duration(0); at < time.Hour; at += 10 * time.Minute {
			offset := c.offset(at)
			require.LessOrEqual(t, offset, c.ahead(at))
			require.False(t, c.at(at+offset).Before(c.low(at, at)))
		}
	})
}
