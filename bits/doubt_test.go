package bits

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

func TestDoubt(t *testing.T) {
	l := Default()
	now := l.Epoch().Add(100 * day)
	u := func(at time.Time) uid.UID { return must(l.Compose(l.TickAt(at), 3, 4)) }
	for _, c := range []struct {
		u    uid.UID
		want string
	}{
		{u(now), ""},
		{u(now.Add(day)), ""},
		{u(now.Add(-90 * day)), ""},
		{u(now.Add(day + time.Second)),
			"its time, 2026-04-12T00:00:01Z, is a day in the future: it may be of another layout"},
		{u(now.Add(729 * day)),
			"its time, 2028-04-09T00:00:00Z, is 729 days in the future: it may be of another layout"},
		{u(now.Add(5 * 365 * day)),
			"its time, 2031-04-10T00:00:00Z, is 5 years in the future: it may be of another layout"},
		{u(l.Epoch().Add(day)), ""},
		{u(l.Epoch().Add(day - time.Second)),
			"its time, 2026-01-01T23:59:59Z, is only 23h59m59s after the layout's epoch: it may be of another layout"},
		{0, "its time, 2026-01-01T00:00:00Z, is only 0s after the layout's epoch: it may be of another layout"},
		{-1, "value out of range: -1 is below 0"},
	} {
		require.Equal(t, c.want, l.Doubt(c.u, now))
	}
	require.Empty(t, l.Doubt(0, l.Epoch().Add(day)), "the first day itself is no doubt")
	require.Contains(t, l.Doubt(0, l.Epoch().Add(-400*day)), "400 days in the future")
	require.Contains(t, JavaScriptSafe().Doubt(1<<52, now), "4503599627370495")
	far := mustBuild(Config{TimeBits: 60})
	require.Contains(t, far.Doubt(1<<60-1, now), "more than 292 years in the future")
}
