package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClock(t *testing.T) {
	const s = time.Second
	now := time.Now()
	c := &clock{now, []step{
		{now.Add(-5 * s), 7 * s}, {now.Add(-2 * s), -2 * s}, {now.Add(10 * s), 3 * s}, {now.Add(11 * s), -1 * s},
	}}
	offsets := map[time.Duration]time.Duration{0: -2 * s, 9 * s: -2 * s, 10*s + s/2: 3 * s, 12 * s: -1 * s}
	for at, offset := range offsets {
		require.Equal(t, offset, c.offset(at), "%v", at)
	}
	require.Equal(t, -2*s, c.ahead(s))
	require.Equal(t, 3*s, c.ahead(15*s))
	require.Equal(t, c.at(9*s-2*s), c.low(9*s, 9*s))
	require.Equal(t, c.at(9*s-2*s), c.low(9*s, 10*s+s/2))
	require.Equal(t, c.at(10*s+s/2-1*s), c.low(10*s+s/2, 13*s))
	require.WithinDuration(t, time.Now().Add(-2*s), c.now(), time.Minute)
	require.Zero(t, newClock(nil).offset(time.Hour))
}
